// One role's part of a fleet, as a provider: the VMs whose mark says so. Without roles, or of the role `query`, it is all but
// those of the role `work`, so that VMs of before the group had roles go on serving.
import type { Role } from '../model.ts';
import type { Provider } from './provider.ts';

/** The mark of a VM's allocation tells its role, since that is what a provider keeps. */
export const markOf = (role: Role | undefined, mark: string): string => (role === undefined ? mark : `${role}-${mark}`);

export const roleOf = (mark: string | undefined): Role | undefined =>
  mark?.startsWith('work-') ? 'work' : mark?.startsWith('query-') ? 'query' : undefined;

export function ofRole(provider: Provider, role: Role | undefined): Provider {
  return {
    name: provider.name,
    ...(provider.lookEvery !== undefined && { lookEvery: provider.lookEvery }),
    list: async () => (await provider.list()).filter(({ mark }) => (roleOf(mark) === 'work') === (role === 'work')),
    offers: () => provider.offers(role),
    allocate: (request) => provider.allocate({ ...request, ...(role !== undefined && { role }) }),
    release: (id) => provider.release(id),
  };
}
