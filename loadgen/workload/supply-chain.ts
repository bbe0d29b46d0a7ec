// The synthetic application after Gomes et al.: tagged goods pass readers at locations, and each reading is an event.
import type { Random } from './random.ts';

export interface SupplyChainOptions {
  /** Tagged items, each with an EPC of its own. */
  readonly tags: number;
  readonly readers: number;
  readonly locations: number;
  /** The most EPCs that one reading sees; the mean is half of it. */
  readonly epcsPerEvent: number;
}

export const SUPPLY_CHAIN_DEFAULTS: SupplyChainOptions = { tags: 10_000, readers: 50, locations: 10, epcsPerEvent: 8 };

/** One reading. Either plain (`epcs` seen) or, with a parent, packed into a logistic unit. */
export interface Reading {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly epcs: readonly string[];
  readonly parent?: string;
  readonly readPoint: string;
  readonly bizLocation: string;
  readonly step: BusinessStep;
}

/** The way of goods through a location, with CBV's words: reader r of a location stands at step r modulo 4. */
const STEPS = [
  { bizStep: 'receiving', disposition: 'in_progress' },
  { bizStep: 'storing', disposition: 'in_progress' },
  { bizStep: 'picking', disposition: 'in_progress' },
  { bizStep: 'shipping', disposition: 'in_transit' },
] as const;
export type BusinessStep = (typeof STEPS)[number];

/** GS1 company prefix of the examples in the standards; the application's partners are its locations. */
const COMPANY = '0614141';

export const tag = (index: number): string =>
  `urn:epc:id:sgtin:${COMPANY}.${pad(100_000 + (index % 50), 6)}.${index + 1}`;
const container = (index: number): string => `urn:epc:id:sscc:${COMPANY}.1${pad(index, 9)}`;
export const location = (index: number): string => `urn:epc:id:sgln:${COMPANY}.${pad(index + 1, 5)}.0`;
/** A reader is a part of its location: the same number with an extension. */
export const reader = (index: number, locations: number): string =>
  `urn:epc:id:sgln:${COMPANY}.${pad((index % locations) + 1, 5)}.${index + 1}`;
export const stepOf = (readerIndex: number, locations: number): BusinessStep =>
  STEPS[Math.floor(readerIndex / locations) % STEPS.length] ?? STEPS[0];

/** One reading at a reader by chance. One in five packs what it sees into a container. */
export function read(options: SupplyChainOptions, random: Random, now: number): Reading {
  const readerIndex = random.below(options.readers);
  const first = random.below(options.tags);
  const count = Math.min(1 + random.below(options.epcsPerEvent), options.tags);
  const reading = {
    time: new Date(now).toISOString(),
    epcs: Array.from({ length: count }, (_, i) => tag((first + i) % options.tags)),
    readPoint: reader(readerIndex, options.locations),
    bizLocation: location(readerIndex % options.locations),
    step: stepOf(readerIndex, options.locations),
  };
  return random.next() < 0.2 ? { ...reading, parent: container(Math.floor(first / options.epcsPerEvent)) } : reading;
}

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');
