// Which VMs leave when the fleet shrinks: the lowest LP first; among equals the newest.
import type { Forecast, Vm } from '../../model.ts';
import type { Situation } from './policy.ts';

export function leastLoaded(situation: Situation, count: number): readonly string[] {
  const lp = lpById(situation.forecast);
  return situation.fleet
    .filter((vm) => vm.state === 'ready')
    .sort((a, b) => (lp.get(a.id) ?? 0) - (lp.get(b.id) ?? 0) || b.since - a.since || byId(a, b))
    .slice(0, count)
    .map((vm) => vm.id);
}

/** The fleet's list order, oldest first: what OneFlow does. */
export function oldest(situation: Situation, count: number): readonly string[] {
  return situation.fleet
    .filter((vm) => vm.state === 'ready')
    .sort((a, b) => a.since - b.since || byId(a, b))
    .slice(0, count)
    .map((vm) => vm.id);
}

const lpById = (forecast: Forecast): Map<string, number> => new Map(forecast.vms.map((vm) => [vm.id, vm.lp]));

/** A last word, so that the same situation always gives the same decision. */
const byId = (a: Vm, b: Vm): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
