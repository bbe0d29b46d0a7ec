// What is true of the manager now, with a reason and, where somebody can do something, a remedy. Page, log, metrics,
// alerts, API and `mmeliot status` show the same conditions.
import type { Facts, Finding } from './finding.ts';
import * as fleet from './fleet-conditions.ts';
import * as surrounding from './surrounding-conditions.ts';

export interface Condition extends Finding {
  readonly name: ConditionName;
}

/** One function for each condition; a name without one does not compile. */
const findings = {
  repository: surrounding.repository,
  gateways: surrounding.gateways,
  rotation: fleet.rotation,
  allocation: fleet.allocation,
  room: fleet.room,
  market: fleet.market,
  calendar: fleet.calendar,
  guards: fleet.guards,
  settings: fleet.settings,
  kept: fleet.kept,
  paused: fleet.paused,
  'dry-run': fleet.dryRun,
  backlog: surrounding.backlog,
  queue: surrounding.queue,
  refusals: surrounding.refusals,
  disk: surrounding.disk,
  secrets: surrounding.secrets,
  reports: surrounding.reports,
  clocks: surrounding.clocks,
  nodes: surrounding.nodes,
  decisions: fleet.decisions,
} satisfies Readonly<Record<string, (facts: Facts) => Finding>>;

export type ConditionName = keyof typeof findings;

export const CONDITION_NAMES = Object.keys(findings) as readonly ConditionName[];

/** The worst first, wherever they are shown. */
const FIRST: readonly Condition['status'][] = ['error', 'warning', 'unknown', 'note', 'ok'];

export const conditionsOf = (facts: Facts, names: readonly ConditionName[] = CONDITION_NAMES): readonly Condition[] =>
  names
    .map((name) => ({ name, ...findings[name](facts) }))
    .sort((a, b) => FIRST.indexOf(a.status) - FIRST.indexOf(b.status));

/** Of VMs that no client's request goes to; what is the group's is told once, of the role that has clients. */
export const WORK_CONDITIONS: readonly ConditionName[] = [
  ...(['allocation', 'room', 'market', 'calendar', 'guards', 'settings', 'kept', 'paused', 'dry-run'] as const),
  'decisions',
];
