import { Command } from 'commander';
import { secretsIn } from '../config/secrets.ts';
import { createLog } from '../telemetry/log.ts';
import { openDataFolder } from '../manager/data-folder.ts';
import { firstVm, tellWhile } from './shared/first-vm.ts';
import { originsOf, withConfig, type ConfigOptions } from './shared/options.ts';
import { untilInterrupted } from './shared/signals.ts';
import { managerSummary, upSummary } from './shared/summary.ts';
import { clock, startSystem, type Remaining, type Shape } from '../manager/wire.ts';
import type { Remains } from '../act/release-all.ts';
import { farewell, whatRemains } from './shared/farewell.ts';

export const upCommand = (): Command =>
  withConfig(new Command('up').description('start the whole system on this machine: gateway, manager, admin page, VMs'))
    .option('--keep-vms', 'leave the VMs as they are at the end: they serve on, and the next start takes them back')
    .action((options) =>
      run(options as ConfigOptions, {
        gateway: 'own',
        releaseOnClose: (options as { keepVms?: boolean }).keepVms !== true,
      }),
    );

export const managerCommand = (): Command =>
  withConfig(
    new Command('manager').description('start the manager alone, over gateways in other processes (mmeliot gateway)'),
  )
    .option('--release', 'release all VMs at the end; else they serve on, and the next start takes them back')
    .action((options) =>
      run(options as ConfigOptions, {
        gateway: 'remote',
        releaseOnClose: (options as { release?: boolean }).release === true,
      }),
    );

async function run(options: ConfigOptions, shape: Shape): Promise<void> {
  const { config, secretFiles } = originsOf(options);
  const log = createLog({ level: config.logLevel, secrets: secretsIn(config) });
  const interrupted = untilInterrupted();
  const folder = openDataFolder(config.dataDir);
  try {
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    const say = (line: string) => interrupted.happened || print(line);
    let waitsFor = '';
    const onRemains = (remains: Remains) => void (waitsFor = whatRemains(remains));
    const onStep = (next: string) => void (waitsFor = next);
    const system = await tellWhile(
      startSystem(config, folder, log, { ...shape, secretFiles, onStep, onRemains, interrupted }),
      () => waitsFor,
      clock,
      say,
    );
    let remaining: Remaining | undefined;
    try {
      const ready = await firstVm(
        () => system.loop.state(),
        clock,
        say,
        () => interrupted.happened,
      );
      const summary = shape.gateway === 'own' ? upSummary : managerSummary;
      if (!interrupted.happened) process.stdout.write(summary(config, folder, system, ready));
      await interrupted;
      process.stdout.write(`\n${shape.releaseOnClose ? STOPPING : 'Stopping; the VMs stay as they are.'}\n`);
    } finally {
      waitsFor = 'requests to finish';
      remaining = await tellWhile(system.close(), () => waitsFor, clock, print, 'Stopping');
    }
    farewell(remaining);
  } finally {
    folder.unlock();
  }
}

const STOPPING = 'Stopping: requests finish, then the VMs are released (Ctrl-C again ends at once).';
