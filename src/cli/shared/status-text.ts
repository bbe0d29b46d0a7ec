// How a manager is, as text: what `kubectl describe` is for an autoscaler.
import { showPrice } from '../../fleet/money.ts';
import type { ManagerView, Problem, ShownPeriod } from '../../loop/view.ts';
import type { Millis } from '../../model.ts';
import { deedOf, repeats } from './happenings.ts';
import { table } from './table.ts';

const EVENTS = 10;

/** `periods` have the newest first. */
export function statusText(view: ManagerView, periods: readonly ShownPeriod[]): string {
  return [
    ...table(headRows(view)),
    '',
    'Conditions',
    ...table(
      view.conditions.map(({ name, status, since, reason }) => [
        name,
        status,
        ago(view.at - since),
        reason + whoLooks(view.problems.find((one) => one.condition === name) ?? {}),
      ]),
    ),
    '',
    ...section(
      'What to do',
      view.conditions.flatMap(({ name, remedy }) => (remedy === undefined ? [] : [[name, remedy]])),
    ),
    ...section(
      'Other problems',
      view.problems
        .filter((one) => one.condition === undefined)
        .map((one) => [ago(view.at - one.since), one.message + whoLooks(one)]),
    ),
    ...section('Last events', eventsOf(periods, view.at)),
    ...view.explanation,
    '',
  ].join('\n');
}

export function headRows(view: ManagerView): readonly (readonly [string, string])[] {
  const { counts, parameters, limits, lp, tp, traffic } = view;
  const out = view.vms.filter((vm) => vm.out).length;
  const others = Object.entries(counts).filter(([state, count]) => state !== 'ready' && count > 0);
  return [
    ['group', `${view.group} at ${view.gateway}, mmeliot ${view.version}, provider ${view.provider}`],
    ['policy', `${parameters.policy}, every ${ago(parameters.period)}, ${limits.min} to ${limits.max} VMs`],
    [
      'VMs',
      [
        `${counts.ready} ready${out > 0 ? ` (${out} out of the rotation)` : ''}`,
        ...others.map(([state, count]) => `${count} ${state}`),
      ].join(', '),
    ],
    ...workRow(view),
    ...moneyRow(view),
    [
      'signals',
      `LP ${lp === undefined ? 'not known' : `${lp.toFixed(1)} %`}, TP ${tp === undefined ? 'not known' : `${tp.toFixed(0)} ms`}`,
    ],
    [
      'traffic',
      `${traffic.throughput.toFixed(1)} answered a second, ${traffic.inFlight} in flight, ${traffic.queued} waiting`,
    ],
  ];
}

/** Where the group has VMs of their own for stored work. */
function workRow({ work, backlog }: ManagerView): readonly (readonly [string, string])[] {
  if (work === undefined) return [];
  const { counts, parameters, limits } = work;
  const waits = backlog === undefined ? 'what waits is not known' : `${backlog.jobs} jobs wait or run`;
  const vms = `${counts.ready} ready, ${counts.pending} pending of ${limits.min} to ${limits.max} VMs`;
  return [['stored work', `${vms}, policy ${parameters.policy}; ${waits} (mmeliot status --role work)`]];
}

/** Where the provider says what VMs cost. */
function moneyRow({ money, vms }: ManagerView): readonly (readonly [string, string])[] {
  if (!money.isPriced) return [];
  const cheap = vms.filter(({ offer }) => offer?.market === 'interruptible').length;
  const taken = vms.filter(({ interruptAt }) => interruptAt !== undefined).length;
  const spent = `${showPrice(money.cost)} so far, ${showPrice(money.saved)} saved`;
  const notices = taken === 0 ? '' : `, ${taken} will be taken`;
  return [['money', `${showPrice(money.rate)} an hour, ${spent}; ${cheap} interruptible${notices}`]];
}

/** ` (ada looks after it)` */
const whoLooks = ({ acknowledged }: Pick<Problem, 'acknowledged'>): string =>
  acknowledged === undefined ? '' : ` (${acknowledged.who} looks after it)`;

const section = (title: string, rows: readonly (readonly string[])[]): readonly string[] =>
  rows.length === 0 ? [] : [title, ...table(rows), ''];

/** Newest first: what was decided, and what of it failed. */
function eventsOf(periods: readonly ShownPeriod[], now: Millis): readonly (readonly string[])[] {
  const told = periods.filter((period, i) => !repeats(period, periods[i + 1]));
  const rows = told.flatMap((period) => {
    const { at, outcome, action, reason } = period;
    const when = `${ago(now - at)} ago`;
    const failed = outcome.filter(({ ok, message }) => !ok && message !== undefined);
    return [
      ...failed.map(({ step, vm, message }) => [
        when,
        'failed',
        `${step}${vm === undefined ? '' : ` of ${vm}`}: ${message}`,
      ]),
      ...(action === 'hold' ? [] : [[when, deedOf(period), reason]]),
    ];
  });
  return rows.slice(0, EVENTS);
}

/** 12 s, 4 min, 3 h, 2 d */
export function ago(ms: Millis): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
