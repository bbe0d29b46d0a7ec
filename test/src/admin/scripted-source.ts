// An AdminSource that plays a script: a fleet that grows under load, for tests of the admin server and its page.
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../../../src/decide/parameters.ts';
import { decodeChanges, parseAssignments } from '../../../src/config/changes.ts';
import { Past, pointOf, type PastPoint } from '../../../src/loop/past.ts';
import { Previewer, type Preview } from '../../../src/loop/preview.ts';
import { validateParameters } from '../../../src/decide/validate.ts';
import { MmeliotError } from '../../../src/errors.ts';
import type { Deed } from '../../../src/act/by-hand.ts';
import type { HandRecord } from '../../../src/loop/journal.ts';
import { vmPage, type VmPage } from '../../../src/loop/vm-view.ts';
import type { AdminSource, ChangeResult } from '../../../src/admin/source.ts';
import type { Bill } from '../../../src/loop/costs.ts';
import { bound, type BoundRecord } from '../../../src/loop/history.ts';
import type { GatewayVm, ParameterChange } from '../../../src/loop/loop-state.ts';
import { takenBack } from '../../../src/loop/settings.ts';
import { problemName, viewOf, type ManagerView, type Problem } from '../../../src/loop/view.ts';
import type { Action, ClassTraffic, DecisionRecord, Fleet, Vm, VmState } from '../../../src/model.ts';

export const START = Date.UTC(2026, 0, 2, 10, 0, 0);

export class ScriptedSource implements AdminSource {
  now = START;
  fleet: Fleet = [vm('vm-1', 'ready')];
  parameters: ElasticityParameters = DEFAULT_PARAMETERS;
  bill: Bill = { rate: 2, cost: 0.5, saved: 0, prices: {}, isPriced: false };
  problems: Problem[] = [];
  conditions: ManagerView['conditions'] = [
    { name: 'repository', status: 'ok', reason: 'The repository answers.', since: START },
  ];
  changes: ParameterChange[] = [];
  hand: HandRecord[] = [];
  /** What the gateway says of its VMs; by default that they serve. */
  gatewayVms: readonly GatewayVm[] | undefined;
  readonly records: BoundRecord[] = [];

  /** How often somebody looked. */
  views = 0;

  view(): ManagerView {
    this.views += 1;
    const last = this.records.at(-1);
    return viewOf({
      about: { version: '1.2.3', group: 'mmeliot', provider: 'local', gateway: 'http://127.0.0.1:8080' },
      loop: {
        ...{ at: this.now, startedAt: START, period: this.records.length, parameters: this.parameters },
        ...{
          fleet: this.fleet,
          energy: 12.5,
          bill: this.bill,
          market: { offers: [], resting: [] },
          changes: this.changes,
          byHand: this.hand,
          problems: [],
          warnings: [],
        },
        ...{ nextPeriodAt: this.now + this.parameters.period, overrides: [], providerAnswered: true },
        obstacles: { putOff: [] },
        ...(last && { last }),
      },
      gatewayVms:
        this.gatewayVms ??
        this.fleet
          .filter(({ state }) => state === 'ready' || state === 'draining')
          .map(({ id }, i) => ({ id, state: 'ready', inFlight: 3 + i, limit: 16, responseTime: 40 + 7 * i })),
      traffic: last?.observation.traffic ?? NO_TRAFFIC,
      conditions: this.conditions,
      problems: this.problems,
    });
  }

  decisions(limit: number): readonly BoundRecord[] {
    return this.records.slice(-limit).reverse();
  }

  async vm(id: string): Promise<VmPage | undefined> {
    const one = this.view().vms.find((each) => each.id === id);
    const life = [{ at: START, outcome: { step: 'admit', vm: id, ok: true, durationMs: 900 } }];
    const log = 'starting\n{"level":"info","msg":"serving"}\n';
    return one && vmPage({ id, vm: one, records: this.decisions(360), life, log });
  }

  past(from: number, until: number): readonly PastPoint[] {
    const past = new Past();
    for (const record of this.records) past.add(pointOf(record));
    return past.read(from, until, this.records.map(pointOf));
  }

  /** As if these settings had been in force: the journal is what was played. */
  async preview(set: readonly string[], { from, until }: { from: number; until: number }): Promise<Preview> {
    const patch = decodeChanges(parseAssignments(set), this.parameters);
    const wanted = { ...this.parameters, ...(patch as Partial<ElasticityParameters>) };
    const [error] = validateParameters(wanted).errors;
    if (error !== undefined) throw new MmeliotError('CONFIG_INVALID', error);
    const previewer = new Previewer({ settings: () => wanted, from, until });
    previewer.take({ kind: 'settings', at: START, parameters: this.parameters, history: [] });
    for (const record of this.records) previewer.take({ kind: 'period', record });
    return previewer.result();
  }

  config(): unknown {
    return { group: 'mmeliot' };
  }

  async byHand(deed: Deed, who: string): Promise<void> {
    if (deed.what === 'add') this.fleet = [...this.fleet, vm(`vm-${this.fleet.length + 1}`, 'pending')];
    if (deed.what === 'keep') this.#become(deed.vm, 'kept', `Kept by ${who}.`);
    if (deed.what === 'release') this.#become(deed.vm, 'releasing', `Given back by ${who}.`);
    if (deed.what === 'drain') this.#become(deed.vm, 'draining', `Drained by ${who}.`);
    if (deed.what === 'replace')
      this.fleet = [...this.fleet, { ...vm(`vm-${this.fleet.length + 1}`, 'pending'), relieves: deed.vm }];
    this.hand = [{ at: this.now, who, deed }, ...this.hand];
  }

