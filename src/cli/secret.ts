// A new secret of the group while everything runs: manager and gateway take the old and the new one, VMs are replaced one by one by such that
// know the new one only, then the old one is nobody's. Gateways that are processes of their own read it from their data folder. What was
// begun goes on when the command is called again.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { whyNotBy, type RemoteGatewayOptions } from '../balance/remote/remote-gateway.ts';
import { workParametersOf } from '../config/roles.ts';
import type { Config } from '../config/schema.ts';
import { MmeliotError } from '../errors.ts';
import type { ManagerView } from '../loop/view.ts';
import { beginSecret, endSecret } from '../manager/group-secret.ts';
import { gatewaysOf } from '../manager/open-gateway.ts';
import { isPacked } from '../packing/settings.ts';
import { askRole, withAdmin, type AdminOptions, type RoleOptions } from './shared/admin-client.ts';
import { configOf } from './shared/options.ts';

/** Manager and gateway look at the file twice a second. */
const TAKEN_MS = 2_000;
const LOOK_MS = 500;

export const secretCommand = (): Command =>
  new Command('secret')
    .description("the group's secret, by which gateway, manager and VMs know each other")
    .addCommand(
      withAdmin(
        new Command('renew').description(
          'make a new one, and replace all VMs one by one by such that know it; nothing is restarted',
        ),
      ).action((options: AdminOptions) => renew(options)),
    );

async function renew(options: AdminOptions): Promise<void> {
  const config = configOf({ set: [], ...options });
  const refused = reasonAgainst(config);
  if (refused !== undefined) throw new MmeliotError('BAD_REQUEST', refused);
  const file = join(config.dataDir, 'secret');
  const roles = rolesOf(config).map((role): RoleOptions => ({ ...options, ...role }));
  for (const role of roles) await vmsOf(role); // a manager that does not run replaces none
  const { next, before, goesOn } = await beginSecret(file).catch((error: NodeJS.ErrnoException) => {
    throw new MmeliotError(
      'BAD_REQUEST',
      `${file} cannot be changed (${error.code}): call this on the manager's machine, as its user.`,
    );
  });
  process.stdout.write(
    `${goesOn ? 'A change that was begun goes on' : 'The new secret is made'}: both are good until all VMs know it.\n`,
  );
  await sleep(TAKEN_MS);
  const gateways = gatewaysOf(config, () => [next]);
  for (const one of gateways) await known(one, next, file);
  for (const role of roles) await replaceAll(role);
  await endSecret(file);
  process.stdout.write(`All VMs know the new secret; ${await nobodys(before, gateways, file)}\n`);
}

/** Until that gateway, a process of its own, takes the new secret; one of this data folder reads it by itself. */
async function known(gateway: RemoteGatewayOptions, next: string, file: string): Promise<void> {
  for (let told = false; ; await sleep(LOOK_MS)) {
    const why = await whyNotBy(next, gateway);
    if (why === undefined) return;
    if (!told)
      process.stdout.write(
        `  waiting: the gateway at ${gateway.url} does not take the new secret yet: start it where it is away; where it has a data folder of its own, copy ${file} into that one (mode 600).\n`,
      );
    told = true;
  }
}

/** Who has its own copy of the file takes both until that is brought up to date. */
async function nobodys(before: string, gateways: readonly RemoteGatewayOptions[], file: string): Promise<string> {
  if (gateways.length > 0) await sleep(TAKEN_MS);
  const refusals = await Promise.all(gateways.map((one) => whyNotBy(before, one)));
  const take = gateways.filter((_, i) => refusals[i] === undefined).map(({ url }) => url);
  if (take.length === 0) return 'the one of before is not taken any more.';
  return `the one of before is still taken by the gateway at ${take.join(', ')}: copy ${file} into its data folder once more.`;
}

function reasonAgainst({ collector, packing }: Config): string | undefined {
  if (collector.secret !== '')
    return 'collector.secret is set in the configuration: write it to the file "secret" in dataDir, mode 600, and start the manager without the setting; then this can change it.';
  if (isPacked(packing))
    return "With packing no VM knows the group's secret, and nodes have their certificates by it for life: replace the nodes for a new one.";
  return undefined;
}

const rolesOf = (config: Config): readonly Pick<RoleOptions, 'role'>[] =>
  workParametersOf(config) === undefined ? [{}] : [{}, { role: 'work' }];

const vmsOf = async (role: RoleOptions) => (await askRole<ManagerView>(role, '/state')).vms;

/** Whoever was there, or was being made, when the new secret came. */
async function replaceAll(role: RoleOptions): Promise<void> {
  const first = new Set((await vmsOf(role)).map(({ id }) => id));
  while ((await vmsOf(role)).some(({ id, state }) => first.has(id) && state === 'pending')) await sleep(LOOK_MS);
  const before = (await vmsOf(role)).map(({ id }) => id);
  for (const [i, id] of before.entries()) {
    process.stdout.write(`VM ${id} is replaced (${i + 1} of ${before.length})\n`);
    await replace(role, id);
  }
}

/** Until it is gone; what keeps it from being replaced is told once. */
async function replace(role: RoleOptions, id: string): Promise<void> {
  let told = '';
  let ordered = false;
  while ((await vmsOf(role)).some((vm) => vm.id === id)) {
    if (!ordered)
      await askRole(role, `/vms/${encodeURIComponent(id)}/replace`, undefined, 'POST').then(
        () => (ordered = true),
        ({ message }: Error) => {
          if (message !== told) process.stdout.write(`  waiting: ${message}\n`);
          told = message;
        },
      );
    await sleep(LOOK_MS);
  }
}
