// The command line: which commands there are, and how errors reach a person.
import { Command, CommanderError } from 'commander';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { MmeliotError } from '../errors.ts';
import { VERSION } from '../manager/program.ts';
import { survive } from './shared/output.ts';

interface Entry {
  /** One line of the list of commands; its own help says more. */
  readonly says: string;
  /** Each is loaded when it is asked for: a VM boots faster without the manager's code. */
  readonly load: () => Promise<Command>;
}
const entry = (says: string, load: Entry['load']): Entry => ({ says, load });

/** Below headings, as `mmeliot --help` lists them. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Start:': {
    up: entry('the whole system: gateway, manager, admin page, VMs', async () => (await import('./up.ts')).upCommand()),
    demo: entry('what mmeliot is for, in two minutes', async () => (await import('./demo.ts')).demoCommand()),
    gateway: entry('a gateway alone', async () => (await import('./gateway.ts')).gatewayCommand()),
    manager: entry('the manager alone', async () => (await import('./up.ts')).managerCommand()),
    release: entry('give back the VMs that up --keep-vms left', async () =>
      (await import('./release.ts')).releaseCommand(),
    ),
  },
  'Look:': {
    status: entry('what is wrong, and what to do', async () => (await import('./status.ts')).statusCommand()),
    top: entry('the fleet, live', async () => (await import('./top.ts')).topCommand()),
    events: entry('what happened', async () => (await import('./events.ts')).eventsCommand()),
    explain: entry('the last decision in words', async () => (await import('./explain.ts')).explainCommand()),
    audit: entry('who changed what', async () => (await import('./audit.ts')).auditCommand()),
  },
  'Steer:': {
    set: entry('change settings while it runs', async () => (await import('./set.ts')).setCommand()),
    preview: entry('what other settings would have done', async () => (await import('./preview.ts')).previewCommand()),
    pause: entry('hold all decisions', async () => (await import('./pause.ts')).pauseCommand()),
    resume: entry('let the manager decide again', async () => (await import('./pause.ts')).resumeCommand()),
    acknowledge: entry('say that you look after a problem', async () =>
      (await import('./pause.ts')).acknowledgeCommand(),
    ),
    vm: entry('list, show, add, drain, replace or keep VMs', async () => (await import('./vm.ts')).vmCommand()),
  },
  'Set up:': {
    config: entry('check, print or describe the configuration', async () =>
      (await import('./config.ts')).configCommand(),
    ),
    key: entry('keys by which clients say who they are', async () => (await import('./key.ts')).keyCommand()),
    secret: entry("renew the group's secret", async () => (await import('./secret.ts')).secretCommand()),
    access: entry('who may see and capture what', async () => (await import('./access.ts')).accessCommand()),
    repository: entry('check, prune, back up, restore, migrate events', async () =>
      (await import('./repository.ts')).repositoryCommand(),
    ),
    validate: entry('every fault of an EPCIS document', async () => (await import('./validate.ts')).validateCommand()),
    check: entry('may mmeliot do in a cloud what it has to?', async () => (await import('./check.ts')).checkCommand()),
    plan: entry("what would be bought at today's prices", async () => (await import('./plan.ts')).planCommand()),
    node: entry('carry several VMs on this machine (packing)', async () => (await import('./node.ts')).nodeCommand()),
    completion: entry('completion of commands for bash, zsh or fish', async () =>
      (await import('./completion.ts')).completionCommand(wholeProgram),
    ),
  },
  'Load and experiments:': {
    load: entry('put load on a gateway, or on any EPCIS server', async () => (await import('./load.ts')).loadCommand()),
    seed: entry('fill a repository with repeatable events', async () => (await import('./seed.ts')).seedCommand()),
    calibrate: entry('measure what one VM can do', async () => (await import('./calibrate.ts')).calibrateCommand()),
    experiment: entry('policies under loads on the live system', async () =>
      (await import('./experiment.ts')).experimentCommand(),
    ),
    report: entry('figures and tables of an experiment', async () => (await import('./report.ts')).reportCommand()),
  },
  'On virtual time:': {
    simulate: entry('the control loop over simulated VMs', async () =>
      (await import('./simulate.ts')).simulateCommand(),
    ),
    replay: entry('a journal under other settings', async () => (await import('./replay.ts')).replayCommand()),
    compare: entry('all policies over recorded loads', async () => (await import('./compare.ts')).compareCommand()),
    benchmark: entry('all policies on frozen scenes', async () => (await import('./benchmark.ts')).benchmarkCommand()),
  },
  'Clouds to try it with:': {
    'emulate-opennebula': entry('an OpenNebula front end on this machine', async () =>
      (await import('./emulate-opennebula.ts')).emulateOpenNebulaCommand(),
    ),
    'emulate-ec2': entry('Amazon EC2 on this machine', async () =>
      (await import('./emulate-ec2.ts')).emulateEc2Command(),
    ),
  },
};
const COMMANDS: Readonly<Record<string, Entry & { readonly heading: string }>> = Object.fromEntries(
  Object.entries(GROUPS).flatMap(([heading, entries]) =>
    Object.entries(entries).map(([name, each]) => [name, { ...each, heading }]),
  ),
);

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
    .addHelpText('after', '\n`mmeliot COMMAND --help` says more of each.')
    .version(VERSION, '-V, --version', 'print the version');
  // options and arguments of each stand in its own help
  program
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .commandsGroup('Help:')
    .helpCommand(true);
  for (const name of names) {
    const { load, says, heading } = COMMANDS[name] as (typeof COMMANDS)[string];
    program.addCommand((await load()).summary(says).helpGroup(heading));
  }
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
