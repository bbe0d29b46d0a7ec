// Many rules as few conditions. A hundred rules that each name a place are one look into a list of a hundred places; rules that
// differ in one of several conditions share the others.
//
// Worked example: (shipping, owner A), (shipping, owner B), (place 1), (place 2) are two: (shipping, owner A or B), (place 1 or 2).
import type { Alternatives, Criterion } from '../../service/criteria.ts';

export function merged(alternatives: Alternatives): Alternatives {
  return united(factored(flat(alternatives)));
}

/** What is nothing but alternatives stands for these. */
function flat(alternatives: Alternatives): Alternatives {
  return alternatives.flatMap((criteria) => {
    const [only] = criteria;
    return criteria.length === 1 && only?.kind === 'anyOf' ? flat(only.of) : [criteria];
  });
}

/** (A, X) or (A, Y) is A and one of X, Y. */
function factored(alternatives: Alternatives): Alternatives {
  const groups = new Map<string, { readonly shared: readonly Criterion[]; readonly differs: Criterion[] }>();
  const candidates = alternatives.map((criteria) =>
    criteria.length < 2 ? [] : criteria.map((differs, n) => ({ differs, shared: criteria.toSpliced(n, 1) })),
  );
  const counts = new Map<string, number>();
  for (const { shared } of candidates.flat()) counts.set(keyOf(shared), (counts.get(keyOf(shared)) ?? 0) + 1);
  const others: (readonly Criterion[])[] = [];
  for (const [n, criteria] of alternatives.entries()) {
    const [best] = (candidates[n] ?? []).toSorted(
      (a, b) => (counts.get(keyOf(b.shared)) ?? 0) - (counts.get(keyOf(a.shared)) ?? 0),
    );
    const key = best && keyOf(best.shared);
    if (best === undefined || key === undefined || (counts.get(key) ?? 0) < 2) others.push(criteria);
    else groups.set(key, { shared: best.shared, differs: [...(groups.get(key)?.differs ?? []), best.differs] });
  }
  const joined = [...groups.values()].map(({ shared, differs }) => [
    ...shared,
    oneOf(merged(differs.map((each) => [each]))),
  ]);
  return [...others, ...joined];
}

const keyOf = (criteria: readonly Criterion[]): string =>
  JSON.stringify(criteria, (_, value: unknown) => (typeof value === 'symbol' ? String(value) : value));

function oneOf(alternatives: Alternatives): Criterion {
  const [only] = alternatives;
  const [criterion] = only ?? [];
  return criterion && alternatives.length === 1 && only?.length === 1 ? criterion : { kind: 'anyOf', of: alternatives };
}

/** Alternatives of one criterion each, on the same column or text, become one with all values. */
function united(alternatives: Alternatives): Alternatives {
  const lists = new Map<string, Criterion>();
  const others: (readonly Criterion[])[] = [];
  for (const criteria of alternatives) {
    const [only] = criteria;
    const key = only && criteria.length === 1 ? listOf(only) : undefined;
    if (only === undefined || key === undefined) others.push(criteria);
    else lists.set(key, union(lists.get(key), only));
  }
  return [...[...lists.values()].map((criterion) => [criterion]), ...others];
}

function listOf(criterion: Criterion): string | undefined {
  switch (criterion.kind) {
    case 'column':
    case 'within':
      return `${criterion.kind} ${criterion.column}`;
    case 'text':
      return `text ${criterion.name}`;
    case 'epc':
      return `epc ${criterion.roles}`;
    default:
      return undefined;
  }
}

/** Of two criteria with the same key. */
function union(one: Criterion | undefined, other: Criterion): Criterion {
  if (one === undefined) return other;
  if (one.kind === 'within' && other.kind === 'within')
    return { ...one, roots: [...new Set([...one.roots, ...other.roots])] };
  if (one.kind === 'epc' && other.kind === 'epc') return { ...one, patterns: [...one.patterns, ...other.patterns] };
  if ((one.kind === 'column' && other.kind === 'column') || (one.kind === 'text' && other.kind === 'text'))
    return { ...one, values: [...new Set([...one.values, ...other.values])] };
  return one;
}
