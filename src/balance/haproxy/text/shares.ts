// How much of the VMs one client, or one tenant, has by HAProxy while there is another: what is more goes through the built-in plane. For
// HAProxy's queue knows no clients, and a slow reader keeps its VM's slot there.
import { LIMIT_START } from '../../core/concurrency-limit.ts';
import type { GatewayOptions } from '../../core/options.ts';
import { TENANTS_MAP } from './known-clients.ts';

/** Under `perVm: auto` a share is one of so many a VM, those that wait included. */
const AUTO_SHARE_OF = 2 * LIMIT_START;

/** Who is not known to it counts as a tenant of its own; it goes through the built-in plane anyway, which knows whose it is. */
const TENANT = [
  `set-var(txn.tenant) var(sess.hash),map_str(${TENANTS_MAP},-) if { var(txn.who) -m found }`,
  'set-var(txn.tenant) str(?) if !{ var(txn.who) -m found }',
  'track-sc2 var(txn.tenant) table tenants',
];

export function shareRules({ perVm, limits }: GatewayOptions, hasTenants: boolean): string {
  const isFound = perVm === 'auto';
  // e.g. 0.75 of 64: 48 for each VM
  const share = Math.max(1, Math.ceil(limits.clientShare * (isFound ? AUTO_SHARE_OF : perVm)));
  const lines = [
    `set-var(txn.share) nbsrv(vms),mul(${share})`,
    ...beyond('sc1', 'requests', isFound),
    ...(hasTenants ? [...TENANT, ...beyond('sc2', 'tenants', isFound)] : []),
  ];
  return lines.map((line) => `  http-request ${line}\n`).join('');
}

/**
 * Where limits are found, and while the VMs have slots free, the share is one of those that a limit begins with: who takes all of them
 * would keep them until the limits are looked at.
 */
function beyond(counter: string, table: string, isFound: boolean): readonly string[] {
  const tooMany = [
    `{ ${counter}_trackers,sub(txn.share) gt 0 }`,
    ...(isFound ? [`{ ${counter}_trackers,mul(2),sub(txn.share) gt 0 } { be_conn_free(vms) gt 0 }`] : []),
  ];
  return tooMany.map((isMore) => `set-var(txn.upload) bool(true) if ${isMore} { table_cnt(${table}) gt 1 }`);
}
