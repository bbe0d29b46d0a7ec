import { expect } from 'chai';
import { markOf, ofRole, roleOf } from '../../../src/act/of-role.ts';
import type { AllocationRequest, ProvidedVm, Provider } from '../../../src/act/provider.ts';

describe("one role's part of a fleet", () => {
  const vm = (id: string, mark?: string): ProvidedVm => ({
    ...{ id, state: 'running', createdAt: 0, ...(mark !== undefined && { mark }) },
  });
  const asked: AllocationRequest[] = [];
  const cloud: Provider = {
    name: 'a cloud',
    list: async () => [vm('a', 'work-1'), vm('b', 'query-2'), vm('c', '3f'), vm('d')],
    offers: async () => [],
    allocate: async (request) => `vm-${asked.push(request)}`,
    release: async () => undefined,
  };
  const ids = async (role: 'query' | 'work' | undefined) => (await ofRole(cloud, role).list()).map(({ id }) => id);

  it('is told by the marks; every VM is in exactly one part', async () => {
    expect(await ids('work')).to.deep.equal(['a']);
    expect(await ids('query')).to.deep.equal(['b', 'c', 'd']);
    expect(await ids(undefined)).to.deep.equal(['b', 'c', 'd']);
  });

  it('allocates VMs that are told what they do', async () => {
    await ofRole(cloud, 'work').allocate({ mark: markOf('work', '7') });
    await ofRole(cloud, undefined).allocate({ mark: markOf(undefined, '8') });
    expect(asked).to.deep.equal([{ mark: 'work-7', role: 'work' }, { mark: '8' }]);
    expect(asked.map(({ mark }) => roleOf(mark))).to.deep.equal(['work', undefined]);
  });
});
