// The XML documents a front end answers with, element for element as a real one writes them.
import { escapeXml } from '../documents/xml-rpc.ts';
import { seconds, type Reading, type Vm } from './vm.ts';
import type { Attributes, Value } from './template-text.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  readonly group: string;
}

const element = (name: string, content: string | number): string => `<${name}>${content}</${name}>`;
const plain = (name: string, value: string | number): string => element(name, escapeXml(String(value)));
const cdata = (name: string, value: string | number): string =>
  element(name, `<![CDATA[${String(value).replaceAll(']]>', ']]]]><![CDATA[>')}]]>`);

const all = (
  write: (name: string, value: string | number) => string,
  fields: Record<string, string | number>,
): string =>
  Object.entries(fields)
    .map(([name, value]) => write(name, value))
    .join('');

function attribute(name: string, value: Value): string {
  if (typeof value === 'string') return cdata(name, value);
  return element(name, [...value].map(([key, item]) => cdata(key, item)).join(''));
}

function attributes(template: Attributes): string {
  const names = [...template.keys()].sort();
  return names.flatMap((name) => (template.get(name) ?? []).map((value) => attribute(name, value))).join('');
}

const PERMISSIONS = element(
  'PERMISSIONS',
  ['OWNER', 'GROUP', 'OTHER']
    .flatMap((who) =>
      ['U', 'M', 'A'].map((right) => plain(`${who}_${right}`, who === 'OWNER' && right !== 'A' ? 1 : 0)),
    )
    .join(''),
);

const ownership = (owner: Owner): string =>
  all(plain, { UID: owner.uid, GID: owner.gid, UNAME: owner.name, GNAME: owner.group });

/** A network counter of our own making: it grows with time. */
const counter = (reading: Reading): number => seconds(reading.at) % 1_000_000;

export function monitoring(vm: Vm, reading: Reading): string {
  const fields = {
    CPU: Math.round(reading.cpu),
    DISKRDBYTES: 429,
    DISKRDIOPS: 174,
    DISKWRBYTES: 614,
    DISKWRIOPS: 253,
    ID: vm.id,
    MEMORY: 393216,
    NETRX: counter(reading),
    NETTX: counter(reading),
    TIMESTAMP: seconds(reading.at),
  };
  return element('MONITORING', all(cdata, fields));
}

/** Of `one.vm.info` (with monitoring) and `one.vmpool.infoextended` (without). */
export function vmDocument(vm: Vm, owner: Owner, withMonitoring: boolean): string {
  const last = withMonitoring ? vm.readings.at(-1) : undefined;
  const [state, lcm] = vm.state;
  const content = [
    plain('ID', vm.id),
    ownership(owner),
    plain('NAME', vm.name),
    PERMISSIONS,
    all(plain, {
      LAST_POLL: last ? seconds(last.at) : 0,
      STATE: state,
      LCM_STATE: lcm,
      PREV_STATE: state,
      PREV_LCM_STATE: lcm,
      RESCHED: 0,
      STIME: seconds(vm.createdAt),
      ETIME: seconds(vm.endedAt),
      DEPLOY_ID: deployId(vm),
    }),
    last ? monitoring(vm, last) : '<MONITORING></MONITORING>',
    vm.lockedBy === undefined
      ? ''
      : element('LOCK', all(plain, { LOCKED: 1, OWNER: vm.lockedBy, TIME: 0, REQ_ID: -1 })),
    '<SCHED_ACTIONS></SCHED_ACTIONS>',
    element('TEMPLATE', attributes(vm.template)),
    element('USER_TEMPLATE', attributes(new Map([...vm.userTemplate].map(([name, value]) => [name, [value]])))),
    vm.placement ? element('HISTORY_RECORDS', history(vm)) : '<HISTORY_RECORDS/>',
    '<BACKUPS><BACKUP_CONFIG/><BACKUP_IDS></BACKUP_IDS></BACKUPS>',
  ];
  return element('VM', content.join(''));
}

function deployId(vm: Vm): string {
  return vm.placement ? `${vm.placement.host}:${vm.name}:dummy` : '';
}

