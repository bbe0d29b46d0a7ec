// Where the answer is expected soonest: response time × requests there, this one counted.
// Example: 20 ms × (3 + 1) = 80 beats 50 ms × (1 + 1) = 100.
// An upload is at a VM for a minute and gives way there: counted, it would send nearly all others elsewhere. What it takes from them
// their response times say. Among themselves uploads count.
import { least } from './selector.ts';
import type { Selector } from './selector.ts';

export const peakEwma: Selector = (vms, { turn, shareOf, isUpload }) =>
  least(vms, turn, (vm) => {
    const before = isUpload ? vm.inFlight : vm.inFlight - vm.uploads;
    return (Math.max(vm.peak, 0.1) * (before + 1)) / shareOf(vm);
  });
