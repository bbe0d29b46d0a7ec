// What an operator does with the repository, while VMs serve: stats, check, reindex, prune, backup, restore; and migrate, before they do.
// What takes long can be handed to the VMs.
import { createReadStream, createWriteStream, existsSync, statSync, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Command } from 'commander';
import { backup, isBeingRestored, restore } from '../../epcis/repository/backup.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { check, reindexSteps } from '../../epcis/repository/check.ts';
import { prune, stats } from '../../epcis/repository/maintenance.ts';
import { schemaVersion } from '../../epcis/repository/migrate.ts';
import { parseDuration } from '../../epcis/domain/quantity.ts';
import type { Config } from '../config/schema.ts';
import { PART_OF_A_BACKUP, RESTORE_ON } from '../loop/surrounding-conditions.ts';
import { timeLeft } from '../time-left.ts';
import { MmeliotError } from '../errors.ts';
import { onRepository } from './shared/on-repository.ts';
import { onVms } from './shared/on-vms.ts';
import { withConfig, type configOf } from './shared/options.ts';
import { untilInterrupted } from './shared/signals.ts';

type Options = Parameters<typeof configOf>[0] & { readonly onVms?: boolean };

const ON_VMS = ['--on-vms', 'have the VMs that serve do it, behind what clients wait for'] as const;

export function repositoryCommand(): Command {
  const command = new Command('repository').description('look after the repository of the events, while VMs serve');
  const sub = (name: string, description: string) => withConfig(command.command(name).description(description));
  sub('stats', 'how many events there are, from when, and what they take on disk').action(onRepository(showStats));
  sub('check', 'read every event and look for each row of its index; status 1 when something is wrong')
    .option(...ON_VMS)
    .action((options: Options) => onRepository(options.onVms === true ? checkOnVms : showCheck)(options));
  sub('reindex', "make the index anew where it is not as it should be: what 'check' says misses rows")
    .option(...ON_VMS)
    .action((options: Options) => onRepository(options.onVms === true ? reindexOnVms : reindex)(options));
  sub('prune', 'delete the events that were captured before a time, in small steps; master data stays')
    .requiredOption('--before <when>', 'an age such as 365d, or a time such as 2026-01-31')
    .option(...ON_VMS)
    .action((options: Options & { before: string }) => {
      const before = timeOf(options.before, Date.now());
      const prune = options.onVms === true ? pruneOnVms : pruneBefore;
      return onRepository((database, config) => prune(database, before, config))(options);
    });
  sub('migrate', 'bring its schema up to date, or make it, where the user that VMs have may not').action(
    // opening it does so
    onRepository(showVersion, true),
  );
  sub('backup', 'write everything that was captured to a file; compressed if its name ends in .gz')
    .argument('<file>')
    .option(...ON_VMS)
    .action((file: string, options: Options) => {
      const made = options.onVms === true ? backUpOnVms : backUp;
      return onRepository((database, config) => made(database, file, config))(options);
    });
  sub('restore', 'read a backup into an empty repository, of either kind of database')
    .argument('<file>')
    .action((file: string, options: Options) => {
      // before a repository is made for it
      if (!existsSync(file)) throw new MmeliotError('BAD_REQUEST', `There is no file ${file}.`);
      if (!statSync(file).isFile())
        throw new MmeliotError('BAD_REQUEST', `${file} is no file: a backup is read twice, so save it to one first.`);
      return onRepository((database) => readBack(database, file), true)(options);
    });
  return command;
}

async function showVersion(database: Database): Promise<void> {
  say(`schema version ${await schemaVersion(database)}`);
}

async function showStats(database: Database): Promise<void> {
  const { schemaVersion: version, events, oldest, newest, vocabularyElements, bytes } = await stats(database);
  const lines = [
    ['events', String(events)],
    ['captured first', oldest ?? '-'],
    ['captured last', newest ?? '-'],
    ['master data', `${vocabularyElements} elements`],
    [
      'on disk',
      `${(bytes / 2 ** 20).toFixed(1)} MiB${events > 0 ? `, ${Math.round(bytes / events)} bytes an event` : ''}`,
    ],
    ['schema', `version ${version}`],
  ];
  say(lines.map(([name = '', value = '']) => `${name.padEnd(16)}${value}`).join('\n'));
  await tellIfPart(database);
}

/** What is said beside is of that part. */
async function tellIfPart(database: Database): Promise<void> {
  if (!(await isBeingRestored(database))) return;
  process.exitCode = 1;
  process.stderr.write(`${PART_OF_A_BACKUP} ${RESTORE_ON}\n`);
}

async function showCheck(database: Database): Promise<void> {
  const { events, faults } = await check(database);
  showFaults(events, faults);
  await tellIfPart(database);
}

async function checkOnVms(database: Database, config: Config): Promise<void> {
  await onVms(
    { database, config, say: progress },
    { kind: 'check', asked: {} },
    async ({ progress: { done }, document }) => {
      showFaults(done, (await textOf(document)).split('\n').slice(0, -1));
      await tellIfPart(database);
    },
  );
}

