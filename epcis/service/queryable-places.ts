// Where in an event an EPC or an EPC class can stand, one entry each, and the MATCH_ parameters that look there. A place is
// one bit of `event_epc.roles`, so that one row names all places of one EPC; a bit that was given is never changed nor given
// again, for repositories hold it (16 bits, of which the last is a sign: 1 to 16,384).
import type { EpcisEvent, QuantityElement } from '../domain/event.ts';

export interface PlaceFact {
  readonly stored: number;
  readonly what: 'instance' | 'class';
  readonly of: (event: EpcisEvent) => readonly string[] | undefined;
}

const classes = (list: readonly QuantityElement[] | undefined): readonly string[] | undefined =>
  list?.map(({ epcClass }) => epcClass);

export const PLACE_FACTS = {
  epcList: { stored: 1, what: 'instance', of: ({ epcList }) => epcList },
  childEPCs: { stored: 2, what: 'instance', of: ({ childEPCs }) => childEPCs },
  parentID: { stored: 4, what: 'instance', of: ({ parentID }) => (parentID === undefined ? undefined : [parentID]) },
  inputEPCList: { stored: 8, what: 'instance', of: ({ inputEPCList }) => inputEPCList },
  outputEPCList: { stored: 16, what: 'instance', of: ({ outputEPCList }) => outputEPCList },
  quantityList: {
    stored: 32,
    what: 'class',
    // a QuantityEvent has a class and no list
    of: ({ quantityList, epcClass }) => (epcClass === undefined ? classes(quantityList) : [epcClass]),
  },
  childQuantityList: { stored: 64, what: 'class', of: (event) => classes(event.childQuantityList) },
  inputQuantityList: { stored: 128, what: 'class', of: (event) => classes(event.inputQuantityList) },
  outputQuantityList: { stored: 256, what: 'class', of: (event) => classes(event.outputQuantityList) },
} as const satisfies Readonly<Record<string, PlaceFact>>;

export type PlaceName = keyof typeof PLACE_FACTS;

export const PLACES: readonly PlaceFact[] = Object.values(PLACE_FACTS);

const rolesOf = (places: readonly PlaceFact[]): number => places.reduce((roles, { stored }) => roles | stored, 0);

/** The roles of instances: 1 + 2 + 4 + 8 + 16 = 31. */
export const INSTANCE_ROLES = rolesOf(PLACES.filter(({ what }) => what === 'instance'));
/** The roles of classes: 32 + 64 + 128 + 256 = 480. */
export const CLASS_ROLES = rolesOf(PLACES.filter(({ what }) => what === 'class'));

export interface MatchFact {
  readonly parameter: string;
  readonly what: PlaceFact['what'];
  readonly roles: number;
  readonly meaning: string;
}

export const rolesAt = (...names: readonly PlaceName[]): number => rolesOf(names.map((name) => PLACE_FACTS[name]));

export const MATCH_FACTS: readonly MatchFact[] = [
  {
    parameter: 'MATCH_epc',
    what: 'instance',
    roles: rolesAt('epcList', 'childEPCs'),
    meaning: 'An EPC (or pattern) in `epcList` or `childEPCs`.',
  },
  { parameter: 'MATCH_parentID', what: 'instance', roles: rolesAt('parentID'), meaning: 'The parent (or pattern).' },
  {
    parameter: 'MATCH_inputEPC',
    what: 'instance',
    roles: rolesAt('inputEPCList'),
    meaning: 'An EPC (or pattern) in `inputEPCList`.',
  },
  {
    parameter: 'MATCH_outputEPC',
    what: 'instance',
    roles: rolesAt('outputEPCList'),
    meaning: 'An EPC (or pattern) in `outputEPCList`.',
  },
  {
    parameter: 'MATCH_anyEPC',
    what: 'instance',
    roles: INSTANCE_ROLES,
    meaning: 'An EPC (or pattern) in any of these five places.',
  },
  {
    parameter: 'MATCH_epcClass',
    what: 'class',
    roles: rolesAt('quantityList', 'childQuantityList'),
    meaning: 'A class (or pattern) in `quantityList`, `childQuantityList` or a QuantityEvent.',
  },
  {
    parameter: 'MATCH_inputEPCClass',
    what: 'class',
    roles: rolesAt('inputQuantityList'),
    meaning: 'A class (or pattern) in `inputQuantityList`.',
  },
  {
    parameter: 'MATCH_outputEPCClass',
    what: 'class',
    roles: rolesAt('outputQuantityList'),
    meaning: 'A class (or pattern) in `outputQuantityList`.',
  },
  {
    parameter: 'MATCH_anyEPCClass',
    what: 'class',
    roles: CLASS_ROLES,
    meaning: 'A class (or pattern) in any of these places.',
  },
];
