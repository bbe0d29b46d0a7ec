import { Command } from 'commander';
import { createLog } from '../telemetry/log.ts';
import { openDataFolder } from '../manager/data-folder.ts';
import { configOf, withConfig } from './shared/options.ts';
import { untilInterrupted } from './shared/signals.ts';
import { managerSummary, upSummary } from './shared/summary.ts';
import { startSystem, type Shape, type System } from '../manager/wire.ts';

type Options = Parameters<typeof configOf>[0];

export const upCommand = (): Command =>
  withConfig(
    new Command('up').description('start the whole system on this machine: gateway, manager, admin page, VMs'),
  ).action((options) => run(options as Options, { gateway: 'own', releaseOnClose: true }));

export const managerCommand = (): Command =>
  withConfig(
    new Command('manager').description('start the manager alone, over gateways in other processes (mmeliot gateway)'),
  )
    .option('--release', 'release all VMs at the end; else they serve on, and the next start takes them back')
    .action((options) =>
      run(options as Options, {
        gateway: 'remote',
        releaseOnClose: (options as { release?: boolean }).release === true,
      }),
    );

const FIRST_VM_MS = 60_000;

async function run(options: Options, shape: Shape): Promise<void> {
  const config = configOf(options);
  const log = createLog({ level: config.logLevel });
  const interrupted = untilInterrupted();
  const folder = openDataFolder(config.dataDir);
  try {
    const system = await startSystem(config, folder, log, shape);
    try {
      await Promise.race([firstVm(system), interrupted]);
      const summary = shape.gateway === 'own' ? upSummary : managerSummary;
      if (!interrupted.happened) process.stdout.write(summary(config, folder, system));
      await interrupted;
      process.stdout.write(`\n${shape.releaseOnClose ? STOPPING : 'Stopping; the VMs and gateways serve on.'}\n`);
    } finally {
      await system.close();
    }
    process.stdout.write('Stopped.\n');
  } finally {
    folder.unlock();
  }
}

const STOPPING = 'Stopping: requests finish, then the VMs are released (Ctrl-C again ends at once).';

/** Ready means that a request would be answered; a VM that doesn't come up must not keep the summary back. */
async function firstVm({ loop }: System): Promise<void> {
  const deadline = performance.now() + FIRST_VM_MS;
  while (performance.now() < deadline && !loop.state().fleet.some((vm) => vm.state === 'ready')) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
