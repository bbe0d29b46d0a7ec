import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { openDataFolder } from '../manager/data-folder.ts';
import { openGroupSecret } from '../manager/group-secret.ts';
import { openProvider, releaseFleet, secretOfFleet } from '../manager/open-provider.ts';
import { keptOf } from '../act/entry.ts';
import { openStateFile, STATE_FILE } from '../manager/state-file.ts';
import { steady } from '../manager/steady-clock.ts';
import type { Remains } from '../act/release-all.ts';
import { clock as wallClock } from '../manager/wire.ts';
import { farewell, whatRemains } from './shared/farewell.ts';
import { tellWhile } from './shared/first-vm.ts';
import { configOf, withConfig } from './shared/options.ts';

type Options = Parameters<typeof configOf>[0] & { readonly keptToo?: true };

export const releaseCommand = (): Command =>
  withConfig(
    new Command('release').description('release all VMs of the group, while no manager runs (after `up --keep-vms`)'),
  )
    .option('--kept-too', 'those, too, that somebody keeps by `mmeliot vm keep`')
    .action((options: Options) => release(options));

/** The lock of the data folder sees to it that no manager replaces what is released here. */
async function release(options: Options): Promise<void> {
  const config = configOf(options);
  const folder = openDataFolder(config.dataDir);
  try {
    const secret = await openGroupSecret(config.collector.secret, folder, () => secretOfFleet(config));
    const cloud = await openProvider(config, folder, config.collector, secret);
    try {
      const clock = { now: steady, sleep: (ms: number) => sleep(ms) };
      const saved = await openStateFile(folder.file(STATE_FILE)).load();
      const entries = saved?.entries ?? [];
      const kept = keptOf(options.keptToo ? [] : entries);
      const known = entries.flatMap(({ id }) => id ?? []);
      let waitsFor = 'the VMs to be gone';
      const tell = (remains: Remains) => void (waitsFor = whatRemains(remains));
      const remains = await tellWhile(
        releaseFleet(cloud, config.manager.releaseWithin, clock, { kept, known, tell }),
        () => waitsFor,
        wallClock,
        (line) => void process.stdout.write(`${line}\n`),
        'Releasing',
      );
      const byHand = remains.vms.length === 0 ? undefined : cloud.byHand?.(remains.vms);
      farewell({ ...remains, ...(byHand !== undefined && { byHand }) });
    } finally {
      await cloud.close();
      secret.close();
    }
  } finally {
    folder.unlock();
  }
}
