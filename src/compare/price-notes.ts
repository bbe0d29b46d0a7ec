// What to know of recorded prices before one believes what was made of them.
import type { Millis } from '../model.ts';
import { commonTime, type MarketSettings } from '../simulate/simulated-market.ts';

const DAY = 86_400_000;
/** Clouds tell of a price once a day where it doesn't move. */
const GAP_MS = 7 * DAY;

/** Which time is played, who bounds it, where nothing was recorded for long, and of which regions they are. */
export function notesOn(prices: MarketSettings['prices'], duration?: Millis): readonly string[] {
  const { from, to } = commonTime(prices);
  const played =
    duration === undefined || duration >= to - from
      ? ''
      : ` Of these the first ${+(duration / DAY).toFixed(1)} days were played.`;
  const day = (at: Millis): string => new Date(at).toISOString().slice(0, 10);
  const last = prices.find(({ points }) => points[0]?.at === from)?.pool;
  const first = prices.find(({ points }) => points.at(-1)?.at === to)?.pool;
  const gaps = prices.flatMap(({ pool, points }) => {
    const longest = points
      .slice(1)
      .reduce(
        (most, { at }, i) =>
          at - (points[i]?.at ?? at) > most.ms ? { ms: at - (points[i]?.at ?? at), from: points[i]?.at ?? at } : most,
        { ms: GAP_MS, from: 0 },
      );
    return longest.from === 0 ? [] : [`${pool} for ${Math.round(longest.ms / DAY)} days from ${day(longest.from)} on`];
  });
  return [
    `Prices from ${day(from)} to ${day(to)}, which all pools have: ${last} begins last, ${first} ends first.${played}` +
      (gaps.length === 0 ? '' : ` Nothing was recorded of ${gaps.join(', ')}: the price before is taken to have held.`),
    ...regionNotes(prices),
  ];
}

/** Where the table of on-demand prices is of another region it is the caller's to say so: he knows whose it is. */
function regionNotes(prices: MarketSettings['prices']): readonly string[] {
  const regions = regionsOf(prices);
  return regions.length < 2 ? [] : [`The pools are of several regions, ${regions.join(', ')}: a fleet on EC2 has one.`];
}

/** us-east-1a/m3.medium is of us-east-1; pools of others than AWS have none. */
export const regionsOf = (prices: MarketSettings['prices']): readonly string[] => [
  ...new Set(prices.flatMap(({ pool }) => /^[a-z]{2}(?:-[a-z]+)+-\d/.exec(pool)?.[0] ?? [])),
];
