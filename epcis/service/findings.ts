// What is wrong with a document, for people and programs: each fault with its place, the name of its rule and a hint. Faults are told apart
// by their sentences, which a test holds against the readers.
import type { EpcisException } from '../domain/exceptions.ts';

export interface Finding {
  readonly rule: string;
  /** A warning is of a check of the operator's, and refuses nothing. */
  readonly severity: 'error' | 'warning';
  /** `line 12`, or a JSON pointer; absent where it is about the document as such. */
  readonly at?: string;
  readonly reason: string;
  readonly hint: string;
}

export interface Report {
  readonly valid: boolean;
  /** Right ones, that is. */
  readonly events: number;
  readonly vocabularyElements: number;
  readonly findings: readonly Finding[];
  /** Whether there were more findings than a report holds. */
  readonly more: boolean;
}

interface Rule {
  readonly name: string;
  readonly says: RegExp;
  readonly hint: string;
}

/** The first whose sentence it is. */
const RULES: readonly Rule[] = [
  {
    name: 'well-formed',
    says: /not well-formed|not valid JSON|not valid UTF-8|DOCTYPE|nothing but|^text ‘|ends? (?:before|inside|too)/,
    hint: 'The document cannot be read from here on; put this right first.',
  },
  {
    name: 'type',
    says: /is no (?:number|array|object)$|not a string$|neither true nor false|not hexadecimal/,
    hint: 'The value is of another kind than the standard has here.',
  },
  {
    name: 'uri',
    says: /is no URI$/,
    hint: 'Write an identifier as a URI: urn:epc:id:sgtin:0614141.107346.2017, or a GS1 Digital Link.',
  },
  { name: 'time', says: /no date and time/, hint: 'Write 2024-05-17T10:30:00.000+02:00, or Z for UTC.' },
  {
    name: 'offset',
    says: /is not like \+02:00/,
    hint: 'eventTimeZoneOffset is what local clocks showed: +hh:mm or -hh:mm.',
  },
  {
    name: 'action',
    says: /none of ADD, OBSERVE, DELETE|only with action/,
    hint: 'ADD begins, OBSERVE sees, DELETE ends.',
  },
  {
    name: 'vocabulary',
    says: /neither a word|no word of/,
    hint: 'Use a bare word of CBV 2.0, such as shipping, or a URI of your own.',
  },
  {
    name: 'unit',
    says: /unit/,
    hint: 'A unit is a code of UNECE recommendation 20, such as KGM, and comes with a quantity.',
  },
  { name: 'quantity', says: /whole number|quantity/, hint: 'Without a unit a quantity counts pieces.' },
  {
    name: 'order',
    says: /must come before|stands twice|must stand before|given twice|twice/,
    hint: "Each element once, in the order of the standard's schema.",
  },
  {
    name: 'event-type',
    says: /event type/,
    hint: 'One of the standard, or of a namespace of your own that is declared.',
  },
  {
    name: 'unknown',
    says: /unknown|no field|is no EPCIS document|without a namespace| in [A-Z]\w+List/,
    hint: 'Names of your own need a namespace: declare a prefix in @context or by xmlns.',
  },
  {
    name: 'required',
    says: /lacks|missing|needs|is empty|has no |sets and unsets nothing/,
    hint: 'The standard asks for it; an empty element counts as absent.',
  },
];

const OTHER = { name: 'document', hint: 'See what the standard says of this place.' };

export const RULE_NAMES: readonly string[] = [...RULES, OTHER].map(({ name }) => name);

export function findingOf({ message, at, broken }: EpcisException, severity: Finding['severity'] = 'error'): Finding {
  const reason = at === undefined ? message : message.slice(0, -` (${at})`.length);
  const { name, hint } = RULES.find(({ says }) => says.test(reason)) ?? OTHER;
  const told = { rule: broken?.rule ?? name, severity, ...(at !== undefined && { at }), reason };
  return { ...told, hint: broken?.hint ?? hint };
}
