// Where the answer is expected soonest: response time × requests there, this one counted.
// Example: 20 ms × (3 + 1) = 80 beats 50 ms × (1 + 1) = 100.
import { least } from './selector.ts';
import type { Selector } from './selector.ts';

export const peakEwma: Selector = (vms, { turn, shareOf }) =>
  least(vms, turn, (vm) => (Math.max(vm.peak, 0.1) * (vm.inFlight + 1)) / shareOf(vm));
