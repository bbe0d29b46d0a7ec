// The rules that a document can break, by the names that programs know them by, each with a hint for people.

export const RULE_HINTS = {
  'well-formed': 'The document cannot be read from here on; put this right first.',
  type: 'The value is of another kind than the standard has here.',
  uri: 'Write an identifier as a URI: urn:epc:id:sgtin:0614141.107346.2017, or a GS1 Digital Link.',
  time: 'Write 2024-05-17T10:30:00.000+02:00, or Z for UTC.',
  offset: 'eventTimeZoneOffset is what local clocks showed: +hh:mm or -hh:mm.',
  action: 'ADD begins, OBSERVE sees, DELETE ends.',
  vocabulary: 'Use a bare word of CBV 2.0, such as shipping, or a URI of your own.',
  unit: 'A unit is a code of UNECE recommendation 20, such as KGM, and comes with a quantity.',
  quantity: 'Without a unit a quantity counts pieces.',
  order: "Each element once, in the order of the standard's schema.",
  'event-type': 'One of the standard, or of a namespace of your own that is declared.',
  unknown: 'Names of your own need a namespace: declare a prefix in @context or by xmlns.',
  required: 'The standard asks for it; an empty element counts as absent.',
  document: 'See what the standard says of this place.',
} as const;

export type DocumentRule = keyof typeof RULE_HINTS;

export const RULE_NAMES = Object.keys(RULE_HINTS) as readonly DocumentRule[];

export const isDocumentRule = (name: string): name is DocumentRule => Object.hasOwn(RULE_HINTS, name);
