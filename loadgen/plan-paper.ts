// The paper's experiment as a plan. Its bursts of 1 to 210 requests are scaled to the machine; duration, client step,
// period, boot time and the size of a VM are not stated in the paper.

export interface PaperOptions {
  /** Requests of the largest burst; default: 120 % of what the largest fleet answers in a client step. */
  readonly k?: number;
  /** Of each run. Default 60s. */
  readonly duration?: string;
  /** Default 3. */
  readonly repetitions?: number;
  /** Cores of a VM. Default 0.1. */
  readonly cpu?: number;
  readonly seed?: number;
}

/**
 * A run of 60 s has 60 control periods of 1 s, as many as ten minutes have of the paper's 10 s. The original gateway
 * had no queue to speak of: here a burst may wait for 2 s; what waits longer is refused, and lost.
 */
export const paperPlan = ({ k, duration = '60s', repetitions = 3, cpu = 0.1, seed = 1 }: PaperOptions): string => `\
name: The paper's experiment
seed: ${seed}
repetitions: ${repetitions}
compareWithPaper: true
policies:
  eliot: { elasticity.policy: eliot }
  mmeliot: { elasticity.policy: mmeliot }
  paper-literal: { elasticity.policy: mmeliot, elasticity.preset: paper-literal }
profiles:
  ascending: { profile: ascending, max: ${k ?? '120%'}, duration: ${duration} }
  descending: { profile: descending, max: ${k ?? '120%'}, duration: ${duration} }
load: { drive: bursts, step: 1s, mix: poll=1, timeout: 10s }
warmup: 3s
events: 5000
settings:
  elasticity.min: 1
  elasticity.max: 4
  elasticity.period: 1s
  gateway.queue.deadline: 2s
  local.cpu: ${cpu}
`;
