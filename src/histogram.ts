// How often which times were: counts by powers of 2^¼, so that percentiles of any two spans can be put together, within a tenth.
const STEPS = 4;
/** 2^(91/4) ms are two hours. */
export const BUCKETS = 92;

/** Of a time in ms: 0 for all below 1 ms. */
export const bucketOf = (ms: number): number =>
  ms < 1 ? 0 : Math.min(BUCKETS - 1, 1 + Math.floor(STEPS * Math.log2(ms)));

/** All in this bucket and those before it are below that, in ms. */
export const upTo = (bucket: number): number => 2 ** (bucket / STEPS);

/** The middle of a bucket, in ms: as many digits as it is good for. */
const middle = (bucket: number): number =>
  bucket === 0 ? 0.5 : Number((2 ** ((bucket - 0.5) / STEPS)).toPrecision(3));

/** Buckets that have any, with their counts: short enough for a journal. */
export type Counts = readonly (readonly [bucket: number, count: number])[];

/** What came between two readings. */
export const countsBetween = (before: readonly number[], after: readonly number[]): Counts =>
  after.flatMap((count, bucket) => {
    const more = count - (before[bucket] ?? 0);
    return more > 0 ? [[bucket, more] as const] : [];
  });

export function addCounts(a: Counts, b: Counts): Counts {
  const sums = new Map(a);
  for (const [bucket, count] of b) sums.set(bucket, (sums.get(bucket) ?? 0) + count);
  return [...sums].sort(([one], [other]) => one - other);
}

/** The time that a share of all is below, in ms; undefined without any. Worked: of [[5, 90], [9, 10]] p95 is in bucket 9. */
export function percentile(counts: Counts, share: number): number | undefined {
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [bucket, count] of counts) {
    seen += count;
    if (seen >= share * all) return middle(bucket);
  }
  return undefined;
}
