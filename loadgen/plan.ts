// A plan: which policies meet which loads, how often, on what system. Read from YAML; durations end as ms.
import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'yaml';
import { z } from 'zod';
import { faultIn, parseYaml, placesIn } from '../src/files/yaml-places.ts';
import { hint } from '../src/settings/nearest.ts';
import { asSentence } from '../src/settings/values.ts';
import { FILLED, parseDuration } from './cli.ts';
import { PROFILE_NAMES } from './profiles/index.ts';
import { DRIVES } from './profiles/pacer.ts';
import { OptionError } from './workload/option-error.ts';
import { createRandom } from './workload/random.ts';

const duration = () =>
  z.union([z.number(), z.string()]).transform((given, context) => {
    try {
      return parseDuration(String(given));
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

const name = () => z.string().regex(/^[\w.-]+$/, 'a name of letters, digits, dots and dashes is expected');
const settings = () => z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const ramp = z.strictObject({
  profile: z
    .string()
    .refine((given) => (PROFILE_NAMES as readonly string[]).includes(given) || given.startsWith('trace:'), {
      error: `one of ${PROFILE_NAMES.join(', ')} or trace:<file> is expected`,
    }),
  max: z
    .union([
      z.number().positive(),
      z.string().regex(/^\d+(\.\d+)? ?%$/, 'a number, or a share such as 120%, is expected'),
    ])
    .describe(
      'highest load, or its share of what elasticity.max VMs (of `settings`; else 4) can answer, by calibration',
    ),
  duration: duration().optional(),
  growth: z
    .number()
    .positive()
    .optional()
    .describe(
      'in place of a duration: by how many VMs the load grows (or falls) while one boots, as it is measured beforehand',
    ),
});

const profile = ramp.refine(({ duration: given, growth }) => (given === undefined) !== (growth === undefined), {
  error: 'either duration or growth is expected',
});

const load = z.strictObject({
  drive: z.enum(DRIVES).default('bursts'),
  step: duration().prefault('1s'),
  thinkTime: duration().prefault('1s'),
  arrivals: z.enum(['poisson', 'even']).default('poisson'),
  mix: z.string().default('poll=50,rest=30,capture-xml=10,capture-json=10'),
  timeout: duration().prefault('30s'),
});

const objective = z.strictObject({
  share: z.number().gt(0).lt(1).default(0.95),
  within: duration().prefault('500ms'),
});

const calibration = z.strictObject({
  clients: z.array(z.int().min(1)).min(1).default([1, 2, 4, 8, 16]),
  duration: duration().prefault('8s').describe('of each number of clients, and of the bursts at the end'),
  warmup: duration().prefault('20s').describe('full load before that, to see how much slower a new VM is'),
});

const plan = z.strictObject({
  name: z.string().min(1),
  seed: z.int().min(0).default(1).describe('of the data, the load and the order of the runs'),
  repetitions: z.int().min(1).default(3),
  policies: z.record(name(), settings()).describe('by name: the settings of `mmeliot up` that make the policy'),
  profiles: z.record(name(), profile).describe('by name: the loads'),
  load: load.prefault({}),
  warmup: duration().prefault('5s').describe('one request a second before each run; not measured'),
  events: z.int().min(0).default(FILLED).describe('events in the repository before each run'),
  objective: objective.prefault({}).describe('what counts as a violation, and T of Apdex'),
  calibration: calibration.prefault({}).describe('one VM measured with so many clients that never think'),
  config: z.string().optional().describe('configuration file of `mmeliot up`, for instance for another provider'),
  settings: settings().default({}).describe('settings of `mmeliot up` for all runs'),
  compareWithPaper: z.boolean().default(false).describe("whether the report has the paper's numbers beside ours"),
});

const schema = plan.superRefine(({ profiles, load: { drive } }, context) => {
  for (const [each, { growth }] of Object.entries(profiles))
    if (growth !== undefined && drive === 'closed')
      context.addIssue({
        code: 'custom',
        path: ['profiles', each, 'growth'],
        message: 'with clients that wait nobody knows how fast the load grows; name its duration',
      });
});

export type ExperimentPlan = z.output<typeof schema>;

/** One run to make: its name is its folder. */
export interface Cell {
  readonly name: string;
  readonly policy: string;
  readonly profile: string;
  readonly repetition: number;
}

export function parsePlan(text: string, where: string): ExperimentPlan {
  const yaml = parseYaml(text);
  if (yaml === undefined) throw new OptionError(`${where}: this is no YAML: it is nested too deeply.`);
  const { document, lines } = yaml;
  const { at, place } = placesIn(document, lines, where);
  const fault = faultIn(document);
  if (fault !== undefined) throw new OptionError(asSentence(`${at(fault.offset)}: this is no YAML: ${fault.sentence}`));
  const parsed = schema.safeParse(contentOf(document, where));
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues
    .flatMap(wrongOf)
    .map(({ path, sentence }) => `${place(path) || where}: ${sentence}`);
  throw new OptionError(asSentence(wrong.join('; ').replaceAll('?;', '?')));
}

/** An alias of nothing is found only here. */
function contentOf(document: Document, where: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new OptionError(`${where}: this is no YAML: ${(error as Error).message}`);
  }
}

function wrongOf(
  issue: z.core.$ZodIssue,
): readonly { readonly path: readonly PropertyKey[]; readonly sentence: string }[] {
  const { path } = issue;
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  const name = path.join('.') || 'the plan';
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key],
      sentence: `there is no ${[...path, key].join('.')}${hint(key, namesAt(path))}`,
    }));
  const missing = issue.code === 'invalid_type' && message.endsWith('received undefined');
  // what isn't there stands nowhere
  return [
    {
      path: missing ? path.slice(0, -1) : path,
      sentence: missing ? `${name} is missing` : `${name}: ${message.replace(/^Invalid input: /, '')}`,
    },
  ];
}

