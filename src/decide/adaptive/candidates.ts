// Who takes part in the shadow tournament: `adaptive` as it is, variants of it, and peers that cost next to nothing to run.
import type { Millis, PeriodSummary } from '../../model.ts';
import { whole } from '../common/demand.ts';
import { isDue } from '../common/series.ts';
import { REACT, reactSize, REG, regSize } from '../common/peer-sizes.ts';
import { PATIENCE } from './idle.ts';
import { spread } from './spread.ts';
import { levelOf, PLAIN, sizeOf, type Form, type Seen } from './size.ts';
import { loadsOf, type View } from './view.ts';

export interface Candidate {
  readonly name: string;
  /** The size that it wants of a fleet, its own where nothing is to change. Of the view's periods the load counts, not the fleet. */
  readonly size: (view: View, fleet: Seen) => number;
  /** What it gives back is not to be missed for so long (`idle.ts`). */
  readonly patienceMs?: Millis;
}

/** Per cent of what a VM answers that the peers let it answer. */
const CAPACITY = 0.7;
const STABILIZATION_MS = 5 * 60_000;
/** A fleet that stays as it is looks so often whether it should. */
const LOOKS_MS = 5 * 60_000;

const needs = ({ rate }: View, { arrivalRate }: Pick<PeriodSummary, 'arrivalRate'>): number =>
  arrivalRate / (CAPACITY * rate);

const variant = (name: string, form: Partial<Form>, patienceMs = PATIENCE): Candidate => ({
  name,
  size: (view, fleet) => sizeOf(view, fleet, { ...PLAIN, ...form }),
  patienceMs,
});

/** HPA in short: goes up at once, and down to the highest need of five minutes. */
const hpaLike: Candidate = {
  name: 'hpa-like',
  size: (view) => {
    const { periods } = view;
    const now = periods[0]?.at ?? 0;
    const young = periods.findIndex(({ at }) => now - at >= STABILIZATION_MS);
    const wants = periods.slice(0, young === -1 ? periods.length : young).map((period) => needs(view, period));
    return Math.max(1, whole(Math.max(...wants)));
  },
};

/** A fleet that stays as it is, while the size that would have been best for the last hours saves little. */
const level: Candidate = {
  name: 'one size',
  size: (view, fleet) => {
    const { periods } = view;
    const isTime = isDue({ now: periods[0]?.at ?? 0, history: periods.slice(1, 2) }, LOOKS_MS);
    return isTime
      ? levelOf(view, loadsOf(spread(periods.map(({ arrivalRate }) => arrivalRate))), fleet.vms)
      : fleet.vms;
  },
};

const ADAPTIVE = variant('adaptive', {});

export const candidates: readonly Candidate[] = [
  ADAPTIVE,
  variant('adaptive with 600 s of patience', {}, 600_000),
  variant('adaptive at half the price', { price: 0.5 }),
  variant('adaptive at twice the price', { price: 2 }),
  variant('adaptive that changes less', { margin: 1 }),
  {
    name: 'react',
    size: (view, { vms }) => reactSize(needs(view, view), vms, REACT.headroom, REACT.spare),
  },
  {
    name: 'reg',
    size: (view, { vms }) => {
      const past = view.periods.slice(0, REG.samples).map((period) => needs(view, period));
      return regSize(past, vms, REG).size ?? vms;
    },
  },
  hpaLike,
  level,
];

/** `adaptive` as it is where that name isn't known. */
export const candidateOf = (name: string | undefined): Candidate =>
  candidates.find((candidate) => candidate.name === name) ?? ADAPTIVE;
