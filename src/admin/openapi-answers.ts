// What the admin API answers, as JSON schemas. The types are those of src/loop and src/model.ts; fields are named as there.
import { VM_DEEDS } from '../act/by-hand.ts';
import type { Threshold } from '../decide/common/definition.ts';
import type { BoundRecord, Bounds } from '../loop/history.ts';
import type { PastDecision, ShownClass, ShownPoint } from '../loop/past.ts';
import type { Preview } from '../loop/preview.ts';
import type { Totals } from '../loop/preview-tally.ts';
import type {
  ManagerView,
  Problem,
  ShownChange,
  ShownHand,
  ShownJob,
  ShownNode,
  ShownPeriod,
  ShownVm,
} from '../loop/view.ts';
import type { VmPage, VmSample } from '../loop/vm-view.ts';
import type * as model from '../model.ts';
import { byName, everySetting, exactly, flag, list, number, patch, record, ref, text, time } from './openapi-forms.ts';
import type { Visitor } from './logins.ts';
import type { SettingView } from './settings-view.ts';
import type { AuditEntry, ShownKey } from './source.ts';

const limits = exactly<model.Limits>({ min: number, max: number, 'scheduledBy?': text });
const threshold = exactly<Threshold>({ name: text, of: text, value: number });
const bounds = exactly<Bounds>({ min: number, max: number, 'scheduledBy?': text, thresholds: list(threshold) });
const who = { who: text, at: time };
const change = exactly<ShownChange>({ ...who, patch, 'before?': patch, text });
const condition = { enum: ['ok', 'note', 'warning', 'error', 'unknown'] };
const causes = byName(number);
const action = { enum: ['allocate', 'release', 'hold'] };
const outcome = exactly<model.StepOutcome>({ step: text, 'vm?': text, ok: flag, 'message?': text, durationMs: number });
const ofClass = {
  ...{ name: text, arrived: number, answered: number, lost: number },
  ...{ queueTime: number, responseTime: number },
};
const counts = list(list(number));
const classes = list(exactly<model.ClassTraffic>({ ...ofClass, 'waits?': counts, 'times?': counts }));
const percentiles = { 'p50?': number, 'p95?': number, 'p99?': number };
const wait = { 'wait?': record(percentiles) };
const shownClasses = { ...wait, 'classes?': list(exactly<ShownClass>({ ...ofClass, ...percentiles, ...wait })) };
const signals = { 'lp?': number, 'tp?': number, 'deltaTp?': number };
const rates = { responseTime: number, queueTime: number, arrivalRate: number, throughput: number, lost: number };
const totals = exactly<Totals>({
  ...{ allocated: number, released: number, actions: number, vmMinutes: number },
  ...{ 'cost?': number, saturatedMinutes: number, turns: number },
});
const side = record({ vms: number, ready: number, 'cpu?': number, action });
const size = exactly<model.VmSize>({ name: text, vcpu: number, 'memoryBytes?': number, 'architecture?': text });
const offer = exactly<model.Offer>({
  id: text,
  size,
  market: { enum: ['on-demand', 'interruptible'] },
  pool: text,
  price: number,
});
const backlog = exactly<model.Backlog>({ jobs: number, events: number, age: number, 'runs?': number, 'rate?': number });
const job = exactly<ShownJob>({
  ...{ id: text, kind: text, 'class?': text, progress: record({ captured: number, events: number }) },
  ...{ createdAt: time, running: flag, 'worker?': text, 'end?': time },
});
const deed = {
  oneOf: [
    record({ what: { const: 'add' }, count: number }),
    record({ what: { enum: VM_DEEDS }, vm: text }),
    record({ what: { const: 'acknowledge' }, problem: text }),
  ],
};
const ofVm = {
  ...{ id: text, state: text, since: time, 'bootTime?': number, 'note?': text },
  'address?': record({ host: text, port: number }),
  ...{ 'offer?': offer, 'interruptAt?': time, 'inPlaceOf?': text, 'relieves?': text, 'node?': text },
};
const sample = exactly<model.Sample>({ at: time, cpu: number, memory: number, networkIn: number, networkOut: number });

const role = { enum: ['query', 'work'] };
const view = {
  ...{ version: text, group: text, provider: text, gateway: text, 'role?': role, at: time, startedAt: time },
  counts: byName(number),
  ...{ thresholds: list(threshold), vms: list(ref('Vm')), traffic: ref('Traffic') },
  ...{ 'backlog?': backlog, 'jobs?': list(job), 'nodes?': record({ list: list(ref('Node')), why: text }) },
  ...signals,
  ...{ 'last?': ref('Period'), explanation: list(text) },
  parameters: everySetting.kept,
  ...{ 'lastChange?': record(who), changes: list(change), byHand: list(exactly<ShownHand>({ ...who, deed, text })) },
  ...{
    limits,
    energy: number,
    money: exactly<ManagerView['money']>({ rate: number, cost: number, saved: number, isPriced: flag }),
  },
  conditions: list(
    exactly<ManagerView['conditions'][number]>({
      name: text,
      status: condition,
      reason: text,
      'remedy?': text,
      since: time,
    }),
  ),
  problems: list(ref('Problem')),
};

const terms = {
  'requestsPerSecond?': number,
  'eventsPerSecond?': number,
  'subscriptions?': number,
  'requestClass?': text,
};
const client = { client: text, roles: list(text), 'tenant?': text, 'expiresAt?': text, ...terms };
const key = { ...client, groups: list(text), id: text, createdAt: text, createdBy: text };
export const keyAsked = record({ ...client, 'groups?': list(text) });

