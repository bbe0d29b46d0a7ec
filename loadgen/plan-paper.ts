// The paper's experiment as a plan. Its bursts of 1 to 210 requests are scaled to the machine; duration, client step,
// period, boot time and the size of a VM are not stated in the paper.

/** `table`: what Table 2 must have been measured in; `bursts`: a long ramp of bursts, as the report's figures 5 and 6 are clearest. */
export type Regime = 'table' | 'bursts';
export const REGIMES: readonly Regime[] = ['table', 'bursts'];

export interface PaperOptions {
  /** Default: table. */
  readonly regime?: Regime;
  /** Requests of the largest burst; default: 70 % of what the largest fleet answers in a client step. */
  readonly k?: number;
  /** Of each run. Default 15s, for bursts 75s. */
  readonly duration?: string;
  /** Default 10, for bursts 3. */
  readonly repetitions?: number;
  /** Cores of a VM. Default 0.2. */
  readonly cpu?: number;
  readonly seed?: number;
}

/**
 * Of each regime. Table 2 (`TABLE-2.md`): the next requests are sent when the last ones are answered, the sample of a VM's
 * response time is the last one's, and while a VM boots (some 2.5 s here) the load grows by about half a VM: to 2.8 VMs in 15 s.
 * Bursts: 75 s have 150 control periods of half a second, as many as 25 minutes have of the paper's 10 s; there the load
 * grows by a tenth of a VM in the time of a boot.
 */
const OF = {
  table: { drive: 'batch', step: '500ms', sample: 'last', duration: '15s', repetitions: 10 },
  bursts: { drive: 'bursts', step: '500ms', sample: 'mean', duration: '75s', repetitions: 3 },
} as const;

/**
 * The policies differ where LP stays between their thresholds for a while, so the top of the ramp needs about three of the four
 * VMs: beyond that every policy just has all of them. The original gateway had no queue to speak of: here a burst may wait
 * for 1 s; what waits longer is refused, and lost.
 */
export function paperPlan({ regime = 'table', k, cpu = 0.2, seed = 1, ...given }: PaperOptions): string {
  const { drive, step, sample, ...usual } = OF[regime];
  const { duration, repetitions } = { ...usual, ...given };
  return `\
name: The paper's experiment${regime === 'table' ? '' : ', in bursts'}
seed: ${seed}
repetitions: ${repetitions}
compareWithPaper: true
policies:
  eliot: { elasticity.policy: eliot }
  mmeliot: { elasticity.policy: mmeliot }
  paper-literal: { elasticity.policy: mmeliot, elasticity.policyParameters.preset: paper-literal }
profiles:
  ascending: { profile: ascending, max: ${k ?? '70%'}, duration: ${duration} }
  descending: { profile: descending, max: ${k ?? '70%'}, duration: ${duration} }
load: { drive: ${drive}, step: ${step}, mix: poll=1, timeout: 10s }
warmup: 3s
events: 5000
calibration: { clients: [1, 4, 16], duration: 8s, warmup: 15s }
settings:
  elasticity.min: 1
  elasticity.max: 4
  elasticity.period: 500ms
  elasticity.responseSample: ${sample}
  gateway.queue.deadline: 1s
  local.cpu: ${cpu}
`;
}
