// What the fleet behind a gateway costs, asked of its manager: a load says what it cost to answer it.
import { showPrice } from '../../fleet/money.ts';
import type { ManagerView } from '../../loop/view.ts';
import { askAdmin, type AdminOptions } from './admin-client.ts';

/** In the provider's currency. */
export interface FleetBill {
  /** So far. */
  readonly cost: number;
  /** An hour, now. */
  readonly rate: number;
}

/** Undefined: no manager answers, it is another gateway's, or nobody says what its VMs cost. */
export async function fleetBill(url: string, admin: AdminOptions): Promise<FleetBill | undefined> {
  const view = await askAdmin<ManagerView>(admin, '/api/state').catch(() => undefined);
  if (!view?.money?.isPriced || !isSame(view.gateway, url)) return undefined;
  return { cost: view.money.cost, rate: view.money.rate };
}

/** What it cost from one to the other. Undefined: it isn't known, or the manager began anew meanwhile. */
export function billBetween(before: FleetBill | undefined, after: FleetBill | undefined): FleetBill | undefined {
  if (before === undefined || after === undefined || after.cost < before.cost) return undefined;
  return { cost: after.cost - before.cost, rate: after.rate };
}

export const billText = ({ cost, rate }: FleetBill): string =>
  `cost       ${showPrice(cost)}, and ${showPrice(rate)} an hour now`;

function isSame(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [a, b] = [one, other].map((url) => new URL(url.replace('//localhost', '//127.0.0.1')));
  return a?.host === b?.host;
}
