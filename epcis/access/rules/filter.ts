// Which events a rule is about, by the query parameters of the one registry and some words of its own.
import { epcPattern, likePattern, type KeyPattern } from '../../domain/epc-pattern.ts';
import { epcKey } from '../../domain/epc.ts';
import { EpcisException } from '../../domain/exceptions.ts';
import { parseDuration } from '../../domain/quantity.ts';
import { cbvUri } from '../../domain/cbv.ts';
import type { Alternatives, Criterion } from '../../service/criteria.ts';
import { planEvents } from '../../service/parameters.ts';
import { CLASS_ROLES, INSTANCE_ROLES } from '../../service/queryable-places.ts';
import { each, fail, isRecord, textsOf, type Place } from './document.ts';
import { readScope } from './read-scope.ts';
import type { CaptureFilter, Filter } from './rule.ts';

type Members = Readonly<Record<string, unknown>>;
type Conditions = (now: number) => readonly Criterion[];

const EVERYTHING: Alternatives = [[]];

/** `everything`, one set of conditions that all hold, or a list of such sets of which one holds. */
export function filterOf(given: unknown, place: Place): Filter {
  if (given === 'everything') return () => EVERYTHING;
  const sets = each(given, place, (set, at) => {
    if (!isRecord(set)) return fail(at, 'must be everything, or query parameters with their values');
    return conditionsOf(set, at);
  });
  return unchanged(sets, (each) => each);
}

function conditionsOf(set: Members, place: Place): Conditions {
  const names = Object.keys(set);
  if (names.length === 0) return fail(place, 'has no condition: write everything where that is meant');
  const parts = names.map((name) => conditionOf(name, textsOf(set[name], `${place}.${name}`), `${place}.${name}`));
  return unchanged(parts, (each) => each.flat());
}

/** The same list as long as its parts are the same, so that what was made of it can be found again. */
function unchanged<P, T>(parts: readonly ((now: number) => P)[], make: (parts: readonly P[]) => T): (now: number) => T {
  let last: { readonly of: readonly P[]; readonly made: T } | undefined;
  return (now) => {
    const of = parts.map((part) => part(now));
    if (last === undefined || of.some((part, n) => part !== last?.of[n])) last = { of, made: make(of) };
    return last.made;
  };
}

function conditionOf(name: string, values: readonly string[], place: Place): Conditions {
  const word = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  if (word !== undefined) {
    const criterion = word(values);
    return () => [criterion];
  }
  if (!values.some(isRelative)) {
    const criteria = planned(name, values, place);
    return () => criteria;
  }
  planned(
    name,
    values.map((value) => absolute(value, 0, place)),
    place,
  );
  return (now) =>
    planned(
      name,
      values.map((value) => absolute(value, now, place)),
      place,
    );
}

function planned(name: string, values: readonly string[], place: Place): readonly Criterion[] {
  const isVoid = name.startsWith('EXISTS_') && values.length === 1 && values[0] === 'true';
  try {
    const { criteria, attributes, ...control } = planEvents([{ name, values: isVoid ? [] : values }]);
    if (Object.keys(control).length > 0) fail(place, 'is about the order or number of results, not about events');
    if (attributes.length > 0) fail(place, 'asks for master data of an extension, which rules cannot');
    return criteria;
  } catch (error) {
    if (error instanceof EpcisException) return fail(place, `is wrong: ${error.message.replace(/\.$/, '')}`);
    throw error;
  }
}

/** Words of rules for what would take several parameters, of which one must hold. */
const WORDS: Readonly<Record<string, (values: readonly string[]) => Criterion>> = {
  /** An EPC or a class, wherever it stands: who may capture may also put a class among EPCs, or an EPC where a class belongs. */
  epc: (values) => ({ kind: 'epc', roles: INSTANCE_ROLES | CLASS_ROLES, patterns: values.flatMap(ofEither) }),
  /** Where it was read or is expected to be, or below that by master data. */
  location: (roots) =>
    oneOf([
      { kind: 'within', column: 'readPoint', roots },
      { kind: 'within', column: 'bizLocation', roots },
    ]),
  /** Source or destination of this owning party. */
  owner: (values) => oneOf(parties(['owning_party'], values)),
  /** Source or destination of this owning or possessing party, or location. */
  party: (values) => oneOf(parties(['owning_party', 'possessing_party', 'location'], values)),
};

function ofEither(value: string): readonly KeyPattern[] {
  const [one, other] = [epcPattern(value, 'instance'), epcPattern(value, 'class')];
  return likePattern(one.parts) === likePattern(other.parts) ? [one] : [one, other];
}

const oneOf = (criteria: readonly Criterion[]): Criterion => ({ kind: 'anyOf', of: criteria.map((each) => [each]) });

function parties(types: readonly string[], values: readonly string[]): readonly Criterion[] {
  return ['source', 'destination'].flatMap((list) =>
    types.map((type): Criterion => ({
      kind: 'text',
      name: `${list}_${cbvUri('sourceDestination', type) ?? type}`,
      values: values.map(epcKey),
    })),
  );
}

const isRelative = (value: string): boolean => /^now\b/.test(value);

/** now-30d at 2026-01-31 is 2026-01-01. */
function absolute(value: string, now: number, place: Place): string {
  const [, sign, duration = ''] = /^now(?:([+-])(.+))?$/.exec(value) ?? [];
  const ms = value === 'now' ? 0 : (parseDuration(duration) ?? NaN);
  const at = new Date(now + (sign === '-' ? -ms : ms));
  if (!(at.getUTCFullYear() > 0 && at.getUTCFullYear() < 9999))
    return fail(place, `has '${value}': write now-30d, with s, m, h or d`);
  return at.toISOString();
}

/** What a client may capture: like what it may see, but without master data, which is known only to the repository. */
export function captureFilter(given: unknown, place: Place): CaptureFilter {
  if (given === 'everything') return { events: () => EVERYTHING, masterData: {} };
  if (!isRecord(given)) return fail(place, 'must be everything, or query parameters with their values');
  const { everyEPC, masterData, ...set } = given;
  const isEmpty = Object.keys(set).length === 0;
  if (isEmpty && everyEPC === undefined) {
    if (masterData === undefined) return fail(place, 'has no condition: write everything where that is meant');
    return { events: () => [], masterData: captureScope(masterData, `${place}.masterData`) };
  }
  const events = isEmpty ? (): Alternatives => EVERYTHING : filterOf(set, place);
  refuseMasterData(events(0), place);
  return {
    events,
    ...(everyEPC !== undefined && { everyEpc: textsOf(everyEPC, `${place}.everyEPC`) }),
    ...(masterData !== undefined && { masterData: captureScope(masterData, `${place}.masterData`) }),
  };
}

function captureScope(given: unknown, place: Place): NonNullable<CaptureFilter['masterData']> {
  const scope = readScope(given, place);
  if (scope.within !== undefined) fail(`${place}.WD_name`, 'cannot be told of what is not yet captured: use EQ_name');
  return scope;
}

function refuseMasterData(alternatives: Alternatives, place: Place): void {
  for (const criterion of alternatives.flat()) {
    if (criterion.kind === 'within' || criterion.kind === 'attribute')
      fail(
        place,
        'asks for master data (WD_, HASATTR_, EQATTR_, location), which is not known of what is to be captured',
      );
    if (criterion.kind === 'anyOf' || criterion.kind === 'noneOf') refuseMasterData(criterion.of, place);
    if (criterion.kind === 'time' && criterion.column === 'recordTime')
      fail(place, 'asks for the record time, which what is to be captured does not have yet');
  }
}
