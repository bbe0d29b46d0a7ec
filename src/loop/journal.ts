// The journal: one JSON line for each decision (holds too), step and change of settings. Written before anything is
// done. A file starts with a `settings` line, so that it can be replayed by itself.
import type { Deed } from '../act/by-hand.ts';
import type { ElasticityParameters } from '../decide/parameters.ts';
import type { Market } from '../fleet/offers.ts';
import { fleetSettings } from '../fleet/settings.ts';
import { defaultsOf } from '../settings/declaration.ts';
import { modern } from './older.ts';
import type { DecisionRecord, Millis, PeriodSummary, StepOutcome } from '../model.ts';

export type JournalEntry =
  /** The settings in force from here on, and the past that the next decision looks back on. */
  | {
      readonly kind: 'settings';
      readonly at: Millis;
      readonly parameters: ElasticityParameters;
      readonly history: readonly PeriodSummary[];
      /** What was offered; absent where there is no choice. */
      readonly market?: Market;
    }
  /** What is offered from here on, where there is a choice. */
  | { readonly kind: 'market'; readonly at: Millis; readonly market: Market }
  | {
      readonly kind: 'change';
      readonly at: Millis;
      readonly who: string;
      readonly patch: ParameterPatch;
      readonly before?: ParameterPatch;
    }
  /** What a person did beside all decisions. */
  | ({ readonly kind: 'hand' } & HandRecord)
  | { readonly kind: 'period'; readonly record: DecisionRecord }
  /** What became of a step, with the period whose decision it belongs to. */
  | { readonly kind: 'step'; readonly at: Millis; readonly period?: number; readonly outcome: StepOutcome };

export interface HandRecord {
  readonly at: Millis;
  readonly who: string;
  readonly deed: Deed | { readonly what: 'acknowledge'; readonly problem: string };
}

/** New values; null: back to the configured one. */
export type ParameterPatch = { readonly [K in keyof ElasticityParameters]?: ElasticityParameters[K] | null };

/**
 * Port: where entries are kept. Appending must not block and must not throw. `head` gives the `settings` line that a
 * new file starts with.
 */
export interface JournalSink {
  append(entry: JournalEntry, head: () => JournalEntry): void;
  /** Resolves when everything appended so far is safe, or can't be made safe. */
  flush?(): Promise<void>;
}

export const encodeEntry = (entry: JournalEntry): string => JSON.stringify(entry);

const KINDS: ReadonlySet<string> = new Set<JournalEntry['kind']>([
  'settings',
  'market',
  'change',
  'hand',
  'period',
  'step',
]);

/** What older versions don't write, as they behaved. */
const SINCE: Partial<ElasticityParameters> = {
  ...{ calendar: [], paused: false },
  ...{ ...defaultsOf(fleetSettings), spreadPremium: 100 },
};

/** What may be a number that no double holds: nobody wrote such a line, and there is no such time. */
const ENDLESS = /\d{309}|[eE]\+?\d{3}/;
function finite(_: string, value: unknown): unknown {
  if (value === Infinity || value === -Infinity) throw new RangeError('no double holds it');
  return value;
}

/** Undefined for a line that isn't a whole entry: the last one of a process that was killed may be torn. */
export function decodeEntry(line: string): JournalEntry | undefined {
  try {
    const entry = (ENDLESS.test(line) ? JSON.parse(line, finite) : JSON.parse(line)) as Partial<JournalEntry> | null;
    if (entry === null || !KINDS.has(entry.kind ?? '')) return undefined;
    const known = entry as JournalEntry;
    return known.kind === 'settings' ? { ...known, parameters: { ...SINCE, ...modern(known.parameters) } } : known;
  } catch {
    return undefined;
  }
}
