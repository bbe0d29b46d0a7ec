// The parameters of EPCIS 1.x on standard fields, and what 2.0 adds to them.
import { epcPattern } from '../domain/epc-pattern.ts';
import { epcKey } from '../domain/epc.ts';
import { cbvUri, type CbvKind } from '../domain/cbv.ts';
import { CLASS_ROLES, INSTANCE_ROLES, ROLE, type Column, type Criterion } from './criteria.ts';
import { EXISTS, timeName } from './facts.ts';
import { COMPARISONS, group, readTime, readWhole, wrongValue } from './parameter-values.ts';
import type { ParameterRule } from './parameter-rule.ts';

const one = (criterion: Criterion): { criteria: Criterion[] } => ({ criteria: [criterion] });

/** Bare words, URNs and web URIs of the standard's vocabularies are one value. */
const vocabulary =
  (kind: CbvKind) =>
  (value: string): string =>
    cbvUri(kind, value) ?? value;
const asWritten = (value: string): string => value;

function column(name: string, of: Column, meaning: string, canonical = asWritten): ParameterRule {
  return {
    name,
    pattern: new RegExp(`^${name}$`),
    type: 'list',
    meaning,
    read: (_match, values) => one({ kind: 'column', column: of, values: values.map(canonical) }),
  };
}

function text(name: string, of: string, meaning: string, canonical = asWritten): ParameterRule {
  return {
    name,
    pattern: new RegExp(`^${name}$`),
    type: 'list',
    meaning,
    read: (_match, values) => one({ kind: 'text', name: of, values: values.map(canonical) }),
  };
}

function within(name: string, of: Column, meaning: string): ParameterRule {
  return {
    name,
    pattern: new RegExp(`^${name}$`),
    type: 'list',
    meaning,
    read: (_match, roots) => one({ kind: 'within', column: of, roots }),
  };
}

function times(name: string, of: 'eventTime' | 'recordTime', meaning: string): readonly ParameterRule[] {
  return [
    {
      name: `GE_${name}`,
      pattern: new RegExp(`^GE_${name}$`),
      type: 'time',
      meaning: `${meaning} at this time or later.`,
      read: (match, [value = '']) => one({ kind: 'time', column: of, from: readTime(match[0], value) }),
    },
    {
      name: `LT_${name}`,
      pattern: new RegExp(`^LT_${name}$`),
      type: 'time',
      meaning: `${meaning} before this time.`,
      read: (match, [value = '']) => one({ kind: 'time', column: of, before: readTime(match[0], value) }),
    },
  ];
}

function typed(name: string, kind: CbvKind, meaning: string): ParameterRule {
  return {
    name: `EQ_${name}_*type*`,
    pattern: new RegExp(`^EQ_${name}_(?<type>.+)$`),
    type: 'list',
    meaning,
    read: (match, values) =>
      one({ kind: 'text', name: `${name}_${vocabulary(kind)(group(match, 'type'))}`, values: values.map(epcKey) }),
  };
}

function match(name: string, roles: number, of: 'instance' | 'class', meaning: string): ParameterRule {
  return {
    name: `MATCH_${name}`,
    pattern: new RegExp(`^MATCH_${name}$`),
    type: 'list',
    meaning,
    read: (_match, values) => one({ kind: 'epc', roles, patterns: values.map((value) => epcPattern(value, of)) }),
  };
}

function exists(name: string, meaning: string): ParameterRule {
  return {
    name: `EXISTS_${name}`,
    pattern: new RegExp(`^EXISTS_${name}$`),
    type: 'void',
    meaning,
    read: () => one({ kind: 'text', name, values: [EXISTS] }),
  };
}

const ACTIONS = ['ADD', 'OBSERVE', 'DELETE'];