const SECTIONS: Readonly<Record<string, z.ZodObject>> = { profiles: ramp, load, objective, calibration };

/** Profiles have names of their own, and below them settings. */
const namesAt = ([section]: readonly PropertyKey[]): readonly string[] =>
  Object.keys((SECTIONS[String(section)] ?? plan).shape);

/** All runs in the order to make them: each repetition has every policy and load once, shuffled by the seed. */
export function cellsOf({ policies, profiles, repetitions, seed }: ExperimentPlan): readonly Cell[] {
  const random = createRandom(seed);
  return Array.from({ length: repetitions }, (_, i) => {
    const cells = Object.keys(policies).flatMap((policy) =>
      Object.keys(profiles).map((profile) => ({
        name: `${policy}-${profile}-${i + 1}`,
        policy,
        profile,
        repetition: i + 1,
      })),
    );
    for (let last = cells.length - 1; last > 0; last--) {
      const other = random.below(last + 1);
      [cells[last], cells[other]] = [cells[other] as Cell, cells[last] as Cell];
    }
    return cells;
  }).flat();
}

/** The calibration is needed by plans whose highest load is a share of what the fleet can answer. */
export const maxOf = (max: number | string, capacity: number): number =>
  typeof max === 'number' ? max : Math.max(1, Math.round((Number(max.replace(/ ?%$/, '')) / 100) * capacity));

/** What a VM was measured to do, and the load at its highest, a second. */
export interface Growing {
  readonly bootMs: number;
  readonly vmRate: number;
  readonly perSecond: number;
}

/**
 * How long a load takes: as the plan says, or so that it grows by `growth` VMs while one boots. In whole seconds.
 * Worked: to 2.8 VMs (56 a second of 20 each), half a VM in a boot of 2.5 s: 2.8 × 2.5 / 0.5 = 14 s.
 */
export function durationOf(
  { duration: given, growth = 1 }: { readonly duration?: number | undefined; readonly growth?: number | undefined },
  { bootMs, vmRate, perSecond }: Growing,
): number {
  if (given !== undefined) return given;
  return 1000 * Math.max(1, Math.round(((perSecond / vmRate) * bootMs) / growth / 1000));
}

/** Resuming under another plan would mix runs that can't be compared. */
export function samePlan(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
}
