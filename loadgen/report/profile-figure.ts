// All policies under one load over time, with all the lines of the paper's figures 5 and 6.
import { strokeOf, type Figure, type Line, type Panel } from './figure.ts';
import type { Cell } from './results.ts';
import type { Period } from './timeline.ts';

/** One period of a few requests may have ten times the response time of the one before: the rest would be a flat line. */
const CUT = 100;
const PANELS: readonly { title: string; of: (period: Period) => number | undefined }[] = [
  { title: 'answered requests a second', of: ({ answeredInTime, span }) => (answeredInTime * 1000) / span },
  { title: 'VMs allocated', of: ({ allocated }) => allocated },
  { title: 'mean LP, load prediction (%)', of: ({ lp }) => lp },
  {
    title: `delta TP, change of the time prediction from period to period (%), cut at ±${CUT}`,
    of: ({ deltaTp }) => deltaTp && Math.max(-CUT, Math.min(CUT, deltaTp)),
  },
  { title: 'mean response time (ms)', of: ({ responseMs }) => responseMs },
];
const [RATE, VMS, LP, DELTA] = PANELS.map(({ title }) => title);

export function profileFigure(profile: string, cells: readonly Cell[], paperNumber: string | undefined): Figure {
  const [first] = cells;
  const info = first?.runs[0]?.info;
  const periods = Math.max(...cells.flatMap(({ timelines }) => timelines.map(({ length }) => length)));
  const span = info?.period ?? 1000;
  const { duration = 0, max = 0 } = info?.load ?? {};
  const repetitions = Math.max(...cells.map(({ runs }) => runs.length));
  const several =
    repetitions > 1 ? `Mean of ${repetitions} repetitions, the band from the lowest to the highest. ` : '';
  return {
    id: paperNumber === undefined ? `profile-${profile}` : `figure-${paperNumber}-${profile}`,
    title: `${paperNumber === undefined ? '' : `Figure ${paperNumber}: `}${profile} load`,
    caption:
      `${profile} to ${max} over ${Math.round(duration / 1000)} s, control period ${span / 1000} s. ${several}` +
      (cells.some(({ simulated }) => simulated)
        ? 'Thin lines of VMs: the same simulated, the mean of several times. '
        : '') +
      'Grey: requests sent.',
    xTitle: 'time (s)',
    x: Array.from({ length: periods }, (_, i) => ((i + 0.5) * span) / 1000),
    panels: PANELS.map(({ title, of }): Panel => {
      const lines = cells.map((cell, i) => ({ ...strokeOf(i), ...overRepetitions(cell, periods, of) }));
      const high = info?.high ?? 0;
      return {
        title,
        lines: [
          ...(title === RATE && first !== undefined ? [sent(first, periods)] : []),
          ...(title === VMS ? cells.flatMap((cell, i) => simulatedVms(cell, i, periods)) : []),
          ...lines,
        ],
        ...(title === LP && { marks: [{ label: `high ${high}`, y: high }] }),
        ...(title === VMS && { steps: true as const }),
        ...(title === DELTA && { marks: [{ label: '', y: 0 }] }),
      };
    }),
  };
}

function overRepetitions(
  { policy, timelines }: Cell,
  periods: number,
  of: (period: Period) => number | undefined,
): Pick<Line, 'name' | 'y' | 'low' | 'high'> {
  const at = Array.from({ length: periods }, (_, i) =>
    timelines.flatMap((timeline) => {
      const value = timeline[i] === undefined ? undefined : of(timeline[i]);
      return value === undefined ? [] : [value];
    }),
  );
  const summary = (of: (values: number[]) => number) => at.map((all) => (all.length === 0 ? null : of(all)));
  const y = summary((all) => all.reduce((sum, value) => sum + value, 0) / all.length);
  if (timelines.length < 2) return { name: policy, y };
  return { name: policy, y, low: summary((all) => Math.min(...all)), high: summary((all) => Math.max(...all)) };
}

const sent = (cell: Cell, periods: number): Line => ({
  name: 'sent',
  color: '#aaaaaa',
  width: 1.2,
  y: overRepetitions(cell, periods, ({ offered }) => offered).y,
});

function simulatedVms({ policy, simulated }: Cell, index: number, periods: number): readonly Line[] {
  if (simulated === undefined) return [];
  const { timelines } = simulated;
  const y = Array.from({ length: periods }, (_, i) => {
    const values = timelines.flatMap((timeline) => timeline[i]?.allocated ?? []);
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  });
  return [{ name: `simulated ${policy}`, ...strokeOf(index), width: 0.8, y }];
}