function history(vm: Vm): string {
  if (!vm.placement) return '';
  const { at, leftAt, host, hostId, order } = vm.placement;
  const { code = 0, uid = -1, gid = -1 } = vm.lastAction ?? {};
  const end = leftAt === undefined ? 0 : seconds(leftAt);
  const started = seconds(at);
  return element(
    'HISTORY',
    [
      all(plain, { OID: vm.id, SEQ: 0, HOSTNAME: host, HID: hostId, CID: 0, STIME: started, ETIME: end }),
      all(cdata, { VM_MAD: 'dummy', TM_MAD: 'dummy' }),
      all(plain, { DS_ID: 0, PLAN_ID: -1, ACTION_ID: order, PSTIME: started, PETIME: started, RSTIME: started }),
      all(plain, { RETIME: end, ESTIME: end, EETIME: end, ACTION: code }),
      all(plain, { UID: uid, GID: gid, REQUEST_ID: uid < 0 ? -1 : 1 }),
    ].join(''),
  );
}

const pick = (vm: Vm, name: string, keys: string): string => {
  const value = vm.template.get(name)?.[0];
  if (typeof value !== 'object') return '';
  const fields = keys.split(' ').filter((key) => value.has(key));
  return element(name, fields.map((key) => cdata(key, value.get(key) ?? '')).join(''));
};

/** Of `one.vmpool.info`: a summary, in which the user's own attributes are missing. */
export function vmSummary(vm: Vm, owner: Owner): string {
  const [state, lcm] = vm.state;
  const size = (name: string): string => {
    const value = vm.template.get(name)?.[0];
    return typeof value === 'string' ? plain(name, value) : '';
  };
  const labels = vm.userTemplate.get('LABELS');
  const content = [
    plain('ID', vm.id),
    ownership(owner),
    all(plain, { NAME: vm.name, LAST_POLL: 0, STATE: state, LCM_STATE: lcm, RESCHED: 0 }),
    all(plain, { STIME: seconds(vm.createdAt), ETIME: seconds(vm.endedAt), DEPLOY_ID: deployId(vm) }),
    element(
      'TEMPLATE',
      [
        size('CPU') + size('MEMORY') + size('VCPU'),
        pick(
          vm,
          'DISK',
          'DISK_ID DATASTORE DATASTORE_ID IMAGE IMAGE_ID SIZE TYPE CLONE CLONE_TARGET LN_TARGET DISK_SNAPSHOT_TOTAL_SIZE',
        ),
        pick(vm, 'NIC', 'IP MAC NETWORK NETWORK_ID NIC_ID SECURITY_GROUPS'),
        pick(vm, 'GRAPHICS', 'LISTEN PORT TYPE'),
      ].join(''),
    ),
    '<MONITORING/>',
    labels === undefined ? '<USER_TEMPLATE/>' : element('USER_TEMPLATE', cdata('LABELS', labels)),
    vm.placement ? element('HISTORY_RECORDS', shortHistory(vm)) : '<HISTORY_RECORDS/>',
  ];
  return element('VM', content.join(''));
}

function shortHistory(vm: Vm): string {
  if (!vm.placement) return '';
  const { host, hostId } = vm.placement;
  return element(
    'HISTORY',
    [
      all(plain, { OID: vm.id, SEQ: 0 }),
      cdata('HOSTNAME', host),
      all(plain, { HID: hostId, CID: 0, DS_ID: 0 }),
      all(cdata, { VM_MAD: 'dummy', TM_MAD: 'dummy', ACTION: vm.lastAction?.code ?? 0 }),
    ].join(''),
  );
}

export interface VmTemplate {
  readonly id: number;
  readonly name: string;
  readonly attributes: Attributes;
}

export function templateDocument(template: VmTemplate, owner: Owner): string {
  const head = [plain('ID', template.id), ownership(owner), plain('NAME', template.name), PERMISSIONS];
  return element(
    'VMTEMPLATE',
    `${head.join('')}${plain('REGTIME', 0)}${element('TEMPLATE', attributes(template.attributes))}`,
  );
}

export const pool = (name: string, documents: readonly string[]): string => element(name, documents.join(''));
