// The VM with the fewest requests at it, this one counted: (3 + 1) / 1 = 4 beats (1 + 1) / 0.4 = 5.
import { least } from './selector.ts';
import type { Selector } from './selector.ts';

export const leastInFlight: Selector = (vms, { turn, shareOf }) =>
  least(vms, turn, (vm) => (vm.inFlight + 1) / shareOf(vm));
