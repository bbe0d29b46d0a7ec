// A simulation as text: a summary for people, and the timeline as CSV.
import type { Measures } from './measures.ts';
import type { SimulatedPeriod, SimulationResult } from './simulate.ts';
import type { MarketOutcome } from './simulated-market.ts';
import type { PackingOutcome } from './simulated-packing.ts';

export function summaryText({ measures, traffic, parameters, timeline, market, packing }: SimulationResult): string {
  const most = timeline.reduce((highest, { ready }) => Math.max(highest, ready), 0);
  const { policy, min, max } = parameters;
  const simulatedAs = traffic === 'fluid' ? 'as a fluid' : 'request by request';
  return [
    `${policy}, ${min} to ${max} VMs, ${time(measures.minutes)}, ${simulatedAs}; at most ${show(most)} VMs were ready.`,
    '',
    ...[...rows(measures), ...(market ? marketRows(market) : []), ...(packing ? packingRows(packing) : [])].map(
      ([name, value]) => `${name.padEnd(28)}${value}`,
    ),
    '',
  ].join('\n');
}

function rows(m: Measures): readonly (readonly [string, string])[] {
  const known: readonly (readonly [string, number | string | undefined, string])[] = [
    ['requests', Math.round(m.requests), ''],
    ['throughput', m.throughput, ' a second'],
    ['response', m.responseMs === undefined ? undefined : milliseconds(m.responseMs), ''],
    ['violations of the objective', m.violationsPercent, ' %'],
    ['lost', m.lossPercent, ' %'],
    ['Apdex', m.apdex, ''],
    ['saturated', time(m.saturatedMinutes), ''],
    ['energy', m.energy, ' VM-minutes'],
    ['VM-hours', m.vmHours, ''],
    ['scaling actions', m.actions, ''],
    ['mean LP', m.meanLp, ''],
    ['theta under, over', m.thetaUnder, ` %, ${few(m.thetaOver ?? 0)} %`],
    ['tau under, over', m.tauUnder, ` %, ${few(m.tauOver ?? 0)} %`],
    ['instability', m.instability, ' %'],
  ];
  return known.flatMap(([name, value, unit]) => (value === undefined ? [] : [[name, `${few(value)}${unit}`]]));
}

const marketRows = ({ cost, interruptions, late, gapMs }: MarketOutcome): readonly (readonly [string, string])[] => [
  ['cost', `${few(cost)} USD`],
  ['interruptions', few(interruptions)],
  ['replaced too late', `${late}, ${time(gapMs / 60_000)} without`],
];

const packingRows = ({
  nodeHours,
  boundHours,
  moves,
  most,
}: PackingOutcome): readonly (readonly [string, string])[] => [
  ['node-hours', `${few(nodeHours)}, at most ${most} at once`],
  ['were nodes always full', `${few(boundHours)} (${few(nodeHours / boundHours)} times as many were there)`],
  ['workers moved', few(moves)],
];

/** Three figures, of large numbers all that are whole. Worked: 27.623 is 27.6, 0.4284 is 0.428, 2851200 stays. */
function few(value: number | string): string {
  if (typeof value === 'string') return value;
  return String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

const milliseconds = (ms: number): string => (ms < 1000 ? `${few(ms)} ms` : `${few(ms / 1000)} s`);

/** Worked: 807.833 min is 13 h 28 min. */
function time(minutes: number): string {
  if (minutes < 100) return `${few(minutes)} min`;
  const [hours, rest] = [Math.floor(Math.round(minutes) / 60), Math.round(minutes) % 60];
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

const COLUMNS: readonly (readonly [string, (period: SimulatedPeriod) => string | number | undefined])[] = [
  ['seconds', ({ at }) => at / 1000],
  ['arrivalRate', ({ arrivalRate }) => arrivalRate],
  ['allocated', ({ allocated }) => allocated],
  ['ready', ({ ready }) => ready],
  ['needed', ({ needed }) => needed],
  ['cpu', ({ cpu }) => cpu],
  ['lp', ({ lp }) => lp],
  ['deltaTp', ({ deltaTp }) => deltaTp],
  ['responseMs', ({ responseSum, answered }) => (answered > 0 ? responseSum / answered : undefined)],
  ['answered', ({ answered }) => answered],
  ['slow', ({ slow }) => slow],
  ['lost', ({ lost }) => lost],
  ['action', ({ decision }) => decision.action],
  ['count', ({ decision }) => decision.count],
  ['reason', ({ decision }) => decision.reason],
];

/** Periods that are written at once: all of a long run don't fit into one text. */
const PIECE = 1000;

function* pieces(timeline: readonly SimulatedPeriod[]): Iterable<readonly SimulatedPeriod[]> {
  for (let from = 0; from < timeline.length; from += PIECE) yield timeline.slice(from, from + PIECE);
}

/** One line a period, with a head line; cells as RFC 4180 wants them. */
export function* timelineCsv(timeline: readonly SimulatedPeriod[]): Iterable<string> {
  const lineOf = (cells: readonly string[]): string => `${cells.join(',')}\n`;
  yield lineOf(COLUMNS.map(([name]) => name));
  for (const piece of pieces(timeline))
    yield piece.map((period) => lineOf(COLUMNS.map(([, of]) => cell(of(period))))).join('');
}

export function* resultJson({ timeline, ...result }: SimulationResult): Iterable<string> {
  yield `${JSON.stringify(result).slice(0, -1)},"timeline":[`;
  let before = '';
  for (const piece of pieces(timeline)) {
    yield before + piece.map((period) => JSON.stringify(period)).join(',');
    before = ',';
  }
  yield ']}\n';
}

function cell(value: string | number | undefined): string {
  if (typeof value === 'number') return show(value);
  if (value === undefined) return '';
  return /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

const show = (value: number): string => String(Math.round(value * 1000) / 1000);
