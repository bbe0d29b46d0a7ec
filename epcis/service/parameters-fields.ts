// Parameters on fields that the standard does not name, wherever they stand, and on the master data behind a field.
import { epcPattern } from '../domain/epc-pattern.ts';
import type { Criterion } from './criteria.ts';
import { COMPARISONS, group, wrongValue } from './parameter-values.ts';
import type { ParameterRule, QueryPlan } from './parameter-rule.ts';
import { COLUMNS, type Column } from './queryable-columns.ts';
import { FIELD_FAMILIES, FIELDS, fieldKey, fieldName, type FieldFamily } from './queryable-fields.ts';
import { timeName, type Operator } from './queryable-numbers.ts';
import { CLASS_ROLES } from './queryable-places.ts';
import { EXISTS } from './queryable-texts.ts';
import { comparableText, numberOf, timeOf } from './text-values.ts';

/** A field has a namespace. `[^]`, not `.`: a line break behind many # would have each of them looked at again from all before it. */
const WITH_NAMESPACE = '[^_][^]*[#:/][^]*';
/** Or it says with # that it has none. */
const FIELD = `(?<field>${WITH_NAMESPACE}|#[^]+)`;

/** `http://ns#name`; without #, the name is what follows the last slash or colon, as a CURIE's expansion has it. */
export function keyOfField(text: string): string {
  const hash = text.lastIndexOf('#');
  if (hash >= 0) return fieldKey(text.slice(0, hash), text.slice(hash + 1));
  const end = Math.max(text.lastIndexOf('/'), text.lastIndexOf(':')) + 1;
  return fieldKey(text.slice(0, end), text.slice(end));
}

function rulesOf(family: FieldFamily, inner: boolean): readonly ParameterRule[] {
  const prefix = `${inner ? 'INNER_' : ''}${FIELDS[family].prefix}`;
  const place = `${FIELDS[family].meaning}${inner ? ', at any depth below the top level,' : ''}`;
  const nameOf = (match: RegExpExecArray): string => fieldName(family, inner, keyOfField(group(match, 'field')));
  return [
    {
      name: `EQ_${prefix}*field*`,
      pattern: new RegExp(`^EQ_${prefix}${FIELD}$`),
      type: 'list',
      meaning: `${place} equals one of these: as text, number or time.`,
      read: (match, values) => ({
        criteria: [{ kind: 'text', name: nameOf(match), values: values.map(comparableText) }],
      }),
    },
    {
      name: `GT_, GE_, LT_, LE_${prefix}*field*`,
      pattern: new RegExp(`^(?<operator>GT|GE|LT|LE)_${prefix}${FIELD}$`),
      type: 'text',
      meaning: `${place} compares so with this number or time.`,
      read: (match, [value = '']) => ({ criteria: [comparison(match, nameOf(match), value)] }),
    },
    {
      name: `EXISTS_${prefix}*field*`,
      pattern: new RegExp(`^EXISTS_${prefix}${FIELD}$`),
      type: 'void',
      meaning: `${place} exists.`,
      read: (match) => ({ criteria: [{ kind: 'text', name: nameOf(match), values: [EXISTS] }] }),
    },
  ];
}

function comparison(match: RegExpExecArray, name: string, value: string): Criterion {
  const operator = COMPARISONS[group(match, 'operator') as Operator];
  const number = numberOf(value);
  if (number !== undefined) return { kind: 'number', name, comparison: operator, values: [number] };
  const time = timeOf(value, 'optional');
  if (time === undefined) throw wrongValue(match[0], value, 'a number or a date and time');
  return { kind: 'number', name: timeName(name), comparison: operator, values: [time] };
}

const COLUMNS_WITH_MASTER_DATA: readonly string[] = COLUMNS.filter(([, { hasMasterData }]) => hasMasterData).map(
  ([name]) => name,
);

/** The event's own columns by a sub-query; other fields after a look at the master data. */
function attribute(field: string, attributes: readonly string[], values?: readonly string[]): Partial<QueryPlan> {
  const of = { attributes, ...(values && { values }) };
  if (COLUMNS_WITH_MASTER_DATA.includes(field))
    return { criteria: [{ kind: 'attribute', column: field as Column, ...of }] };
  if (field === 'epcClass') return { attributes: [{ of: CLASS_ROLES, ...of }] };
  return { attributes: [{ of: fieldName('event', false, keyOfField(field)), ...of }] };
}

const ATTRIBUTE_FIELD = `(?<field>${COLUMNS_WITH_MASTER_DATA.join('|')}|epcClass|${WITH_NAMESPACE})`;
// a local name with an underscore cannot be told from an attribute: the first underscore after # ends the field
const EQATTR_FIELD = `(?<field>${COLUMNS_WITH_MASTER_DATA.join('|')}|epcClass|[^#]+#[^_]+)`;

const ATTRIBUTE_RULES: readonly ParameterRule[] = [
  {
    name: 'HASATTR_*field*',
    pattern: new RegExp(`^HASATTR_${ATTRIBUTE_FIELD}$`),
    type: 'list',
    meaning: `Master data of the field's value has one of these attributes; *field* is ${COLUMNS_WITH_MASTER_DATA.join(', ')}, epcClass or an extension field.`,
    read: (match, values) => attribute(group(match, 'field'), values),
  },
  {
    name: 'EQATTR_*field*_*attribute*',
    pattern: new RegExp(`^EQATTR_${EQATTR_FIELD}_(?<attribute>.+)$`),
    type: 'list',
    meaning: "Master data of the field's value has this attribute with one of these values.",
    read: (match, values) => attribute(group(match, 'field'), [group(match, 'attribute')], values),
  },
];

/** Longer prefixes first: EQ_INNER_ILMD_… is no field INNER_ILMD_… of the event. */
const FAMILIES = FIELD_FAMILIES.toSorted((a, b) => FIELDS[b].prefix.length - FIELDS[a].prefix.length);

export const FIELD_RULES: readonly ParameterRule[] = [
  ...FAMILIES.flatMap((family) => rulesOf(family, true)),
  ...ATTRIBUTE_RULES,
  ...FAMILIES.flatMap((family) => rulesOf(family, false)),
];

/** The classes whose master data has the attribute. */
export const classCriterion = (roles: number, ids: readonly string[]): Criterion => ({
  kind: 'epc',
  roles,
  patterns: ids.map((id) => epcPattern(id, 'class')),
});
