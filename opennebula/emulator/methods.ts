// The emulated calls: what each takes, who may do it, and what it answers.
import type { RpcValue } from '../documents/xml-rpc.ts';
import { nameOf, type Vm } from './vm.ts';
import { ADMINISTRATION } from './administration.ts';
import { apartBy, checkTemplate } from './checks.ts';
import { str, type Context, type Method } from './context.ts';
import { monitoring, pool, templateDocument, vmDocument, vmSummary, type Owner } from './documents.ts';
import type { OwnedTemplate } from './inventory.ts';
import { ALLOCATION, AUTHORIZATION, Refusal } from './refusal.ts';
import { parseTemplate, type Attributes, type Value } from './template-text.ts';
import { merged } from './vm-template.ts';

export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['one.system.version', { takes: '', run: () => '7.4.0' }],
  ['one.template.info', { takes: 'i?bb', run: (c, [id]) => templateDocument(templateOf(c, Number(id)), oneadmin(c)) }],
  ['one.templatepool.info', { takes: 'iii', run: templatePool }],
  ['one.template.instantiate', { takes: 'isbsb', run: instantiate }],
  ['one.vm.allocate', { takes: 'sb', run: (c, [text]) => create(c, 'one-$ID', parsed(text, c)) }],
  ['one.vm.info', { takes: 'i?b', run: info }],
  ['one.vm.action', { takes: 'si', run: action }],
  ['one.vm.update', { takes: 'isi', run: update }],
  ['one.vm.recover', { takes: 'ii', run: recover }],
  ['one.vm.monitoring', { takes: 'i', run: vmMonitoring }],
  ['one.vmpool.info', { takes: 'iiii', run: (c, params) => vmPool(c, params, vmSummary) }],
  [
    'one.vmpool.infoextended',
    { takes: 'iiii?s', run: (c, params) => vmPool(c, params, (vm, owner) => vmDocument(vm, owner, false)) },
  ],
  ['one.vmpool.monitoring', { takes: 'ii', run: poolMonitoring }],
  ['one.vm.lock', { takes: 'ii?b', run: (c, [id]) => lock(c, Number(id), true) }],
  ['one.vm.unlock', { takes: 'i', run: (c, [id]) => lock(c, Number(id), false) }],
  ...ADMINISTRATION,
]);

const TYPES: Readonly<Record<string, string>> = { s: 'string', i: 'number', b: 'boolean' };

/** The sentence of the fault -501, when the parameters do not fit. */
export function misfit(method: Method, params: readonly RpcValue[]): string | undefined {
  const [needed = '', optional = ''] = `s${method.takes}`.split('?');
  if (params.length < needed.length) return 'Not enough parameters';
  const wrong = [...needed, ...optional].findIndex((type, i) => i < params.length && typeof params[i] !== TYPES[type]);
  return wrong < 0 ? undefined : `Parameter ${wrong} is of the wrong type`;
}

// ── templates and VMs ───────────────────────────────────────────────────────

const oneadmin = (c: Context): Owner => c.users.find((user) => user.admin) ?? c.user;
const ownerOf = (c: Context, vm: Vm): Owner => c.users.find((user) => user.uid === vm.uid) ?? c.user;

function templateOf(c: Context, id: number): OwnedTemplate {
  const template = c.inventory.templates.get(id);
  if (!template) throw new Refusal(1024, `Error getting virtual machine template [${id}].`, id);
  return c.inventory.templates.use(template, c.user);
}

function templatePool(c: Context): RpcValue {
  const { templates } = c.inventory;
  const shown = templates.all.filter((template) => templates.mayUse(template, c.user)).reverse();
  const documents = shown.map((template) => templateDocument(template, oneadmin(c)));
  return pool('VMTEMPLATE_POOL', documents);
}

function parsed(source: RpcValue | undefined, c: Context): Attributes {
  const attributes = parseTemplate(str(source));
  if (attributes) return attributes;
  c.cloud.takeId();
  throw new Refusal(8192, 'Parse error: syntax error in the template');
}

function instantiate(c: Context, [id, name, , extra]: readonly RpcValue[]): RpcValue {
  const template = templateOf(c, Number(id));
  const more = parsed(extra, c);
  const [context] = more.get('CONTEXT') ?? [];
  if (!c.user.admin && typeof context === 'object' && context.has('FILES'))
    throw new Refusal(AUTHORIZATION, 'User Template includes a restricted attribute FILES');
  return create(c, str(name) || `${template.name}-$ID`, more, template);
}

/** `$ID` in the name becomes the VM's. */
function create(c: Context, name: string, extra: Attributes, base?: OwnedTemplate): RpcValue {
  const id = c.cloud.takeId();
  const { quota, noLease } = c.cloud.faults;
  const owned = [...c.cloud.vms.values()].filter((vm) => vm.uid === c.user.uid && nameOf(vm) !== 'DONE').length;
  const { uid } = c.user;
  if (quota > 0 && owned >= quota)
    throw new Refusal(AUTHORIZATION, `User [${uid}] : user [${uid}] limit of ${quota} reached for VMS quota in VM.`);
  if (noLease) throw new Refusal(ALLOCATION, 'Cannot get IP/MAC lease from virtual network 1.');
  const { template, own } = merged(base?.attributes ?? new Map<string, Value[]>(), extra);
  checkTemplate(template, c.user, c.users, c.inventory);
  if (base) template.set('TEMPLATE_ID', [String(base.id)]);
  const apart = apartBy(template, c.inventory);
  return c.cloud.instantiate({ id, uid, name: name.replace('$ID', String(id)), apart }, template, own).id;
}

