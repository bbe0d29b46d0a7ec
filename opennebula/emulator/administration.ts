// What an administrator does to make a cloud ready: users, images, VM templates, and who may use them.
import type { RpcValue } from '../documents/xml-rpc.ts';
import { str, type Context, type Method } from './context.ts';
import type { Owned, Store, VmGroup } from './inventory.ts';
import { AUTHORIZATION, Refusal } from './refusal.ts';
import { parseTemplate, type Attributes } from './template-text.ts';

const CHMOD = 'iiiiiiiiii';

export const ADMINISTRATION: readonly (readonly [string, Method])[] = [
  ['one.user.allocate', { takes: 'sss', run: addUser }],
  ['one.image.allocate', { takes: 'si?b', run: (c, [source]) => addImage(c, templateOf(source)) }],
  ['one.template.allocate', { takes: 's', run: (c, [source]) => addTemplate(c, templateOf(source)) }],
  ['one.vmgroup.allocate', { takes: 's', run: (c, [source]) => addVmGroup(c, templateOf(source)) }],
  ['one.vmgroup.chmod', { takes: CHMOD, run: (c, params) => chmod(c, c.inventory.vmGroups, params) }],
  ['one.vn.chmod', { takes: CHMOD, run: (c, params) => chmod(c, c.inventory.networks, params) }],
  ['one.image.chmod', { takes: CHMOD, run: (c, params) => chmod(c, c.inventory.images, params) }],
  ['one.template.chmod', { takes: CHMOD, run: (c, params) => chmod(c, c.inventory.templates, params) }],
];

function templateOf(source: RpcValue | undefined): Attributes {
  const attributes = parseTemplate(str(source));
  if (!attributes) throw new Refusal(8192, 'Parse error: syntax error in the template');
  return attributes;
}

function addUser(c: Context, [name, password]: readonly RpcValue[]): RpcValue {
  if (!c.user.admin) throw new Refusal(AUTHORIZATION, `User [${c.user.uid}] : Not authorized to perform CREATE USER.`);
  const uid = Math.max(1, ...c.users.map((user) => user.uid)) + 1; // 0 and 1 are there from the start
  c.users.push({ uid, gid: 1, name: str(name), group: 'users', password: str(password), admin: false });
  return uid;
}

function nameIn(attributes: Attributes): string {
  const [name] = attributes.get('NAME') ?? [];
  if (typeof name !== 'string') throw new Refusal(8192, 'NAME cannot be empty.');
  return name;
}

const addImage = ({ inventory, user }: Context, attributes: Attributes): RpcValue =>
  inventory.images.add((id) => ({ id, name: nameIn(attributes), owner: user.uid, forOthers: false })).id;

function addTemplate({ inventory, user }: Context, attributes: Attributes): RpcValue {
  const name = nameIn(attributes);
  attributes.delete('NAME'); // the template's, not its VMs'
  return inventory.templates.add((id) => ({ id, name, attributes, owner: user.uid, forOthers: false })).id;
}

function addVmGroup({ inventory, user }: Context, attributes: Attributes): RpcValue {
  const roles = (attributes.get('ROLE') ?? []).flatMap((role): [string, string][] =>
    typeof role === 'string' ? [] : [[role.get('NAME') ?? '', role.get('POLICY') ?? '']],
  );
  const make = (id: number): VmGroup => ({
    ...{ id, name: nameIn(attributes), owner: user.uid, forOthers: false },
    roles: new Map(roles),
  });
  return inventory.vmGroups.add(make).id;
}

/** Of nine rights, each 1, 0 or -1 (as it is), the emulator knows one: whether others may use it. */
function chmod({ user }: Context, store: Store<Owned>, [id, ...rights]: readonly RpcValue[]): RpcValue {
  const thing = store.get(Number(id));
  if (!thing) throw new Refusal(1024, `Error getting object [${Number(id)}].`, Number(id));
  if (!user.admin && thing.owner !== user.uid)
    throw new Refusal(
      AUTHORIZATION,
      `User [${user.uid}] : Not authorized to perform MANAGE ${store.kind} [${thing.id}].`,
    );
  const [use] = rights.slice(6);
  if (use !== -1) thing.forOthers = use === 1;
  return thing.id;
}
