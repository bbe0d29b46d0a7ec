// VMs that don't know the group's secret: each is told, at its allocation and never again, a key of its own for its reports, a
// certificate, and by what it knows what the gateway says of clients. The key comes from the secret and the allocation's mark, which no
// other VM has: a manager that starts again knows it without having kept it.
import { hkdfSync } from 'node:crypto';
import { clientKey } from '../../epcis/access/client-token.ts';
import type { Provider } from '../act/provider.ts';
import type { GroupSecret } from './group-secret.ts';
import { FOR_LIFE, groupCertificate, VM_NAME } from '../tls/group.ts';
import { IDENTITY, packed, type VmIdentity } from './node-environment.ts';

/** VMs that were asked for and never came. */
const MOST_TOLD = 1_000;

export interface OwnKeys {
  readonly provider: Provider;
  /** What a VM (by id) may sign with; undefined: whose it is was never seen. */
  readonly keysOf: (vm: string) => readonly string[] | undefined;
}

/** The certificate is of any VM, as gateways know VMs. */
export const identityOf = (secret: string): VmIdentity => ({
  clientKey: clientKey(secret).export().toString('base64url'),
  certificate: groupCertificate(secret, VM_NAME, Date.now(), FOR_LIFE),
});

export function withOwnKeys(inner: Provider, secret: Pick<GroupSecret, 'all' | 'newest'>): OwnKeys {
  const marks = new Map<string, string>();
  const keyOf = (from: string, mark: string): string =>
    Buffer.from(hkdfSync('sha256', from, '', `reports of the VM ${mark}`, 24)).toString('base64url');
  /** The same when it is asked for again: a provider may hold it against the first time. By another secret it would soon be worth nothing. */
  const told = new Map<string, Readonly<Record<string, string>>>();
  let toldBy = '';
  function tell(mark: string): Readonly<Record<string, string>> {
    const newest = secret.newest();
    if (newest !== toldBy) told.clear();
    toldBy = newest;
    const known = told.get(mark);
    if (known !== undefined) return known;
    const [oldest] = told.keys();
    if (told.size >= MOST_TOLD && oldest !== undefined) told.delete(oldest);
    const identity = { [IDENTITY]: packed({ ...identityOf(newest), reportKey: keyOf(newest, mark) }) };
    told.set(mark, identity);
    return identity;
  }
  return {
    provider: {
      name: inner.name,
      async list() {
        const vms = await inner.list();
        marks.clear();
        for (const { id, mark } of vms) {
          if (mark === undefined) continue;
          marks.set(id, mark);
          told.delete(mark);
        }
        return vms;
      },
      offers: (role) => inner.offers(role),
      async allocate(request) {
        // who is told something of its own is no VM of this kind: a node
        const id = await inner.allocate({ environment: tell(request.mark), ...request });
        marks.set(id, request.mark);
        return id;
      },
      release: (id) => inner.release(id),
      mayCome: () => inner.mayCome?.() ?? false,
      log: (id) => inner.log?.(id) ?? Promise.resolve(undefined),
    },
    keysOf(vm) {
      const mark = marks.get(vm);
      // VMs of before were told the group's
      return mark === undefined ? undefined : secret.all().flatMap((one) => [keyOf(one, mark), one]);
    },
  };
}
