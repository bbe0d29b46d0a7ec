// Eliot's first gateway, kept as a baseline to measure: the VM with the least load of the last period gets
// every request of this one. A VM without a reported load counts as idle. (Saturation is therefore wanted here.)
import { least } from './selector.ts';
import type { Selector } from './selector.ts';

export const leastLoadTarget: Selector = (vms) => least(vms, 0, (vm) => vm.load ?? 0);
