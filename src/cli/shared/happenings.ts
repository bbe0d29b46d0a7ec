// What happened, in order of time: decisions, steps that failed, changes of settings, what people did, problems that came.
import type { ManagerView, ShownPeriod } from '../../loop/view.ts';
import type { Millis } from '../../model.ts';

export interface Happening {
  readonly at: Millis;
  readonly kind: 'decision' | 'step' | 'setting' | 'by hand' | 'problem';
  readonly text: string;
}

type Period = Pick<ShownPeriod, 'at' | 'action' | 'count' | 'reason' | 'outcome'>;

export function happeningsIn(
  periods: readonly Period[],
  { changes, byHand, problems }: Pick<ManagerView, 'changes' | 'byHand' | 'problems'>,
): readonly Happening[] {
  return [
    ...periods
      .toSorted((a, b) => a.at - b.at)
      .filter((period, i, all) => !repeats(period, all[i - 1]))
      .flatMap(ofPeriod),
    ...changes.map(({ at, who, text }): Happening => ({ at, kind: 'setting', text: `${who} set ${text}` })),
    ...byHand.map(({ at, who, text }): Happening => ({ at, kind: 'by hand', text: `${who} ${text}` })),
    ...problems.map(({ since, message }): Happening => ({ at: since, kind: 'problem', text: message })),
  ].toSorted((a, b) => a.at - b.at);
}

const ofPeriod = ({ at, reason, ...deed }: Period): readonly Happening[] => [
  ...(deed.action === 'hold' ? [] : [{ at, kind: 'decision', text: `${deedOf(deed)}: ${reason}` } as const]),
  ...deed.outcome
    .filter(({ ok, message }) => !ok && message !== undefined)
    .map(({ step, vm, message }): Happening => {
      const of = vm === undefined ? '' : ` of ${vm}`;
      return { at, kind: 'step', text: step === 'order' ? `${message}` : `${step}${of} failed: ${message}` };
    }),
];

type Deed = Pick<ShownPeriod, 'action' | 'count' | 'outcome'>;

/** `allocate 1`; in a dry run what would have been done. */
export const deedOf = (deed: Deed): string => `${isDry(deed) ? 'would ' : ''}${deed.action} ${deed.count}`;

/** A dry run would do the same in each period again. */
export const repeats = (deed: Deed, before: Deed | undefined): boolean =>
  before !== undefined && isDry(deed) && isDry(before) && deedOf(deed) === deedOf(before);

/** Its order is the only one that is told though all is well. */
const isDry = ({ outcome }: Deed): boolean => outcome.some(({ step, ok }) => step === 'order' && ok);

export const happeningLine = ({ at, kind, text }: Happening): string =>
  `${new Date(at).toISOString()}  ${kind.padEnd(8)}  ${text}`;
