// The vocabulary of the elasticity model (types only). One word for one thing: these words, everywhere.

/** Milliseconds since the epoch. Time is an argument everywhere; nothing pure reads a clock. */
export type Millis = number;

/** Where a VM can be reached. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What a VM has. */
export interface VmSize {
  readonly name: string;
  readonly vcpu: number;
  readonly memoryBytes?: number;
  readonly architecture?: string;
}

/** `interruptible`: cheaper, and the cloud may take it away, after a notice. */
export type Market = 'on-demand' | 'interruptible';

/** What a cloud offers, and what a VM is that was allocated by it. */
export interface Offer {
  /** Stable: it names size, market and pool together. */
  readonly id: string;
  readonly size: VmSize;
  readonly market: Market;
  /** What runs out, and is interrupted, as one: a zone and a type, such as us-east-1a/m3.medium. */
  readonly pool: string;
  /** An hour, now, in the provider's currency. */
  readonly price: number;
}

/** One VM's load at one time, as its agent measured it. */
export interface Sample {
  readonly at: Millis;
  /** Per cent of what this VM may use (its own quota), 0 to 100. */
  readonly cpu: number;
  /** Per cent of what this VM may use, 0 to 100. */
  readonly memory: number;
  /** Bytes a second since the previous sample. */
  readonly networkIn: number;
  readonly networkOut: number;
}

/**
 * What a VM does, where a group has roles: `query` answers clients and takes captures in, `work` does stored work. Without roles
 * every VM does both.
 */
export type Role = 'query' | 'work';

/** A VM's way through the fleet. Only a `ready` VM takes requests. */
export type VmState =
  /** allocated at the provider, not yet running or not yet answering its readiness check */
  | 'pending'
  /** added to the gateway */
  | 'ready'
  /** no new requests; those in flight finish */
  | 'draining'
  /** a person took it out of the fleet to look at it: it takes no requests and counts for nothing until it is given back */
  | 'kept'
  /** the provider was asked to release it */
  | 'releasing'
  /** crashed, never booted or unreachable: to be released and, where the fleet needs it, replaced */
  | 'failed';

export interface Vm {
  readonly id: string;
  readonly state: VmState;
  readonly address?: Address;
  readonly since: Millis;
  /** Of a VM that serves: how long it took from the provider's acceptance until it was ready. */
  readonly bootTime?: Millis;
  /** Why it is in this state, where that is not obvious: one sentence for the operator. */
  readonly note?: string;
  /** What it is, where the provider offers several. */
  readonly offer?: Offer;
  /** The cloud takes it away then: it serves on as long as that is safe, and is no capacity to count on. */
  readonly interruptAt?: Millis;
  /** The stand-in for that VM, which the cloud takes away: it leaves when a cheaper one relieves it. */
  readonly inPlaceOf?: string;
  /** The VM that leaves when this one serves: until then both are one place of the fleet. */
  readonly relieves?: string;
  /** The machine that carries it, where several VMs may be on one. */
  readonly node?: string;
}

/** All VMs of the elastic group, in any state. */
export type Fleet = readonly Vm[];

/** What was seen of one VM up to now. */
export interface VmObservation {
  readonly vm: Vm;
  /** CPU samples in per cent, one a period, newest first, at most `window` long. */
  readonly cpu: readonly number[];
  /** Response-time samples in ms, one a period, newest first (a period without requests repeats the last). */
  readonly responseTime: readonly number[];
  /** Where the newest CPU sample is from; `none`: the VM is dark. */
  readonly source: 'agent' | 'provider' | 'none';
  /** The agent's newest reading, whole (memory and network are shown, and open to policies). */
  readonly latest?: Sample;
}

/** What a VM's response-time sample of a period is: the mean over its answers, or the last one (the paper keeps one time a VM). */
export type ResponseSample = 'mean' | 'last';

/** What the gateway saw of the traffic in the last period. */
export interface Traffic {
  /** Requests a second that arrived. */
  readonly arrivalRate: number;
  /** Requests that arrived in each of its seconds, where that is counted. */
  readonly arrivals?: readonly number[];
  /** Requests a second answered successfully. */
  readonly throughput: number;
  /** Requests at VMs, and requests waiting for one, now. */
  readonly inFlight: number;
  readonly queued: number;
  /** Mean ms that requests waited before a VM took them. */
  readonly queueTime: number;
  /** Mean ms from choosing the VM to the last byte, successful requests. */
  readonly responseTime: number;
  /** Requests without a successful answer in the period. */
  readonly lost: number;
  /** Requests and connections that were refused before they counted, where there were any. */
  readonly refused?: number;
  /** How long that period was; absent where nobody measured it. */
  readonly span?: Millis;
  /** How often which response times were: buckets of src/histogram.ts with their counts. */
  readonly times?: readonly (readonly [bucket: number, count: number])[];
  /** Lost requests by cause, and classes of requests that had any, where that is counted. */
  readonly causes?: Readonly<Record<string, number>>;
  readonly classes?: readonly ClassTraffic[];
}

/** One class of requests in a period. */
export interface ClassTraffic {
  readonly name: string;
  /** Requests. */
  readonly arrived: number;
  readonly answered: number;
  readonly lost: number;
  /** Mean ms before a VM took them, and at the VM. */
  readonly queueTime: number;
  readonly responseTime: number;
  /** How often which of both were: buckets of src/histogram.ts with their counts. */
  readonly waits?: readonly (readonly [bucket: number, count: number])[];
  readonly times?: readonly (readonly [bucket: number, count: number])[];
}

