// The settings of the mix: which kind of VM, where the provider offers several. Like the others they can be changed while it runs.
import type { Declarations, Values } from '../settings/declaration.ts';
import { parseWindow } from '../settings/time-window.ts';

const DAY = 86_400_000;
const NONE: readonly string[] = [];

export const fleetSettings = {
  base: { type: 'whole', default: 0, min: 0, max: 100_000, unit: 'VMs', doc: 'VMs that are always on demand' },
  spotShare: {
    type: 'number',
    default: 0,
    min: 0,
    max: 100,
    unit: '%',
    doc: 'per cent of the other VMs that are interruptible, where the provider offers such (rounded down)',
  },
  pools: {
    type: 'whole',
    default: 3,
    min: 1,
    max: 1_000,
    doc: 'interruptible VMs are spread over that many pools, the cheapest ones: a pool at twice the price gets a quarter as many',
  },
  spreadPremium: {
    type: 'number',
    default: 10,
    min: 0,
    max: 100,
    unit: '%',
    doc: 'a pool is one of these if it costs so much more than the cheapest one at most, per cent of what is paid at the most (on demand, or maxPrice)',
  },
  poolShare: {
    type: 'number',
    default: 80,
    min: 1,
    max: 100,
    unit: '%',
    doc: 'most of the interruptible VMs that are bought in one pool while another one is to be had, per cent (rounded down, but one)',
  },
  maxPrice: {
    type: 'number',
    default: 0,
    min: 0,
    max: 1_000_000,
    doc: 'most that is paid for an interruptible VM an hour, and never more than on demand; 0: as much as on demand',
  },
  poolRest: {
    type: 'duration',
    default: 600_000,
    min: 0,
    max: DAY,
    doc: 'a pool that had no room, or whose VMs were interrupted, is not asked again for this long',
  },
  quietHours: {
    type: 'text',
    default: '',
    doc: 'hours in which no VM is replaced by a cheaper one, such as 08:00-18:00 (UTC) or mon-fri 08:00-18:00 Europe/Athens; empty: none',
  },
  protected: { type: 'list', default: NONE, doc: 'VMs (by id) that stay when others are released or replaced' },
  vcpu: { type: 'number', default: 0, min: 0, max: 10_000, unit: 'vCPUs', doc: 'least that a VM has' },
  memory: { type: 'size', default: 0, doc: 'least memory that a VM has; 0: whatever it has' },
  architecture: { type: 'text', default: '', doc: 'architecture of the VMs, such as x86_64; empty: any' },
} as const satisfies Declarations;

export type FleetParameters = Values<typeof fleetSettings>;

/** What can't hold, in a sentence. */
export function quietErrors({ quietHours }: { readonly quietHours: string }): readonly string[] {
  const window = quietHours === '' ? undefined : parseWindow(quietHours);
  if (window === undefined) return [];
  const bounded = typeof window !== 'string' && (window.min !== undefined || window.max !== undefined);
  const why = bounded ? 'bounds stand, which belong into elasticity.calendar' : window;
  if (typeof why !== 'string') return [];
  return [`quietHours: in "${quietHours}" ${why}; they are written like mon-fri 08:00-18:00 Europe/Athens.`];
}