export const answers = {
  Key: exactly<ShownKey>(key),
  /** With the key itself, shown this once. */
  NewKey: exactly<ShownKey & { readonly key: string }>({ ...key, key: text }),
  Error: record({ error: record({ code: text, message: text }) }),
  Anything: { type: 'object' },
  Stream: text,
  ManagerView: exactly<ManagerView>({ ...view, 'work?': ref('WorkView') }),
  /** Of the VMs that do stored work. */
  WorkView: exactly<Omit<ManagerView, 'work'>>(view),
  Traffic: exactly<model.Traffic>({
    ...{ arrivalRate: number, 'arrivals?': list(number), throughput: number, inFlight: number, queued: number },
    ...{ queueTime: number, responseTime: number, lost: number, 'refused?': number, 'span?': number },
    ...{ 'times?': counts, 'causes?': causes, 'classes?': classes },
  }),
  Node: exactly<ShownNode>({
    ...{ id: text, state: { enum: ['pending', 'ready', 'silent', 'draining', 'releasing'] }, vms: number },
    ...{ cores: number, used: number, price: number, refused: byName(number), 'note?': text },
  }),
  Vm: exactly<ShownVm>({
    ...ofVm,
    ...{ warming: flag, dark: flag, 'out?': flag, 'price?': number },
    ...{ 'lp?': number, 'tp?': number, 'cpu?': number, 'memory?': number },
    ...{ 'inFlight?': number, 'limit?': number, 'responseTime?': number },
  }),
  Problem: exactly<Problem>({
    ...{ since: time, severity: { enum: ['warning', 'error'] }, message: text, 'condition?': text },
    'acknowledged?': record(who),
  }),
  Period: exactly<ShownPeriod>({
    ...{ at: time, period: number, policy: text, action, count: number, rule: text, reason: text, 'guard?': text },
    outcome: list(outcome),
    ...{ ready: number, vms: number, 'span?': number, 'bounds?': bounds, 'causes?': causes },
    ...{ inFlight: number, queued: number },
    ...shownClasses,
    ...signals,
    ...rates,
    ...percentiles,
  }),
  DecisionRecord: exactly<BoundRecord>({
    ...{
      at: time,
      period: number,
      policy: text,
      'role?': role,
      observation: ref('Observation'),
      forecast: ref('Forecast'),
    },
    ...{ decision: ref('Decision'), outcome: list(outcome), 'bounds?': bounds },
  }),
  Observation: exactly<model.Observation>({
    ...{ at: time, traffic: ref('Traffic'), 'backlog?': backlog },
    vms: list(
      exactly<model.VmObservation>({
        ...{ vm: exactly<model.Vm>(ofVm), cpu: list(number), responseTime: list(number), 'latest?': sample },
        source: { enum: ['agent', 'provider', 'none'] },
      }),
    ),
  }),
  Forecast: exactly<model.Forecast>({
    vms: list(exactly<model.VmForecast>({ id: text, lp: number, tp: number, warming: flag, dark: flag })),
    ...signals,
  }),
  Decision: exactly<model.Decision>({
    ...{ action, count: number, rule: text, reason: text, 'vms?': list(text) },
    comparisons: list(
      exactly<model.Comparison>({
        ...{
          what: text,
          'value?': number,
          operator: { enum: ['>', '>=', '<', '<=', '='] },
          bound: number,
          holds: flag,
        },
        ...{ 'for?': action, 'rule?': text },
      }),
    ),
    'purchases?': list(exactly<model.Purchase>({ offer, 'maxPrice?': number, why: text })),
    'guard?': record({ name: text, was: action, reason: text }),
  }),
  Parameters: everySetting.written,
  ChangeResult: record({ parameters: ref('Parameters'), warnings: list(text) }),
  ResetResult: record({ parameters: ref('Parameters'), warnings: list(text), reset: list(text) }),
  Setting: exactly<SettingView>({
    ...{ name: text, doc: text, expected: text, kind: { enum: ['number', 'text', 'choice'] }, 'unit?': text },
    ...{ 'choices?': { type: 'array' }, value: {}, isMain: flag },
  }),
  History: record({ from: time, until: time, points: list(ref('Point')) }),
  Point: exactly<ShownPoint>({
    ...{ at: time, span: number, ready: number, vms: number, 'bounds?': bounds, allocated: number, released: number },
    'decisions?': list(exactly<PastDecision>({ at: time, action, count: number, rule: text, reason: text })),
    ...{ 'causes?': causes, 'inFlight?': number, 'queued?': number },
    ...shownClasses,
    ...signals,
    ...rates,
    ...percentiles,
  }),
  Preview: exactly<Preview>({
    ...{ from: time, until: time, periods: number, before: totals, after: totals, saturatedAbove: number },
    'differsFrom?': time,
    points: list(record({ at: time, before: side, after: side })),
    warnings: list(text),
  }),
  Added: record({ added: number }),
  VmAnswer: record({ vm: { anyOf: [ref('Vm'), { type: 'null' }] } }),
  ProblemAnswer: record({ problem: { anyOf: [ref('Problem'), { type: 'null' }] } }),
  VmPage: exactly<VmPage>({
    ...{ id: text, 'vm?': ref('Vm'), 'log?': list(text) },
    samples: list(
      exactly<VmSample>({
        ...{ at: time, state: text, 'cpu?': number, 'memory?': number, 'networkIn?': number, 'networkOut?': number },
        ...{ 'lp?': number, 'responseTime?': number },
      }),
    ),
    life: list(record({ at: time, outcome })),
  }),
  AuditEntry: exactly<AuditEntry>({ at: text, who: text, from: text, what: text, 'change?': {}, 'status?': number }),
  Visitor: exactly<Visitor>({ name: text, role: { enum: ['viewer', 'operator'] } }),
};
