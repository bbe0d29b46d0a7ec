// The command line: which commands there are, and how errors reach a person.
import { Command } from 'commander';
import { MmeliotError } from '../errors.ts';
import { configCommand } from './config.ts';
import { explainCommand } from './explain.ts';
import { gatewayCommand } from './gateway.ts';
import { loadCommand } from './load.ts';
import { replayCommand } from './replay.ts';
import { setCommand } from './set.ts';
import { managerCommand, upCommand } from './up.ts';
import { vmCommand } from './vm.ts';

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('mmeliot')
    .description('Elastic RFID middleware: a gateway and an elasticity manager in front of VMs that serve EPCIS.')
    .addCommand(upCommand())
    .addCommand(gatewayCommand())
    .addCommand(managerCommand())
    .addCommand(loadCommand())
    .addCommand(setCommand())
    .addCommand(explainCommand())
    .addCommand(replayCommand())
    .addCommand(configCommand())
    .addCommand(vmCommand(), { hidden: true });
  try {
    await program.parseAsync(argv);
  } catch (error) {
    fail(error);
  }
}

/** One sentence and status 2 for what a person can put right; anything else is our fault and shows its stack. */
function fail(error: unknown): void {
  if (error instanceof MmeliotError) {
    process.stderr.write(`mmeliot: ${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  process.stderr.write(
    `mmeliot: this is a defect of mmeliot, please report it:\n${(error as Error).stack ?? String(error)}\n`,
  );
  process.exitCode = 70;
}