function vmOf(c: Context, id: RpcValue | undefined, right: 'USE' | 'MANAGE' | 'ADMIN'): Vm {
  const vm = c.cloud.vms.get(Number(id));
  if (!vm) throw new Refusal(1024, `Error getting virtual machine [${Number(id)}].`, Number(id));
  const locked = vm.lockedBy !== undefined && right !== 'USE';
  if (!c.user.admin && (locked || vm.uid !== c.user.uid || right === 'ADMIN'))
    throw new Refusal(AUTHORIZATION, `User [${c.user.uid}] : Not authorized to perform ${right} VM [${vm.id}].`);
  return vm;
}

function info(c: Context, [id]: readonly RpcValue[]): RpcValue {
  const vm = vmOf(c, id, 'USE');
  return vmDocument(vm, ownerOf(c, vm), true);
}

function action(c: Context, [what, id]: readonly RpcValue[]): RpcValue {
  const name = str(what);
  const vm = vmOf(c, id, /^(delete|resched|unresched)/.test(name) ? 'ADMIN' : 'MANAGE');
  const refused = `Error performing action "${name}": This action is not available for state ${nameOf(vm)}`;
  switch (name) {
    case 'terminate':
    case 'terminate-hard':
      if (!c.cloud.terminate(vm, name === 'terminate-hard', c.user))
        throw new Refusal(2048, `Could not terminate VM ${vm.id}, wrong state ${nameOf(vm)}.`);
      return vm.id;
    case 'poweroff':
    case 'poweroff-hard':
      if (!c.cloud.powerOff(vm, c.user)) throw new Refusal(2048, refused);
      return vm.id;
    case 'resume':
      if (!c.cloud.resume(vm)) throw new Refusal(2048, refused);
      return vm.id;
    default:
      throw new Refusal(2048, `Action "${name}" is not supported`);
  }
}

function update(c: Context, [id, source, append]: readonly RpcValue[]): RpcValue {
  const vm = vmOf(c, id, 'MANAGE');
  const attributes = parseTemplate(str(source));
  if (!attributes) throw new Refusal(8192, 'Cannot update template. Parse error: syntax error in the template');
  const given = [...attributes].flatMap(([name, [value]]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  vm.userTemplate = new Map(append === 1 ? [...vm.userTemplate, ...given] : given);
  return vm.id;
}

/** Who is no administrator gets 512 for each later action, also on a VM of his own; 32768 comes from no call. */
function lock(c: Context, id: number, on: boolean): RpcValue {
  const vm = c.cloud.vms.get(id);
  if (!vm) throw new Refusal(1024, `Error getting virtual machine [${id}].`, id);
  vm.lockedBy = on ? c.user.uid : undefined;
  return id;
}

async function recover(c: Context, [id, operation]: readonly RpcValue[]): Promise<RpcValue> {
  const vm = vmOf(c, id, 'ADMIN');
  if (operation !== 3) throw new Refusal(2048, 'The emulator recovers by operation 3 (delete) only.');
  await c.cloud.remove(vm);
  return vm.id;
}

// ── pools ───────────────────────────────────────────────────────────────────

/** Newest id first. Filter -3 own, other negative ones what the user may see; state -1 any but DONE, -2 any. */
function select(c: Context, params: readonly RpcValue[]): readonly Vm[] {
  const [filter = -2, start = -1, end = -1, state = -1] = params.map(Number);
  const vms = [...c.cloud.vms.values()]
    .reverse()
    .filter((vm) => c.user.admin || vm.uid === c.user.uid)
    .filter((vm) => (filter === -3 ? vm.uid === c.user.uid : filter < 0 || vm.uid === filter))
    .filter((vm) => (state === -1 ? nameOf(vm) !== 'DONE' : state === -2 || vm.state[0] === state));
  if (start >= 0 && end < -1) return vms.slice(start, start - end); // (offset, -n): a page of n
  return start < 0 ? vms : vms.filter((vm) => vm.id >= start && (end < 0 || vm.id <= end));
}

function vmPool(c: Context, params: readonly RpcValue[], show: (vm: Vm, owner: Owner) => string): RpcValue {
  const documents = select(c, params).map((vm) => show(vm, ownerOf(c, vm)));
  return pool('VM_POOL', documents);
}

/** 0: the last record of each VM, DONE ones too; n > 0: the last n seconds; -1: all. */
function poolMonitoring(c: Context, [filter = -2, span]: readonly RpcValue[]): RpcValue {
  const vms = [...select(c, [filter, -1, -1, -2])].reverse();
  const since = Number(span) < 0 ? 0 : Date.now() - Number(span) * 1000;
  const wanted = (vm: Vm) =>
    span === 0 ? vm.readings.slice(-1) : vm.readings.filter((reading) => reading.at >= since);
  return records(vms.flatMap((vm) => wanted(vm).map((reading) => monitoring(vm, reading))));
}

const records = (documents: readonly string[]): string => pool('MONITORING_DATA', documents);

function vmMonitoring(c: Context, [id]: readonly RpcValue[]): RpcValue {
  const vm = vmOf(c, id, 'USE');
  return records(vm.readings.map((reading) => monitoring(vm, reading)));
}