/** Stored work that VMs accepted and have not finished, in the whole group. */
export interface Backlog {
  /** Captures, exports, what an operator has done. */
  readonly jobs: number;
  /** Events in them that are not captured yet. */
  readonly events: number;
  /** Of the oldest of them; 0 without any. */
  readonly age: Millis;
  /** Subscription runs that are due, but for those only one VM can do. */
  readonly runs?: number;
  /** Events a second that one VM captured lately while it had jobs; absent where none had. */
  readonly rate?: number;
}

/** Everything one control period starts from. */
export interface Observation {
  readonly at: Millis;
  readonly vms: readonly VmObservation[];
  readonly traffic: Traffic;
  /** Absent while the repository doesn't tell. */
  readonly backlog?: Backlog;
}

/** What the predictors make of an observation. */
export interface Forecast {
  readonly vms: readonly VmForecast[];
  /** Fleet load prediction: mean LP of the ready, warm VMs that aren't dark; undefined without any. */
  readonly lp?: number;
  /** Fleet time prediction in ms. */
  readonly tp?: number;
  /** Change of the fleet's TP from the last period to this one in per cent, signed; undefined: no trigger. */
  readonly deltaTp?: number;
}

export interface VmForecast {
  readonly id: string;
  readonly lp: number;
  readonly tp: number;
  /** Fewer than `warmup` real samples: counts as capacity, not as evidence. */
  readonly warming: boolean;
  /** No sample from agent or provider. */
  readonly dark: boolean;
}

export type Action = 'allocate' | 'release' | 'hold';

/** A comparison that a rule made, for people and for replay. */
export interface Comparison {
  readonly what: string;
  readonly value: number | undefined;
  readonly operator: '>' | '>=' | '<' | '<=' | '=';
  readonly bound: number;
  readonly holds: boolean;
  /** The action and the rule that this comparison is a term of: a rule fires when all of its terms hold. */
  readonly for?: 'allocate' | 'release';
  readonly rule?: string;
}

/** One period in numbers of the whole fleet: what policies remember of the past. A history has the newest first. */
export interface PeriodSummary {
  readonly at: Millis;
  /** VMs that are pending or ready: the n of the rules. */
  readonly vms: number;
  readonly ready: number;
  /** VMs that carried the load, where that are others than `ready`: who will be taken, and who relieves another one, serves too. */
  readonly serving?: number;
  /** Mean of the newest CPU samples, and of the newest memory readings, of the VMs that make up the fleet's LP. */
  readonly cpu?: number;
  readonly memory?: number;
  readonly lp?: number;
  readonly tp?: number;
  readonly deltaTp?: number;
  readonly arrivalRate: number;
  readonly arrivals?: readonly number[];
  /** Requests at VMs and waiting for one. */
  readonly concurrency: number;
  /** Requests a second answered, and mean ms at their VM, in this period alone. */
  readonly throughput?: number;
  readonly responseTime?: number;
  /** As in Traffic. */
  readonly queued?: number;
  readonly queueTime?: number;
  readonly lost?: number;
  readonly backlog?: Backlog;
  /** The longest boot of its VMs, measured or under way. */
  readonly boot?: Millis;
  /** What the policy has learned until then, in a form of its own; only the newest period has it. */
  readonly learned?: unknown;
  /** What was decided in it; of the present period nothing yet. */
  readonly action?: Action;
  readonly count?: number;
}

/** The bounds of the fleet's size. */
export interface Limits {
  readonly min: number;
  readonly max: number;
  /** The calendar's window that they come from. */
  readonly scheduledBy?: string;
}

/** What a policy wants. Data; applying it is another file's work. */
export interface Decision {
  readonly action: Action;
  /** How many VMs (1 for the published policies; 0 when holding). */
  readonly count: number;
  /** The rule that fired, by its short name. */
  readonly rule: string;
  /** One sentence for people. */
  readonly reason: string;
  readonly comparisons: readonly Comparison[];
  /** For a release: which VMs leave, first choice first. */
  readonly vms?: readonly string[];
  /** For an allocation, where the provider offers several kinds: what each VM is to be. */
  readonly purchases?: readonly Purchase[];
  /** The guard that changed the policy's decision, with the action it changed. */
  readonly guard?: { readonly name: string; readonly was: Action; readonly reason: string };
}

/** What is bought for one VM. */
export interface Purchase {
  readonly offer: Offer;
  /** Of an interruptible VM: the most to be paid an hour. */
  readonly maxPrice?: number;
  /** Why of this kind: one sentence. */
  readonly why: string;
}

/** One record of the journal: what was seen, decided and done in one period. */
export interface DecisionRecord {
  readonly at: Millis;
  readonly period: number;
  readonly policy: string;
  /** Whose VMs it is about, where the group has roles. */
  readonly role?: Role;
  readonly observation: Observation;
  readonly forecast: Forecast;
  readonly decision: Decision;
  readonly outcome: readonly StepOutcome[];
}

/** What became of one step of a plan. */
export interface StepOutcome {
  readonly step: string;
  readonly vm?: string;
  readonly ok: boolean;
  readonly message?: string;
  readonly durationMs: number;
}
