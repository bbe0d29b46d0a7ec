// The settings that all policies have in common: bounds, thresholds, prediction, guards and deadlines, each declared once.
import type { Declarations, Values } from '../../settings/declaration.ts';

const DAY = 86_400_000;
const NO_WINDOWS: readonly string[] = [];

export const commonSettings = {
  predictor: {
    type: 'choice',
    choices: ['aging', 'last'],
    default: 'aging',
    doc: 'how samples become a prediction',
  },
  responseSample: {
    type: 'choice',
    choices: ['mean', 'last'],
    default: 'mean',
    doc: "a VM's response-time sample of a period: the mean over its answers, or the last one's (the paper keeps one time a VM)",
  },
  high: { type: 'number', default: 70, min: 0, max: 100, unit: '%', doc: 'high threshold, per cent of LP' },
  low: { type: 'number', default: 30, min: 0, max: 100, unit: '%', doc: 'low threshold, per cent of LP' },
  target: {
    type: 'number',
    default: 20,
    min: 0,
    max: 100,
    unit: '%',
    doc: 'per cent of delta TP that counts as a trend',
  },
  min: { type: 'whole', default: 1, min: 1, max: 100_000, unit: 'VMs', doc: 'fewest VMs' },
  max: { type: 'whole', default: 4, min: 1, max: 100_000, unit: 'VMs', doc: 'most VMs' },
  calendar: {
    type: 'list',
    default: NO_WINDOWS,
    doc: 'windows in which other bounds hold, such as mon-fri 08:00-20:00 Europe/Athens min=4 max=12 (days, months and days of the month, hours, time zone, bounds); the last one that holds counts',
  },
  period: { type: 'duration', default: 10_000, min: 100, max: 3_600_000, doc: 'the control interval' },
  window: { type: 'whole', default: 7, min: 1, max: 60, doc: 'samples that a prediction is made of' },
  warmup: {
    type: 'whole',
    default: 2,
    min: 1,
    max: 60,
    doc: "real samples before a VM's prediction counts as evidence",
  },
  decideWhilePending: {
    type: 'choice',
    choices: ['auto', true, false],
    default: 'auto',
    doc: 'whether to decide while VMs are pending or warming; auto: as the policy was published',
  },
  noFlap: {
    type: 'choice',
    choices: ['auto', true, false],
    default: 'auto',
    doc: 'hold a release that would itself trigger an allocation; auto: on for mmeliot (but for its preset paper-literal) and for adaptive',
  },
  allocateCooldown: {
    type: 'duration',
    default: 0,
    min: 0,
    max: DAY,
    doc: 'time after a change of the fleet before the next allocation',
  },
  releaseCooldown: {
    type: 'duration',
    default: 0,
    min: 0,
    max: DAY,
    doc: 'time after a change of the fleet before the next release',
  },
  step: {
    type: 'whole',
    default: 0,
    min: 0,
    max: 100_000,
    unit: 'VMs',
    doc: 'VMs that one period may add or release at most; 0: as many as the policy says',
  },
  longestQueueTime: {
    type: 'duration',
    default: 0,
    min: 0,
    max: DAY,
    doc: 'requests that wait for a VM for longer, on average, add one whatever the policy says; 0: never',
  },
  longestBacklog: {
    type: 'duration',
    default: 0,
    min: 0,
    max: DAY,
    doc: 'a capture job that is unfinished for longer adds a VM whatever the policy says; 0: never',
  },
  bootDeadline: {
    type: 'duration',
    default: 120_000,
    min: 1_000,
    max: DAY,
    doc: "a VM that isn't ready after this long is given up and replaced",
  },
  drainDeadline: {
    type: 'duration',
    default: 30_000,
    min: 0,
    max: DAY,
    doc: "a leaving VM's requests may take this long to finish",
  },
  paused: {
    type: 'flag',
    default: false,
    doc: 'add and release no VM by a decision; the minimum is kept up and what fails is replaced',
  },
  dryRun: { type: 'flag', default: false, doc: 'decide and record, change nothing at the provider' },
} as const satisfies Declarations;

/** Values of a policy's own parameters, where they differ from its defaults. */
export type OwnParameters = Readonly<Record<string, number | string | boolean>>;

export type CommonParameters = Values<typeof commonSettings> & { readonly policyParameters: OwnParameters };