export const STANDARD_RULES: readonly ParameterRule[] = [
  column('eventType', 'type', 'The type of the event, or the URI of an extension type.'),
  column('EQ_action', 'action', '`ADD`, `OBSERVE` or `DELETE`.', (value) => {
    if (!ACTIONS.includes(value)) throw wrongValue('EQ_action', value, 'ADD, OBSERVE or DELETE');
    return value;
  }),
  column('EQ_bizStep', 'bizStep', 'The business step.', vocabulary('bizStep')),
  column('EQ_disposition', 'disposition', 'The disposition.', vocabulary('disposition')),
  column('EQ_readPoint', 'readPoint', 'The read point.'),
  within('WD_readPoint', 'readPoint', 'The read point or, by master data, something below it.'),
  column('EQ_bizLocation', 'bizLocation', 'The business location.'),
  within('WD_bizLocation', 'bizLocation', 'The business location or, by master data, something below it.'),
  text('EQ_transformationID', 'transformationID', 'The ID of the transformation.'),
  {
    name: 'EQ_eventID',
    pattern: /^EQ_eventID$/,
    type: 'list',
    meaning: 'The ID of the event; its hash where it was captured without one.',
    read: (_match, values) => one({ kind: 'eventID', values }),
  },
  text('EQ_errorReason', 'errorReason', 'The reason of the error declaration.', vocabulary('errorReason')),
  text('EQ_correctiveEventID', 'correctiveEventID', 'An ID among the corrective events of the error declaration.'),
  ...times('eventTime', 'eventTime', 'Happened'),
  ...times('recordTime', 'recordTime', 'Captured'),
  ...(['GE', 'LT'] as const).map((operator): ParameterRule => ({
    name: `${operator}_errorDeclarationTime`,
    pattern: new RegExp(`^${operator}_errorDeclaration_?Time$`),
    type: 'time',
    meaning: `Declared an error ${operator === 'GE' ? 'at this time or later' : 'before this time'}; also \`${operator}_errorDeclaration_Time\`.`,
    read: (match, [value = '']) =>
      one({
        kind: 'number',
        name: timeName('errorDeclarationTime'),
        comparison: operator === 'GE' ? '>=' : '<',
        values: [readTime(match[0], value)],
      }),
  })),
  exists('errorDeclaration', 'The event is an error declaration.'),
  exists('sensorElementList', 'The event has sensor elements.'),
  typed('bizTransaction', 'bizTransaction', 'A business transaction of this type.'),
  typed('source', 'sourceDestination', 'A source of this type.'),
  typed('destination', 'sourceDestination', 'A destination of this type.'),
  match('epc', ROLE.epcList | ROLE.childEPCs, 'instance', 'An EPC (or pattern) in `epcList` or `childEPCs`.'),
  match('parentID', ROLE.parentID, 'instance', 'The parent (or pattern).'),
  match('inputEPC', ROLE.inputEPCList, 'instance', 'An EPC (or pattern) in `inputEPCList`.'),
  match('outputEPC', ROLE.outputEPCList, 'instance', 'An EPC (or pattern) in `outputEPCList`.'),
  match('anyEPC', INSTANCE_ROLES, 'instance', 'An EPC (or pattern) in any of these five places.'),
  match(
    'epcClass',
    ROLE.epcClass | ROLE.childQuantityList,
    'class',
    'A class (or pattern) in `quantityList`, `childQuantityList` or a QuantityEvent.',
  ),
  match('inputEPCClass', ROLE.inputQuantityList, 'class', 'A class (or pattern) in `inputQuantityList`.'),
  match('outputEPCClass', ROLE.outputQuantityList, 'class', 'A class (or pattern) in `outputQuantityList`.'),
  match('anyEPCClass', CLASS_ROLES, 'class', 'A class (or pattern) in any of these places.'),
  ...Object.entries(COMPARISONS).map(([operator, comparison]): ParameterRule => ({
    name: `${operator}_quantity`,
    pattern: new RegExp(`^${operator}_quantity$`),
    type: operator === 'EQ' ? 'list' : 'number',
    meaning: `A quantity, in whatever unit, \`${comparison}\` this whole number.`,
    read: (match, values) =>
      one({
        kind: 'number',
        name: 'quantity',
        comparison,
        values: values.map((value) => readWhole(match[0], value, Number.MIN_SAFE_INTEGER)),
      }),
  })),
  text(
    'EQ_persistentDisposition_set',
    'persistentDisposition_set',
    'A disposition that was set.',
    vocabulary('disposition'),
  ),
  text(
    'EQ_persistentDisposition_unset',
    'persistentDisposition_unset',
    'A disposition that was unset.',
    vocabulary('disposition'),
  ),
];
