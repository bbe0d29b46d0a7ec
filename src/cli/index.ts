// The command line: which commands there are, and how errors reach a person.
import { Command, CommanderError } from 'commander';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { MmeliotError } from '../errors.ts';
import { VERSION } from '../manager/program.ts';
import { survive } from './shared/output.ts';

/** Each is loaded when it is asked for: a VM boots faster without the manager's code. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./up.ts')).upCommand(),
  demo: async () => (await import('./demo.ts')).demoCommand(),
  load: async () => (await import('./load.ts')).loadCommand(),
  seed: async () => (await import('./seed.ts')).seedCommand(),
  set: async () => (await import('./set.ts')).setCommand(),
  pause: async () => (await import('./pause.ts')).pauseCommand(),
  resume: async () => (await import('./pause.ts')).resumeCommand(),
  acknowledge: async () => (await import('./pause.ts')).acknowledgeCommand(),
  preview: async () => (await import('./preview.ts')).previewCommand(),
  audit: async () => (await import('./audit.ts')).auditCommand(),
  key: async () => (await import('./key.ts')).keyCommand(),
  secret: async () => (await import('./secret.ts')).secretCommand(),
  status: async () => (await import('./status.ts')).statusCommand(),
  top: async () => (await import('./top.ts')).topCommand(),
  events: async () => (await import('./events.ts')).eventsCommand(),
  explain: async () => (await import('./explain.ts')).explainCommand(),
  simulate: async () => (await import('./simulate.ts')).simulateCommand(),
  experiment: async () => (await import('./experiment.ts')).experimentCommand(),
  report: async () => (await import('./report.ts')).reportCommand(),
  benchmark: async () => (await import('./benchmark.ts')).benchmarkCommand(),
  compare: async () => (await import('./compare.ts')).compareCommand(),
  calibrate: async () => (await import('./calibrate.ts')).calibrateCommand(),
  plan: async () => (await import('./plan.ts')).planCommand(),
  replay: async () => (await import('./replay.ts')).replayCommand(),
  config: async () => (await import('./config.ts')).configCommand(),
  check: async () => (await import('./check.ts')).checkCommand(),
  gateway: async () => (await import('./gateway.ts')).gatewayCommand(),
  manager: async () => (await import('./up.ts')).managerCommand(),
  'emulate-opennebula': async () => (await import('./emulate-opennebula.ts')).emulateOpenNebulaCommand(),
  'emulate-ec2': async () => (await import('./emulate-ec2.ts')).emulateEc2Command(),
  repository: async () => (await import('./repository.ts')).repositoryCommand(),
  access: async () => (await import('./access.ts')).accessCommand(),
  validate: async () => (await import('./validate.ts')).validateCommand(),
  completion: async () => (await import('./completion.ts')).completionCommand(wholeProgram),
  release: async () => (await import('./release.ts')).releaseCommand(),
  node: async () => (await import('./node.ts')).nodeCommand(),
  vm: async () => (await import('./vm.ts')).vmCommand(),
};

export async function main(argv: readonly string[]): Promise<void> {
  survive(process.stdout);
  // where its end says it all
  process.stderr.on('error', () => undefined);
  try {
    const [, , name = ''] = argv;
    const program = await programOf(asked(name));
    tellUsage(program);
    await program.parseAsync(argv);
  } catch (error) {
    fail(error);
  }
}

/** What its first word needs: to see the version, or one command at work, takes no other commands. */
function asked(word: string): readonly string[] {
  if (word === '--version' || word === '-V') return [];
  return Object.hasOwn(COMMANDS, word) ? [word] : Object.keys(COMMANDS);
}

/** With all commands, for who wants to know them. */
export const wholeProgram = (): Promise<Command> => programOf(Object.keys(COMMANDS));

async function programOf(names: readonly string[]): Promise<Command> {
  const program = new Command('mmeliot')
    .description('Elastic RFID middleware: a gateway and an elasticity manager in front of VMs that serve EPCIS.')
    .version(VERSION, '-V, --version', 'print the version');
  for (const name of names) program.addCommand(await (COMMANDS[name] as () => Promise<Command>)());
  return program;
}

/** What was typed wrongly is told as every other error that a person can put right. */
function tellUsage(command: Command): void {
  command.exitOverride();
  command.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'mmeliot: ')) });
  command.commands.forEach(tellUsage);
}

/** What disks and file systems say when they take no more; nobody here could know it before. */
const NO_FILE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG', 'EACCES', 'EPERM']);

/** One sentence and status 2 for what a person can put right; anything else is our fault and shows its stack. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    // it has written its sentence, or the help or version that it was asked for
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  if (error instanceof MmeliotError || error instanceof OptionError) {
    process.stderr.write(`mmeliot: ${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  if ((error as NodeJS.ErrnoException).syscall === 'uv_cwd') {
    process.stderr.write('mmeliot: The folder that this was started in is gone: change to one that is there.\n');
    process.exitCode = 2;
    return;
  }
  const { code = '', message, path } = error as NodeJS.ErrnoException;
  if (NO_FILE.has(code)) {
    // without a path it was open, and writing to it failed
    const what = path === undefined ? 'A file, and so the result,' : path;
    process.stderr.write(`mmeliot: ${what} can't be written to its end: ${message}.\n`);
    process.exitCode = 2;
    return;
  }
  process.stderr.write(
    `mmeliot: this is a defect of mmeliot, please report it:\n${(error as Error).stack ?? String(error)}\n`,
  );
  process.exitCode = 70;
}
