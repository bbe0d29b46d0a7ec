// The VMs of a fleet as text.
import type { ManagerView, ShownVm } from '../../loop/view.ts';
import type { VmPage } from '../../loop/vm-view.ts';
import { ago } from './status-text.ts';
import { table } from './table.ts';

/** With those for stored work, where the group has such. */
export function vmTable({ vms, at, work }: Pick<ManagerView, 'vms' | 'at' | 'work'>): readonly string[] {
  const others = work === undefined ? [] : ['', '  For stored work', ...vmTable({ vms: work.vms, at })];
  if (vms.length === 0) return ['  There is no VM.', ...others];
  const isPacked = vms.some(({ node }) => node !== undefined);
  const head = [
    'VM',
    ...(isPacked ? ['NODE'] : []),
    'STATE',
    'FOR',
    'LP',
    'CPU',
    'MEMORY',
    'RESPONSE',
    'IN FLIGHT',
    'NOTE',
  ];
  return [...table([head, ...vms.map((vm) => rowOf(vm, at, isPacked))]), ...others];
}

export function vmText({ id, vm, life, log }: VmPage, at: number): readonly string[] {
  const steps = life.map(({ at: then, outcome: { step, ok, message = '' } }) => [
    new Date(then).toISOString(),
    ok ? step : `${step} failed`,
    message,
  ]);
  return [
    ...(vm === undefined ? [`  ${id} is gone.`] : vmTable({ vms: [vm], at })),
    ...(steps.length === 0 ? [] : ['', 'Life', ...table(steps)]),
    ...(log === undefined ? [] : ['', 'Log', ...log]),
  ];
}

const rowOf = (vm: ShownVm, at: number, isPacked: boolean): readonly string[] => [
  ...[
    vm.id,
    ...(isPacked ? [vm.node ?? '-'] : []),
    vm.out ? `${vm.state}, out` : vm.state,
    ago(at - vm.since),
    shown(vm.lp, ' %'),
    shown(vm.cpu, ' %'),
    shown(vm.memory, ' %'),
  ],
  ...[shown(vm.responseTime || undefined, ' ms'), vm.inFlight === undefined ? '-' : `${vm.inFlight}/${vm.limit}`],
  vm.note ?? (vm.relieves === undefined ? '' : `relieves ${vm.relieves}`),
];

const shown = (value: number | undefined, unit: string): string =>
  value === undefined ? '-' : `${value.toFixed(0)}${unit}`;
