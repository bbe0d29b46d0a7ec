// The registry of selectors, by the names that the configuration uses.
import { leastInFlight } from './least-in-flight.ts';
import { leastLoadTarget } from './least-load-target.ts';
import { peakEwma } from './peak-ewma.ts';
import { powerOfTwoChoices } from './power-of-two-choices.ts';
import { roundRobin } from './round-robin.ts';
import type { Selector } from './selector.ts';

export const SELECTORS = {
  'round-robin': roundRobin,
  'least-in-flight': leastInFlight,
  'power-of-two-choices': powerOfTwoChoices,
  'peak-ewma': peakEwma,
  'least-load-target': leastLoadTarget,
} as const satisfies Record<string, Selector>;

export type SelectorName = keyof typeof SELECTORS;