  acknowledge(problem: string, who: string): void {
    const acknowledged = { who, at: this.now };
    this.problems = this.problems.map((one) => (problemName(one) === problem ? { ...one, acknowledged } : one));
    this.hand = [{ at: this.now, who, deed: { what: 'acknowledge', problem } }, ...this.hand];
  }

  #become(id: string, state: VmState, note: string): void {
    this.fleet = this.fleet.map((each) => (each.id === id ? { ...each, state, note, since: this.now } : each));
  }

  changedParameters(): readonly string[] {
    const names = Object.keys(DEFAULT_PARAMETERS) as (keyof ElasticityParameters)[];
    return names.filter((name) => this.parameters[name] !== DEFAULT_PARAMETERS[name]);
  }

  async undo(who: string, at?: number): Promise<ChangeResult> {
    return this.setParameters(takenBack(this.changes[0], at), who);
  }

  async setParameters(changes: Readonly<Record<string, unknown>>, who: string): Promise<ChangeResult> {
    const configured: Readonly<Record<string, unknown>> = { ...DEFAULT_PARAMETERS };
    const values = Object.entries(changes).map(([name, value]) => [name, value ?? configured[name]] as const);
    const parameters = { ...this.parameters, ...Object.fromEntries(values) };
    if (parameters.low >= parameters.high) {
      throw new MmeliotError('CONFIG_INVALID', `low (${parameters.low}) has to be below high (${parameters.high}).`);
    }
    const was: Readonly<Record<string, unknown>> = { ...this.parameters };
    const before = Object.fromEntries(Object.keys(changes).map((name) => [name, was[name]]));
    this.parameters = parameters;
    this.changes = [{ at: this.now, who, patch: changes, before }, ...this.changes];
    const near = parameters.low * 2 > parameters.high;
    return { parameters, warnings: near ? ['Releasing one of two VMs may allocate it again.'] : [] };
  }

  /** One period passes. */
  play(
    lp: number,
    options: { action?: Action; deltaTp?: number; tp?: number; lost?: number; failed?: string } = {},
  ): void {
    const { action = 'hold', tp = 40 + lp, deltaTp = 0, lost = 0, failed } = options;
    this.now += this.parameters.period;
    const load = { lp, tp, warming: false, dark: false };
    const record: DecisionRecord = {
      at: this.now,
      period: this.records.length + 1,
      policy: this.parameters.policy,
      observation: {
        at: this.now,
        traffic: {
          ...NO_TRAFFIC,
          arrivalRate: lp,
          throughput: lp - lost / 10,
          responseTime: tp + 3,
          inFlight: 7,
          lost,
          classes: CLASSES,
          ...(lost > 0 && { causes: { 'queue-full': lost } }),
          span: this.parameters.period,
        },
        vms: this.fleet.map((one) => ({ vm: one, cpu: [lp], responseTime: [tp], source: 'agent' })),
      },
      forecast: { lp, tp, deltaTp, vms: this.fleet.map(({ id }) => ({ id, ...load })) },
      decision: {
        action,
        count: action === 'hold' ? 0 : 1,
        rule: action === 'allocate' ? 'above-high' : action === 'release' ? 'below-low' : 'none',
        reason: REASONS[action].replace('LP', `LP ${lp}`),
        comparisons: [
          { what: 'LP', value: lp, operator: '>', bound: 70, holds: lp > 70, for: 'allocate', rule: 'above-high' },
          { what: 'LP', value: lp, operator: '<', bound: 30, holds: lp < 30, for: 'release', rule: 'below-low' },
        ],
      },
      outcome:
        action === 'hold'
          ? []
          : [{ step: action, vm: 'vm-2', ok: !failed, durationMs: 1200, ...(failed && { message: failed }) }],
    };
    this.records.push(bound(record, this.parameters));
  }
}

const REASONS: Readonly<Record<Action, string>> = {
  allocate: 'LP is above the high threshold of 70: one VM more.',
  release: 'LP is below the low threshold of 30: one VM less.',
  hold: 'LP is between the thresholds, and the response time has no trend.',
};

/** Queries take 2 ms, captures half a second, for which they have waited one. */
const CLASSES: readonly ClassTraffic[] = [
  { name: 'query', arrived: 9, answered: 9, lost: 0, queueTime: 0, responseTime: 2, waits: [[0, 9]], times: [[5, 9]] },
  {
    name: 'capture',
    arrived: 1,
    answered: 1,
    lost: 0,
    queueTime: 1000,
    responseTime: 500,
    waits: [[40, 1]],
    times: [[36, 1]],
  },
];

const NO_TRAFFIC = { arrivalRate: 0, throughput: 0, inFlight: 0, queued: 0, queueTime: 0, responseTime: 0, lost: 0 };

export function vm(id: string, state: VmState, note?: string): Vm {
  return { id, state, since: START, address: { host: '127.0.0.1', port: 9000 }, ...(note && { note }) };
}

/** Load rises until a second and a third VM come, then falls until one leaves. */
export function playRiseAndFall(source: ScriptedSource): void {
  const steps = Array.from({ length: 90 }, (_, i) => 45 + 32 * Math.sin(i / 9) + 5 * Math.sin(i * 1.7));
  steps.forEach((lp, i) => {
    const deltaTp = 26 * Math.cos(i / 9) + 6 * Math.sin(i * 2.3);
    const action = i % 30 === 14 ? 'allocate' : i % 30 === 26 && i < 60 ? 'release' : 'hold';
    if (action === 'allocate') source.fleet = [...source.fleet, vm(`vm-${source.fleet.length + 1}`, 'ready')];
    if (action === 'release') source.fleet = source.fleet.slice(0, -1);
    source.play(Math.round(lp * 10) / 10, { action, deltaTp, lost: i === 50 ? 2 : 0 });
  });
}
