// What a front end looks at before it makes a VM of a template, and the words in which it refuses.
import type { User } from './context.ts';
import type { Inventory, Owned, Store, VmGroup } from './inventory.ts';
import { ALLOCATION, Refusal } from './refusal.ts';
import type { Attributes, Value } from './template-text.ts';

const first = (template: Attributes, name: string): ReadonlyMap<string, string> | undefined => {
  const [value] = template.get(name) ?? [];
  return typeof value === 'object' ? value : undefined;
};

export function checkTemplate(template: Attributes, user: User, users: readonly User[], inventory: Inventory): void {
  for (const name of ['CPU', 'MEMORY'] as const) checkSize(name, template.get(name)?.[0]);
  for (const [attribute, owner] of [
    ['DISK', 'IMAGE'],
    ['NIC', 'NETWORK'],
    ['PCI', 'NETWORK'],
  ] as const)
    for (const value of template.get(attribute) ?? [])
      if (typeof value === 'object') checkUsed(value, owner, user, users, inventory);
  const named = first(template, 'VMGROUP');
  if (named) template.set('VMGROUP', [joined(named, user, inventory.vmGroups)]);
  const context = first(template, 'CONTEXT');
  if (context) checkReferences(context);
}

function checkSize(name: 'CPU' | 'MEMORY', value: Value | undefined): void {
  if (Number(value) > 0) return;
  const wanted = name === 'CPU' ? 'float or integer' : 'integer';
  throw new Refusal(ALLOCATION, `${name} attribute must be a positive ${wanted} value.`);
}

/** By name a user finds only what is his own, unless the template says whose it is. */
function checkUsed(
  used: ReadonlyMap<string, string>,
  by: 'IMAGE' | 'NETWORK',
  user: User,
  users: readonly User[],
  { images, networks }: Inventory,
): void {
  const [store, what, where]: [Store<Owned>, string, string] =
    by === 'IMAGE' ? [images, 'an image', 'DISK'] : [networks, 'a network', 'NIC'];
  const name = used.get(by);
  const id = used.get(`${by}_ID`);
  if (name === undefined && id === undefined) return;
  const ownerName = used.get(`${by}_UNAME`);
  const owner = ownerName === undefined ? user : users.find((each) => each.name === ownerName);
  if (!owner) throw new Refusal(ALLOCATION, `User set in ${by}_UNAME does not exist`);
  const found = name === undefined ? store.get(Number(id)) : store.named(name, owner.uid);
  if (found) return void store.use(found, user);
  throw new Refusal(
    ALLOCATION,
    name === undefined
      ? `${by === 'IMAGE' ? 'Image' : 'Virtual network'} with ID: ${id} does not exist`
      : `User ${owner.uid} does not own ${what} with name: ${name} . Set ${by}_UNAME or ${by}_UID of owner in ${where}.`,
  );
}

/** Looked for by name where there is one, among the user's own if VMGROUP_UID says nothing else; there is no VMGROUP_UNAME. */
function joined(named: ReadonlyMap<string, string>, user: User, groups: Store<VmGroup>): ReadonlyMap<string, string> {
  const name = named.get('VMGROUP_NAME');
  const id = named.get('VMGROUP_ID');
  const byId = id === undefined ? undefined : groups.get(Number(id));
  const found = name === undefined ? byId : groups.named(name, Number(named.get('VMGROUP_UID') ?? user.uid));
  if (found) groups.use(found, user);
  const role = named.get('ROLE') ?? '';
  if (role === '') throw new Refusal(ALLOCATION, 'Missing role name in VM Group definition');
  if (!found) throw new Refusal(ALLOCATION, 'Cannot find VM Group to associate the VM');
  const policy = found.roles.get(role);
  if (policy === undefined) throw new Refusal(ALLOCATION, 'Role does not exist in VM Group');
  return new Map([...named, ['VMGROUP_ID', String(found.id)]]);
}

/** What the VMs have in common that a VM group keeps apart, if it does. */
export function apartBy(template: Attributes, { vmGroups }: Inventory): string | undefined {
  const group = first(template, 'VMGROUP');
  const [id, role = ''] = [group?.get('VMGROUP_ID'), group?.get('ROLE')];
  const policy = id === undefined ? undefined : vmGroups.get(Number(id))?.roles.get(role);
  return policy === 'ANTI_AFFINED' ? `${id}/${role}` : undefined;
}

/** `$NAME`, `$NAME[ATTRIBUTE]` and `$NAME[ATTRIBUTE, NAME="x"]`; of anything else the whole CONTEXT is quoted. */
function checkReferences(context: ReadonlyMap<string, string>): void {
  const bad = [...context.values()].some((value) => /\$\w+\[(?!\s*\w+\s*(,\s*\w+\s*=\s*"[^"]*"\s*)?\])/.test(value));
  if (!bad) return;
  const marshalled = [...context].map(([name, value]) => `${name}=${value}`).join(' @^_^@ ');
  const sentence = `Error parsing: ${marshalled}. syntax error, unexpected CBRACKET, expecting VARIABLE at line 1.`;
  throw new Refusal(ALLOCATION, sentence);
}
