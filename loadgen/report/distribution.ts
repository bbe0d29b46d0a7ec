// How long requests took, policy by policy: what a mean and three percentiles don't show.
import { strokeOf, type Figure } from './figure.ts';
import type { Run } from './raw.ts';
import type { Cell } from './results.ts';

const POINTS = 120;
const ACROSS = 'time to the last byte of the answer (ms)';
const UP = 'answered within (% of the requests sent)';
/** Times the objective: what is slower is late, however late. */
const FARTHEST = 5;

/** None where the runs have kept no distribution. */
export function distributionFigure(profile: string, cells: readonly Cell[]): readonly Figure[] {
  const known = cells.filter(({ runs }) => runs.every(({ info }) => info.result.distribution !== undefined));
  const objective = known[0]?.runs[0]?.info.objective;
  if (objective === undefined) return [];
  const slowest = Math.max(...known.flatMap(({ runs }) => runs.map(({ info }) => info.result.latency.p99)));
  const end = Math.max(objective.ms * 1.2, Math.min(slowest, objective.ms * FARTHEST));
  const x = Array.from({ length: POINTS + 1 }, (_, i) => (i * end) / POINTS);
  return [
    {
      id: `distribution-${profile}`,
      title: `${profile} load: how long requests took`,
      caption:
        `Of all requests that were sent, those answered within so many ms; what was lost is never answered, so a line ends below 100 %. ` +
        `The objective: ${100 * objective.share} % within ${objective.ms} ms. The band goes from the lowest to the highest repetition.`,
      xTitle: ACROSS,
      x,
      panels: [
        {
          title: UP,
          lines: cells.flatMap((cell, i) => {
            if (!known.includes(cell)) return [];
            const each = x.map((ms) => cell.runs.map((run) => answeredWithin(run, ms)));
            const line = { name: cell.policy, ...strokeOf(i), y: each.map(meanOf) };
            if (cell.runs.length < 2) return [line];
            return [{ ...line, low: each.map((all) => Math.min(...all)), high: each.map((all) => Math.max(...all)) }];
          }),
          marks: [{ label: `${100 * objective.share} %`, y: 100 * objective.share }],
          uprights: [{ label: `${objective.ms} ms`, x: objective.ms }],
        },
      ],
    },
  ];
}

const meanOf = (all: readonly number[]): number => all.reduce((sum, value) => sum + value, 0) / all.length;

/**
 * Per cent of the requests sent, straight lines between the percentiles that are kept. Worked: 300 of 400 answered, 1 % of them
 * within 10 ms and 2 % within 20: within 15 ms 1.5 % of 300, which are 1.125 % of 400.
 */
export const answeredWithin = ({ info: { result } }: Run, ms: number): number =>
  within(result.distribution ?? [], result.ok, result.sent, ms);

function within(distribution: readonly number[], ok: number, sent: number, ms: number): number {
  const next = distribution.findIndex((each) => each > ms);
  const to = distribution[next] ?? 0;
  const from = distribution[next - 1] ?? 0;
  const percent = next < 0 ? distribution.length : next + (ms - from) / (to - from);
  return sent === 0 ? 0 : (percent * ok) / sent;
}

/** The same of a single load, up to what 99 % took. */
export function distributionOf(
  id: string,
  sent: number,
  ok: number,
  { distribution, latency }: { readonly distribution: readonly number[]; readonly latency: { readonly p99: number } },
): readonly Figure[] {
  if (distribution.length === 0) return [];
  const x = Array.from({ length: POINTS + 1 }, (_, i) => (i * latency.p99) / POINTS);
  const y = x.map((ms) => within(distribution, ok, sent, ms));
  return [
    {
      ...{ id: `distribution-${id}`, title: 'How long requests took', x, xTitle: ACROSS },
      caption:
        'Of all requests that were sent, those answered within so many ms, up to what 99 % of the answers took. What was lost is never answered.',
      panels: [{ title: UP, lines: [{ name: 'answered', ...strokeOf(0), y }] }],
    },
  ];
}
