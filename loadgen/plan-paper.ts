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
  /** Of each run. Default: the load grows by half a VM while one boots; for bursts 75s. */
  readonly duration?: string;
  /** Default 10, for bursts 3. */
  readonly repetitions?: number;
  /** Cores of a VM. Default 0.2. */
  readonly cpu?: number;
  readonly seed?: number;
  /** What Table 2 is about, and no more: Eliot and MMEliot, ascending. */
  readonly short?: boolean;
}

/**
 * Of each regime. Table 2 (`TABLE-2.md`): the next requests are sent when the last ones are answered, the sample of a VM's
 * response time is the last one's, and while a VM boots the load grows by half a VM: how long that takes is measured first.
 * Bursts: 75 s have 150 control periods of half a second, as many as 25 minutes have of the paper's 10 s; there the load
 * grows by a tenth of a VM in the time of a boot.
 */
const OF = {
  table: { drive: 'batch', step: '500ms', sample: 'last', pace: 'growth: 0.5', repetitions: 10 },
  bursts: { drive: 'bursts', step: '500ms', sample: 'mean', pace: 'duration: 75s', repetitions: 3 },
} as const;

/**
 * The policies differ where LP stays between their thresholds for a while, so the top of the ramp needs about three of the four
 * VMs: beyond that every policy just has all of them. The original gateway had no queue to speak of: here a burst may wait
 * for 1 s; what waits longer is refused, and lost.
 */
export function paperPlan({ regime = 'table', short = false, ...given }: PaperOptions): string {
  const { repetitions } = { ...OF[regime], ...given };
  const pace = given.duration === undefined ? OF[regime].pace : `duration: ${given.duration}`;
  const ramp = (profile: string): string => `  ${profile}: { profile: ${profile}, max: ${given.k ?? '70%'}, ${pace} }`;
  const name = `The paper's experiment${regime === 'table' ? '' : ', in bursts'}${short ? ', ascending' : ''}`;
  const profiles = ['ascending', ...(short ? [] : ['descending'])].map(ramp);
  return planOf(name, regime, profiles, short ? [] : [LITERAL], { ...given, repetitions });
}

/** The map's middle, live: how much the load grows while a VM boots decides whether MMEliot helps. */
export function growthPlan({
  k,
  repetitions = 3,
  ...given
}: Omit<PaperOptions, 'regime' | 'short' | 'duration'>): string {
  const profiles = GROWTHS.map(
    (growth) => `  growth-${growth}: { profile: ascending, max: ${k ?? '70%'}, growth: ${growth} }`,
  );
  return planOf('Where MMEliot differs from Eliot, live', 'table', profiles, [], { ...given, repetitions });
}

/** By how many VMs the load grows while one boots. */
const GROWTHS = [0.25, 0.5, 1];
const LITERAL = '  paper-literal: { elasticity.policy: mmeliot, elasticity.policyParameters.preset: paper-literal }';

function planOf(
  name: string,
  regime: Regime,
  profiles: readonly string[],
  policies: readonly string[],
  { repetitions, cpu = 0.2, seed = 1 }: Pick<PaperOptions, 'cpu' | 'seed'> & { readonly repetitions: number },
): string {
  const { drive, step, sample } = OF[regime];
  return `\
name: ${name}
seed: ${seed}
repetitions: ${repetitions}
compareWithPaper: true
policies:
${['  eliot: { elasticity.policy: eliot }', '  mmeliot: { elasticity.policy: mmeliot }', ...policies].join('\n')}
profiles:
${profiles.join('\n')}
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
