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
    ...periods.flatMap(ofPeriod),
    ...changes.map(({ at, who, text }): Happening => ({ at, kind: 'setting', text: `${who} set ${text}` })),
    ...byHand.map(({ at, who, text }): Happening => ({ at, kind: 'by hand', text: `${who} ${text}` })),
    ...problems.map(({ since, message }): Happening => ({ at: since, kind: 'problem', text: message })),
  ].toSorted((a, b) => a.at - b.at);
}

const ofPeriod = ({ at, action, count, reason, outcome }: Period): readonly Happening[] => [
  ...(action === 'hold' ? [] : [{ at, kind: 'decision', text: `${action} ${count}: ${reason}` } as const]),
  ...outcome
    .filter(({ ok, message }) => !ok && message !== undefined)
    .map(({ step, vm, message }): Happening => {
      const of = vm === undefined ? '' : ` of ${vm}`;
      return { at, kind: 'step', text: step === 'order' ? `${message}` : `${step}${of} failed: ${message}` };
    }),
];

export const happeningLine = ({ at, kind, text }: Happening): string =>
  `${new Date(at).toISOString()}  ${kind.padEnd(8)}  ${text}`;