function showFaults(events: number, faults: readonly string[]): void {
  for (const fault of faults) say(fault);
  if (faults.length > 0) process.exitCode = 1;
  const advice =
    "Back up what is left, and restore it into an empty one; what misses rows, 'mmeliot repository reindex' mends.";
  say(faults.length === 0 ? `${events} events are sound.` : advice);
}

async function reindex(database: Database): Promise<void> {
  let told = '';
  const begun = performance.now();
  for await (const { done, total, text = '' } of reindexSteps(database, { kind: 'reindex', asked: {}, done: 0 })) {
    progress(`${done} of ${total} events${timeLeft(performance.now() - begun, done, total)}`);
    told += text;
  }
  progress('');
  say(told.trimEnd());
}

async function reindexOnVms(database: Database, config: Config): Promise<void> {
  await onVms({ database, config, say: progress }, { kind: 'reindex', asked: {} }, async ({ document }) => {
    say((await textOf(document)).trimEnd());
  });
}

async function pruneBefore(database: Database, before: number): Promise<void> {
  let pruned = 0;
  const onStep = (upToNow: number): void => progress(`${(pruned = upToNow)} events pruned`);
  await untilStopped(async (signal) => {
    pruned = await prune(database, before, { onStep, signal });
  });
  progress('');
  showPruned(pruned, before);
}

/** Ctrl-C ends it in order, with status 130. */
async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  void untilInterrupted().then(() => stopping.abort());
  try {
    await work(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    process.exitCode = 130;
  }
}

async function pruneOnVms(database: Database, before: number, config: Config): Promise<void> {
  await onVms({ database, config, say: progress }, { kind: 'prune', asked: { before } }, ({ progress: { done } }) =>
    showPruned(done, before),
  );
}

function showPruned(pruned: number, before: number): void {
  say(`${pruned} events that were captured before ${new Date(before).toISOString()} are deleted.`);
}

async function backUp(database: Database, file: string): Promise<void> {
  let lines = 0;
  const counted = async function* (): AsyncGenerator<string> {
    for await (const line of backup(database)) {
      lines += 1;
      if (lines % 1000 === 0) progress(`${lines} lines`);
      yield line;
    }
  };
  await untilStopped((signal) =>
    intoFile(file, async (target) => {
      await (isGzip(file)
        ? pipeline(Readable.from(counted()), createGzip(), target, { signal })
        : pipeline(Readable.from(counted()), target, { signal }));
    }),
  );
}

/** Meanwhile it stands in the repository, compressed. */
async function backUpOnVms(database: Database, file: string, config: Config): Promise<void> {
  refuseExisting(file);
  await onVms({ database, config, say: progress }, { kind: 'backup', asked: {} }, ({ document }) =>
    intoFile(file, async (target) => {
      const source = Readable.from(document, { objectMode: false });
      await (isGzip(file) ? pipeline(source, target) : pipeline(source, createGunzip(), target));
    }),
  );
}

/** A file under its own name is whole. */
async function intoFile(file: string, write: (target: WriteStream) => Promise<void>): Promise<void> {
  refuseExisting(file);
  const part = `${file}.part`;
  // it holds the secrets of page tokens and subscriptions
  const target = createWriteStream(part, { mode: 0o600, flush: true });
  try {
    await write(target);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined); // where the folder isn't there, neither is the file
    // writing to what is open names no file
    if (error instanceof Error && 'syscall' in error) Object.assign(error, { path: file });
    throw error;
  }
  progress('');
  say(`The backup is in ${file}.`);
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new MmeliotError('BAD_REQUEST', `${file} is there already: name another file.`);
}

async function textOf(document: AsyncIterable<Uint8Array>): Promise<string> {
  return text(Readable.from(document, { objectMode: false }).pipe(createGunzip()));
}

async function readBack(database: Database, file: string): Promise<void> {
  const read = (): AsyncIterable<string> => {
    const source = createReadStream(file);
    const lines: Readable = isGzip(file) ? source.pipe(createGunzip()) : source;
    source.once('error', (error) => lines.destroy(error));
    lines.setEncoding('utf8');
    return linesOf(lines as AsyncIterable<string>);
  };
  progress('the backup is looked at');
  const events = await restore(database, read, (restored) => progress(`${restored} events restored`));
  progress('');
  say(`${events} events are restored.`);
}

const isGzip = (file: string): boolean => file.endsWith('.gz');

/** At newlines only: node:readline also splits at U+2028, which may stand in a text of an event. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

/** `365d` → that long ago; `2026-01-31`, `2026-01-31T12:00:00Z` → then. */
function timeOf(text: string, now: number): number {
  const age = parseDuration(text);
  const time = age === undefined ? timestamp(text) : now - age;
  if (Number.isNaN(time))
    throw new MmeliotError(
      'BAD_REQUEST',
      `--before ${text}: an age such as 365d or 12h, or a time such as 2026-01-31 or 2026-01-31T12:00:00Z, is expected.`,
    );
  if (time > now) throw new MmeliotError('BAD_REQUEST', `--before ${text} is in the future, which is every event.`);
  return time;
}

const timestamp = (text: string): number => (/^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN);

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);
