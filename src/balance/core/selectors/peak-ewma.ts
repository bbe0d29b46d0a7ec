// A race: who would be done first, where each request there takes the VM's response time, and this one a time that is drawn around it.
// Example: 20 ms at 3 requests, 50 ms at 1: 20 × (3 + 0.7) = 74 beats 50 × (1 + 0.7) = 85. Of two idle VMs with 1 and 4 ms, the slower one gets a fifth.
// Without the draw a VM of 1.1 ms would get nothing while one of 1 ms has room, until that one has used up its share of the CPU and stands still.
// An upload is at a VM for a minute and gives way there: counted, it would send nearly all others elsewhere. What it takes from them
// their response times say. Among themselves uploads count.
import { least } from './selector.ts';
import type { Selector } from './selector.ts';

export const peakEwma: Selector = (vms, { turn, random, shareOf, isUpload }) =>
  least(vms, turn, (vm) => {
    const before = isUpload ? vm.inFlight : vm.inFlight - vm.uploads;
    const own = -Math.log(1 - random());
    return (Math.max(vm.peak, 0.1) * (before + own)) / shareOf(vm);
  });
