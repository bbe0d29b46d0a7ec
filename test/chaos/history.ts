// What clients did and saw, and whether the standard allows it: a capture acknowledged before a query began is seen by it, what was
// seen stays, pages neither lose nor double. Pure; times are ms of one clock.
export interface Capture {
  readonly kind: 'capture';
  readonly shelf: string;
  /** EPCs that no other capture has. */
  readonly ids: readonly string[];
  readonly began: number;
  readonly ended: number;
  /** False: its client doesn't know whether it took effect. */
  readonly acknowledged: boolean;
}

/** One that was answered to its last page. */
export interface Query {
  readonly kind: 'query';
  readonly shelf: string;
  readonly began: number;
  readonly ended: number;
  readonly pages: readonly (readonly string[])[];
}

export type Operation = Capture | Query;

export interface Finding {
  readonly what: 'lost' | 'wrong' | 'doubled';
  readonly sentence: string;
}

/** `lag`: what queries read from may be so many ms behind. */
export function checkHistory(history: readonly Operation[], lag = 0): Finding[] {
  return [...Map.groupBy(history, ({ shelf }) => shelf).values()].flatMap((one) => checkShelf(one, lag));
}

function checkShelf(history: readonly Operation[], lag: number): Finding[] {
  const captures = history.filter((one) => one.kind === 'capture');
  const queries = history.filter((one) => one.kind === 'query').sort((a, b) => a.began - b.began);
  const captureOf = new Map(captures.flatMap((one) => one.ids.map((id) => [id, one] as const)));
  const seen = firstSeen(queries);
  return queries.flatMap((query) => checkQuery(query, { captureOf, seen, lag }));
}

/** When the first query that saw it had ended. */
function firstSeen(queries: readonly Query[]): Map<string, number> {
  const seen = new Map<string, number>();
  for (const { pages, ended } of queries) {
    for (const id of pages.flat()) seen.set(id, Math.min(seen.get(id) ?? Infinity, ended));
  }
  return seen;
}

interface Shelf {
  readonly captureOf: ReadonlyMap<string, Capture>;
  /** When the first query that saw it had ended. */
  readonly seen: ReadonlyMap<string, number>;
  readonly lag: number;
}

function checkQuery({ pages, began, ended, shelf }: Query, { captureOf, seen, lag }: Shelf): Finding[] {
  const findings: Finding[] = [];
  const add = (what: Finding['what'], sentence: string) => findings.push({ what, sentence: `${shelf}: ${sentence}` });
  const result = new Set<string>();
  for (const id of pages.flat()) {
    if (result.has(id)) add('doubled', `${id} is in the pages of one query twice`);
    result.add(id);
    const capture = captureOf.get(id);
    if (capture === undefined) add('wrong', `${id} was captured by nobody`);
    else if (capture.began > ended) add('wrong', `${id} was seen before it was sent`);
  }
  for (const [id, capture] of captureOf) {
    if (result.has(id)) continue;
    if (capture.acknowledged && capture.ended + lag < began)
      add('lost', `${id} was acknowledged before, and is not seen`);
    else if ((seen.get(id) ?? Infinity) + lag < began) add('lost', `${id} was seen before, and is not any more`);
  }
  return findings;
}

/** What is stored at the end, by an independent reader: how often each. */
export function checkStored(history: readonly Operation[], stored: ReadonlyMap<string, number>): Finding[] {
  const findings: Finding[] = [];
  const sent = new Set<string>();
  for (const one of history) {
    if (one.kind === 'query') continue;
    for (const id of one.ids) {
      sent.add(id);
      if (one.acknowledged && !stored.has(id)) {
        findings.push({ what: 'lost', sentence: `${id} was acknowledged, and is not stored` });
      }
    }
  }
  for (const [id, count] of stored) {
    if (!sent.has(id)) findings.push({ what: 'wrong', sentence: `${id} is stored, and was sent by nobody` });
    if (count > 1) findings.push({ what: 'doubled', sentence: `${id} is stored ${count} times` });
  }
  return findings;
}

/** What one door shows at the end of what is stored: all of it, and nothing else. */
export function checkShown(door: string, stored: Iterable<string>, shown: readonly string[]): Finding[] {
  const [all, seen] = [new Set(stored), new Set<string>()];
  const findings: Finding[] = [];
  for (const id of shown) {
    if (!all.has(id)) findings.push({ what: 'wrong', sentence: `${id} is shown by ${door}, and is not stored` });
    if (seen.has(id)) findings.push({ what: 'doubled', sentence: `${id} is shown by ${door} twice` });
    seen.add(id);
  }
  for (const id of all)
    if (!seen.has(id)) findings.push({ what: 'lost', sentence: `${id} is stored, and not shown by ${door}` });
  return findings;
}

/** What a subscriber got, page by page, of what is stored: all of it, once. A page that comes again has its old key. */
export function checkDelivered(
  stored: Iterable<string>,
  delivered: readonly { readonly key: string; readonly ids: readonly string[] }[],
): Finding[] {
  const keyOf = new Map<string, string>();
  const findings: Finding[] = [];
  for (const { key, ids } of delivered) {
    for (const id of ids) {
      const before = keyOf.get(id);
      if (before !== undefined && before !== key) {
        findings.push({ what: 'doubled', sentence: `${id} was delivered in two pages` });
      }
      keyOf.set(id, key);
    }
  }
  for (const id of stored) {
    if (!keyOf.has(id)) findings.push({ what: 'lost', sentence: `${id} is stored, and was not delivered` });
  }
  return findings;
}

/** What was acknowledged before another capture began was delivered before it, or in the same page. */
export function checkDeliveredInOrder(
  history: readonly Operation[],
  delivered: readonly { readonly ids: readonly string[] }[],
): Finding[] {
  const pageOf = new Map<string, number>();
  delivered.forEach(({ ids }, page) => {
    for (const id of ids) if (!pageOf.has(id)) pageOf.set(id, page);
  });
  const captures = history
    .filter((one) => one.kind === 'capture')
    .flatMap(({ ids, ...one }) => ids.map((id) => ({ ...one, id, page: pageOf.get(id) ?? NaN })))
    .filter(({ page }) => !Number.isNaN(page));
  const acknowledged = captures.filter((one) => one.acknowledged).sort((a, b) => a.ended - b.ended);
  const findings: Finding[] = [];
  let last: (typeof acknowledged)[number] | undefined;
  let n = 0;
  for (const one of captures.sort((a, b) => a.began - b.began)) {
    for (let before = acknowledged[n]; before !== undefined && before.ended < one.began; before = acknowledged[++n])
      if (last === undefined || before.page > last.page) last = before;
    if (last !== undefined && last.page > one.page)
      findings.push({ what: 'wrong', sentence: `${one.id} was delivered before ${last.id}, which was captured first` });
  }
  return findings;
}
