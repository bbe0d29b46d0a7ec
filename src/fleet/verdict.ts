// The policy's decision with the mix's part: what is bought for an allocation, and who leaves for a release.
import type { Decision, Fleet, Forecast, Vm } from '../model.ts';
import { counts, leaving, purchases, type Leaver } from './mix.ts';
import { hasChoice, isInterruptible, type Market } from './offers.ts';
import type { FleetParameters } from './settings.ts';

export interface MixSituation {
  readonly fleet: Fleet;
  readonly forecast: Forecast;
  readonly market: Market;
}

/** The number is the policy's, and stays; only protected VMs can make a release smaller. */
export function mixed(decision: Decision, situation: MixSituation, settings: FleetParameters): Decision {
  if (decision.action === 'allocate') return bought(decision, situation, settings);
  return decision.action === 'release' ? released(decision, situation, settings) : decision;
}

function bought(decision: Decision, { fleet, market }: MixSituation, settings: FleetParameters): Decision {
  if (!hasChoice(market)) return decision;
  return { ...decision, purchases: purchases(decision.count, active(fleet), market, settings) };
}

function released(decision: Decision, { fleet, forecast, market }: MixSituation, settings: FleetParameters): Decision {
  const isProtected = new Set(settings.protected);
  const isPacked = fleet.some(({ node }) => node !== undefined);
  if (!hasChoice(market) && !isPacked && !(decision.vms ?? []).some((id) => isProtected.has(id))) return decision;
  const present = fleet.map((vm) => atPriceOfNow(vm, market));
  const leavers = inOrder(decision, present, forecast).filter(({ id }) => !isProtected.has(id));
  const vms = leaving(decision.count, leavers, active(present), market, settings);
  if (vms.length === decision.count) return { ...decision, vms };
  const why = `${decision.count - vms.length} of those to leave ${decision.count - vms.length === 1 ? 'is' : 'are'} protected`;
  const reason = `${decision.reason} ${vms.length === 0 ? 'Held' : `Only ${vms.length}`}: ${why}.`;
  const guard = { name: 'protected', was: decision.action, reason };
  if (vms.length === 0) return { ...decision, action: 'hold', count: 0, vms: undefined, reason, guard };
  return { ...decision, count: vms.length, vms, reason, guard };
}

const atPriceOfNow = (vm: Vm, { offers }: Market): Vm => {
  const offer = offers.find(({ id }) => id === vm.offer?.id);
  return offer === undefined ? vm : { ...vm, offer };
};

const active = (fleet: Fleet): readonly Vm[] =>
  fleet.filter((vm) => counts(vm) && (vm.state === 'ready' || vm.state === 'pending'));

/** How many are on a VM's machine: those leave first with which a machine can be given back; 0: it has one of its own. */
function crowdsOn(fleet: Fleet): (vm: Vm) => number {
  const counts = new Map<string, number>();
  for (const { node } of fleet) if (node !== undefined) counts.set(node, (counts.get(node) ?? 0) + 1);
  return ({ node = '' }) => counts.get(node) ?? 0;
}

/** Stand-ins may leave before they serve; of the others those that do: the policy's choice first, then the least loaded. */
function inOrder({ vms = [] }: Decision, fleet: Fleet, forecast: Forecast): readonly Leaver[] {
  const lp = new Map(forecast.vms.map((vm) => [vm.id, vm.lp]));
  const rank = ({ id }: Vm): number => (vms.includes(id) ? vms.indexOf(id) : vms.length + (lp.get(id) ?? 0));
  const crowds = crowdsOn(fleet);
  return active(fleet)
    .filter((vm) => vm.state === 'ready' || vm.inPlaceOf !== undefined)
    .toSorted((a, b) => crowds(a) - crowds(b) || rank(a) - rank(b))
    .map((vm) => ({ id: vm.id, offer: vm.offer, isStandIn: vm.inPlaceOf !== undefined && !isInterruptible(vm) }));
}
