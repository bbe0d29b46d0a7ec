// The VMs as HAProxy has them: how they are checked, how each is added, and by what it is known.
import { UNAVAILABLE_FIELD } from '../../../../epcis/domain/unavailable.ts';
import type { Address } from '../../../model.ts';
import { LIMIT_START } from '../../core/concurrency-limit.ts';
import { byTls, type GatewayOptions } from '../../core/options.ts';
import { quote } from './conditions.ts';

/**
 * A VM is well below 500, or where it says that what all VMs stand on is away; the status is told as what the check found. (Rules of
 * http-check look at the status or at a field, not at both.)
 */
export const checks = (path: string): string => `  option tcp-check
  tcp-check send "GET "${quote(path)}" HTTP/1.0\\r\\nConnection: close\\r\\n\\r\\n"
  tcp-check expect rstring '(?i)^HTTP/1[.][01] (?:[1-4]|503 [\\s\\S]*\\n${UNAVAILABLE_FIELD}:)' on-success '%[payload(9,3)]'
`;

/** The group's root; servers that are added later are told only of files that are here. */
export const GROUP_ROOT = 'group.pem';
const VM_TLS = `ssl ssl-min-ver TLSv1.3 verify required ca-file ${GROUP_ROOT}`;
export const groupRoots = (root: string): string => `
# ${root}
backend roots
  server none 127.0.0.1:1 disabled ${VM_TLS}
`;

/** The command that adds a VM; it is in maintenance until it is enabled. `vmName`: it is known by TLS under this name. */
export function addServer(options: GatewayOptions, id: string, { host, port }: Address, vmName?: string): string {
  const { health, perVm } = options;
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const tls = vmName === undefined || !byTls(options, { host }) ? '' : ` check-ssl ${VM_TLS} verifyhost ${vmName}`;
  // the handshake of a check has no longer than this, and unlike a connection it has to wait for a busy VM
  const every = tls === '' ? health.intervalMs : Math.max(health.intervalMs, health.timeoutMs);
  return (
    `add server vms/${id} ${address} check inter ${every}ms fall ${health.fall} rise 1 ` +
    `maxconn ${perVm === 'auto' ? LIMIT_START : perVm} slowstart ${health.slowStartMs}ms ` +
    'observe layer4 error-limit 1 on-error mark-down ' +
    // HAProxy's own defaults of these two hold for servers of its configuration only: without them no connection is reused
    'pool-purge-delay 5s pool-max-conn 1000' +
    tls
  );
}
