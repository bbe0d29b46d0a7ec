// What a front end makes of a VM template when it is instantiated: the TEMPLATE section of the VM's document.
import type { Attributes, Value } from './template-text.ts';

interface Instance {
  readonly id: number;
  readonly name: string;
  readonly ip: string;
  readonly uuid: string;
  /** Whether its NIC stands under PCI. */
  readonly sriov: boolean;
}

/** Attributes that OpenNebula knows; everything else that `instantiate` gets goes to USER_TEMPLATE. */
const KNOWN =
  /^(CONTEXT|CPU|CPU_COST|DISK|FEATURES|GRAPHICS|INPUT|MEMORY|NIC|OS|PCI|RAW|SCHED_\w+|TEMPLATE_ID|VCPU|VMGROUP|VMID)$/;

/** `extra` replaces same-named attributes of the template, a whole CONTEXT too. */
export function merged(template: Attributes, extra: Attributes): { template: Attributes; own: Map<string, string> } {
  const all = new Map([...template, ...extra]);
  const own = new Map<string, string>();
  for (const [name, [value]] of all) {
    if (KNOWN.test(name)) continue;
    all.delete(name);
    if (typeof value === 'string') own.set(name, value);
  }
  return { template: all, own };
}

export function instantiated(template: Attributes, instance: Instance): Attributes {
  const result: Attributes = new Map(template);
  result.set('AUTOMATIC_DS_REQUIREMENTS', ['("CLUSTERS/ID" @> 0)']);
  result.set('AUTOMATIC_NIC_REQUIREMENTS', ['("CLUSTERS/ID" @> 0)']);
  result.set('AUTOMATIC_REQUIREMENTS', ['(CLUSTER_ID = 0) & !(PIN_POLICY = PINNED)']);
  result.set('CONTEXT', [context(first(template, 'CONTEXT'), instance)]);
  result.set('DISK', [disk(first(template, 'DISK'))]);
  const attached = nic(first(template, 'NIC'), instance);
  if (instance.sriov) result.delete('NIC');
  result.set(instance.sriov ? 'PCI' : 'NIC', [instance.sriov ? sorted([...attached, ['TYPE', 'NIC']]) : attached]);
  result.set('OS', [sorted([...first(template, 'OS'), ['UUID', instance.uuid]])]);
  result.set('SECURITY_GROUP_RULE', ['OUTBOUND', 'INBOUND'].map(securityRule));
  result.set('VMID', [String(instance.id)]);
  return result;
}

/** What the VM's contextualisation sees. */
export function contextOf(template: Attributes): Readonly<Record<string, string>> {
  return Object.fromEntries(first(template, 'CONTEXT'));
}

function first(template: Attributes, name: string): ReadonlyMap<string, string> {
  const value: Value | undefined = template.get(name)?.[0];
  return typeof value === 'object' ? value : new Map();
}

const sorted = (entries: Iterable<readonly [string, string]>): ReadonlyMap<string, string> =>
  new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

const isV6 = (ip: string): boolean => ip.includes(':');

const mac = (ip: string): string =>
  isV6(ip)
    ? '02:00:00:00:00:01'
    : `02:00:${ip
        .split('.')
        .map((byte) => Number(byte).toString(16).padStart(2, '0'))
        .join(':')}`;

const gateway = (ip: string): string => ip.replace(/\d+$/, '1');

/** $VMID and $NAME are put in, a reference to what the user has not set becomes empty. */
function context(own: ReadonlyMap<string, string>, { id, name, ip }: Instance): ReadonlyMap<string, string> {
  const filled = [...own].map(([key, value]): [string, string] => [
    key,
    value
      .replaceAll('$VMID', String(id))
      .replaceAll('$NAME', name)
      .replace(/\$\w+\[[^\]]*\]/g, ''),
  ]);
  const eth0 = 'EXTERNAL IP6 IP6_GATEWAY IP6_METHOD IP6_METRIC IP6_PREFIX_LENGTH IP6_ULA METHOD METRIC MTU ROUTES';
  const addresses: [string, string][] = isV6(ip)
    ? [['ETH0_IP6', ip]]
    : [
        ['ETH0_DNS', gateway(ip)],
        ['ETH0_GATEWAY', gateway(ip)],
        ['ETH0_IP', ip],
        ['ETH0_MASK', '255.255.255.0'],
        ['ETH0_NETWORK', ip.replace(/\d+$/, '0')],
      ];
  const router = 'SEARCH_DOMAIN VLAN_ID VROUTER_IP VROUTER_IP6 VROUTER_MANAGEMENT';
  return sorted([
    ...`${eth0} ${router}`.split(' ').map((key): [string, string] => [`ETH0_${key}`, '']),
    ['DISK_ID', '1'],
    ...addresses,
    ['ETH0_MAC', mac(ip)],
    ['REPORT_READY', 'NO'],
    ['TARGET', 'hda'],
    ...filled,
  ]);
}

function disk(own: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return sorted([
    ['ALLOW_ORPHANS', 'NO'],
    ['CLONE', 'YES'],
    ['CLONE_TARGET', 'SYSTEM'],
    ['CLUSTER_ID', '0'],
    ['DATASTORE', 'default'],
    ['DATASTORE_ID', '1'],
    ['DEV_PREFIX', 'vd'],
    ['DISK_ID', '0'],
    ['DISK_SNAPSHOT_TOTAL_SIZE', '0'],
    ['DISK_TYPE', 'FILE'],
    ['DRIVER', 'dummy_format'],
    ['FORMAT', 'dummy_format'],
    ['IMAGE', own.get('IMAGE') ?? 'base-image'],
    ['IMAGE_ID', '0'],
    ['IMAGE_STATE', '2'],
    ['IMAGE_UNAME', 'oneadmin'],
    ['LN_TARGET', 'NONE'],
    ['ORIGINAL_SIZE', '1024'],
    ['PERSISTENT_SNAPSHOTS', 'YES'],
    ['READONLY', 'NO'],
    ['SAVE', 'NO'],
    ['SIZE', '1024'],
    ['SOURCE', 'dummy_path'],
    ['TARGET', 'vda'],
    ['TM_MAD', 'dummy'],
    ['TYPE', 'FILE'],
  ]);
}

function nic(own: ReadonlyMap<string, string>, { id, ip }: Instance): ReadonlyMap<string, string> {
  const address: [string, string][] = isV6(ip)
    ? [['IP6', ip]] // as an IP6_STATIC range leaves it
    : [
        ['DNS', gateway(ip)],
        ['GATEWAY', gateway(ip)],
        ['IP', ip],
      ];
  return sorted([
    ...address,
    ['AR_ID', '0'],
    ['BRIDGE', 'br0'],
    ['BRIDGE_TYPE', 'linux'],
    ['CLUSTER_ID', '0'],
    ['MAC', mac(ip)],
    ['NAME', 'NIC0'],
    ['NETWORK', own.get('NETWORK') ?? 'private'],
    ['NETWORK_ID', '0'],
    ['NETWORK_UNAME', 'oneadmin'],
    ['NIC_ID', '0'],
    ['SECURITY_GROUPS', '0'],
    ['TARGET', `one-${id}-0`],
    ['VN_MAD', 'dummy'],
  ]);
}

const securityRule = (type: string): ReadonlyMap<string, string> =>
  new Map([
    ['PROTOCOL', 'ALL'],
    ['RULE_TYPE', type],
    ['SECURITY_GROUP_ID', '0'],
    ['SECURITY_GROUP_NAME', 'default'],
  ]);
