// The paper's experiment as a plan. Its bursts of 1 to 210 requests are scaled to the machine; duration, client step,
// period, boot time and the size of a VM are not stated in the paper.

export interface PaperOptions {
  /** Requests of the largest burst; default: 70 % of what the largest fleet answers in a client step. */
  readonly k?: number;
  /** Of each run. Default 75s. */
  readonly duration?: string;
  /** Default 3. */
  readonly repetitions?: number;
  /** Cores of a VM. Default 0.2. */
  readonly cpu?: number;
  readonly seed?: number;
}

/**
 * A run of 75 s has 150 control periods of half a second, as many as 25 minutes have of the paper's 10 s. The policies
 * differ where LP stays between their thresholds for a while, so the ramp is long and its top needs about three of the four
 * VMs: beyond that every policy just has all of them. The original gateway had no queue to speak of: here a burst may wait
 * for 1 s; what waits longer is refused, and lost.
 */
export const paperPlan = ({ k, duration = '75s', repetitions = 3, cpu = 0.2, seed = 1 }: PaperOptions): string => `\
name: The paper's experiment
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
load: { drive: bursts, step: 500ms, mix: poll=1, timeout: 10s }
warmup: 3s
events: 5000
calibration: { clients: [1, 4, 16], duration: 8s, warmup: 15s }
settings:
  elasticity.min: 1
  elasticity.max: 4
  elasticity.period: 500ms
  gateway.queue.deadline: 1s
  local.cpu: ${cpu}
`;
