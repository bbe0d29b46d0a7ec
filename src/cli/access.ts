// Who may see what: the rules of a repository, which every VM goes by.
import { Command } from 'commander';
import { hostname, userInfo } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { parse } from 'yaml';
import type { ClientIdentity } from '../../epcis/access/identity.ts';
import { askedBy } from '../../epcis/access/rules/client-rights.ts';
import { Difference, everyoneIn, marksOf } from '../../epcis/access/rules/compare.ts';
import { RulesError } from '../../epcis/access/rules/document.ts';
import { effectsOf, explain } from '../../epcis/access/rules/explain.ts';
import { readRules } from '../../epcis/access/rules/read.ts';
import type { Rule } from '../../epcis/access/rules/rule.ts';
import { readWhole, whyUnreadable } from '../../epcis/files/read-whole.ts';
import { applyRules, currentRules, indexForRules, rulesHistory } from '../../epcis/repository/access-rules.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { codeOf } from '../../epcis/repository/database/errors.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { RULES_WITHIN_MS } from '../../epcis/work/rules.ts';
import { MmeliotError } from '../errors.ts';
import { printJson, withJson } from './shared/admin-client.ts';
import { onRepository } from './shared/on-repository.ts';
import { withConfig, type configOf } from './shared/options.ts';

type Options = Parameters<typeof configOf>[0] & { readonly json?: true };

const withTenant = (command: Command): Command =>
  withConfig(withJson(command)).option('--tenant <name>', 'of this tenant, instead of the main repository');

export function accessCommand(): Command {
  const command = new Command('access').description('who may see and capture what: rules, and what they decide');
  const rules = command.command('rules').description('the rules of a repository, which all of its VMs go by');
  const onRules = (name: string, description: string) => withTenant(rules.command(name).description(description));
  onRules('show', 'print the rules in force, as they were written').action(onDatabase(show));
  onRules('history', 'when which version was applied, by whom, from where').action(onDatabase(history));
  onRules('apply', 'put the rules of a file in force on all VMs, which takes 2 s')
    .argument('<file>')
    .action((file: string, options: Options) => {
      const written = readFile(file);
      return onDatabase((database) => apply(database, written))(options);
    });
  withJson(rules.command('check').description('say what is wrong with a file of rules'))
    .argument('<file>')
    .action((file: string, options: Options) => {
      const { length } = readFile(file).rules;
      tell({ text: `${file}: ${length} rules, all sound.`, data: { file, rules: length } }, options);
    });
  withTenant(command.command('explain').description('why a client gets an event, or does not: which rule decides'))
    .requiredOption('--client <name>', 'as rules call it')
    .requiredOption('--event <id>', 'the ID of the event, or its hash')
    .option('--group <group...>', 'groups that the client is in', [])
    .option('--issuer <issuer>', 'who vouches for its claims')
    .option('--claim <name=value...>', 'claims of its token', [])
    .action((options: Options & ExplainOptions) => onDatabase((database) => explainEvent(database, options))(options));
  withTenant(
    command.command('try').description('what the rules of a file would change, and for whom, of the newest events'),
  )
    .argument('<file>')
    .option('--events <count>', 'how many of the newest events are looked at', '10000')
    .action((file: string, options: Options & { readonly events: string }) => {
      const { rules: after } = readFile(file);
      return onDatabase((database) => tryRules(database, after, Number(options.events)))(options);
    });
  return command;
}

/** What came of it, for people and for programs. */
interface Told {
  readonly text: string;
  readonly data: unknown;
}

const onDatabase = (work: (database: Database) => Promise<Told>) => (options: Options) =>
  onRepository(async (database) => tell(await work(database), options))(options);

function tell({ text, data }: Told, { json }: Options): void {
  if (json) printJson(data);
  else if (text !== '') process.stdout.write(`${text}\n`);
}

interface ExplainOptions {
  readonly client: string;
  readonly event: string;
  readonly group: readonly string[];
  readonly issuer?: string;
  readonly claim: readonly string[];
}

interface Written {
  readonly source: string;
  readonly document: unknown;
  readonly rules: readonly Rule[];
}

function readFile(file: string): Written {
  const source = textOf(file);
  try {
    const document: unknown = parse(source);
    return { source, document, rules: readRules(document) };
  } catch (error) {
    const [why = ''] = error instanceof Error ? error.message.replace(/:$/m, '.').split('\n') : [String(error)];
    const code = error instanceof RulesError ? 'CONFIG_INVALID' : 'BAD_REQUEST';
    throw new MmeliotError(code, `${file}: ${why}`, { cause: error });
  }
}

function textOf(file: string): string {
  try {
    return readWhole(file).toString();
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? `There is no file ${file}.` : `${file} ${whyUnreadable(error)}.`;
    throw new MmeliotError('BAD_REQUEST', why, { cause: error });
  }
}

async function show(database: Database): Promise<Told> {
  const current = await currentRules(database);
  const nothing = 'No rules were ever applied: where clients have to be known, they get nothing.';
  const data = current === undefined ? null : (JSON.parse(current.rules) as unknown);
  return { text: current?.source.trimEnd() ?? nothing, data };
}

async function history(database: Database): Promise<Told> {
  const data = (await rulesHistory(database)).map(({ version, appliedAt, appliedBy, appliedFrom, rules }) => ({
    ...{ version, appliedAt, appliedBy, appliedFrom },
    rules: readRules(JSON.parse(rules)).length,
  }));
  const lines = data.map(
    ({ version, appliedAt, appliedBy, appliedFrom, rules }) =>
      `${version}  ${appliedAt}  ${appliedBy} at ${appliedFrom}  ${rules} rules`,
  );
  return { text: lines.join('\n'), data };
}

async function apply(database: Database, { source, document, rules }: Written): Promise<Told> {
  await indexForRules(database, askedBy(rules));
  const about = { appliedBy: userInfo().username, appliedFrom: hostname() };
  const version = await applyRules(database, { source, rules: JSON.stringify(document), ...about });
  // what is done next, in a script or by who pastes several lines, meets these rules and not those before
  await setTimeout(RULES_WITHIN_MS);
  const text = `Version ${version} with ${rules.length} rules is applied; all VMs that reach the repository go by it.`;
  return { text, data: { version, rules: rules.length } };
}

const inForce = async (database: Database): Promise<readonly Rule[]> => {
  const current = await currentRules(database);
  return current === undefined ? [] : readRules(JSON.parse(current.rules));
};

async function explainEvent(database: Database, options: ExplainOptions): Promise<Told> {
  const effects = effectsOf(await inForce(database), clientOf(options), Date.now());
  const query = {
    criteria: [{ kind: 'eventID', values: [options.event] }],
    order: { by: 'recordTime', direction: 'ASC' },
    marks: effects.map(({ of }) => of),
  } as const;
  const lines: string[] = [];
  const data: object[] = [];
  for await (const { event, marks } of createEventRepository(database, { now: Date.now }).events(query)) {
    const declares = event.errorDeclaration === undefined ? '' : ', an error declaration';
    const [because = '', ...rules] = explain(effects, marks, options.client);
    lines.push(`${event.type} of ${event.eventTime}${declares}: ${because}`, ...rules);
    const met = effects.map(({ rule, does }, n) => ({ rule: rule.name, does, meets: marks[n] === true }));
    data.push({ type: event.type, eventTime: event.eventTime, because, rules: met });
  }
  if (data.length === 0) throw new MmeliotError('BAD_REQUEST', `There is no event ${options.event} in the repository.`);
  return { text: lines.join('\n'), data };
}

function clientOf({ client, group, issuer, claim }: ExplainOptions): ClientIdentity {
  const claims = claim.map((each): [string, string] => {
    const at = each.indexOf('=');
    if (at < 1) throw new MmeliotError('BAD_REQUEST', `--claim ${each}: name=value is expected.`);
    return [each.slice(0, at), each.slice(at + 1)];
  });
  return {
    client,
    groups: group,
    roles: [],
    claims: Object.fromEntries(claims),
    ...(issuer !== undefined && { issuer }),
  };
}

async function tryRules(database: Database, after: readonly Rule[], events: number): Promise<Told> {
  if (!Number.isInteger(events) || events < 1)
    throw new MmeliotError('BAD_REQUEST', `--events ${events}: a whole number from 1 is expected.`);
  const rules = { before: await inForce(database), after };
  await indexForRules(database, askedBy([...rules.before, ...after]));
  const repository = createEventRepository(database, { now: Date.now });
  const order = { by: 'recordTime', direction: 'DESC' } as const;
  const found: (readonly [string, Difference])[] = [];
  for (const client of everyoneIn([...rules.before, ...after])) {
    const marks = marksOf(client, rules, Date.now());
    const difference = new Difference();
    for await (const row of repository.events({ criteria: [], order, limit: events, marks }))
      difference.add(row.event.eventID ?? row.hash, row.marks);
    found.push([client.client, difference]);
  }
  const data = found.map(([client, { before, after: then, gains, losses, otherwise, gained, lost }]) => ({
    ...{ client, sees: { before, after: then } },
    ...{ gains, losses, otherFields: otherwise, examples: { gained, lost } },
  }));
  return { text: found.map(([client, difference]) => `${client}: ${shown(difference)}`).join('\n'), data };
}

function shown({ before, after, gains, losses, otherwise, gained, lost }: Difference): string {
  const some = (count: number, what: string, examples: readonly string[]): string =>
    count === 0 ? '' : `; ${what} ${count} (${examples.join(', ')}${count > examples.length ? ', …' : ''})`;
  const fields = otherwise === 0 ? '' : `; ${otherwise} with other fields hidden`;
  return `sees ${before} now, ${after} then${some(gains, 'gains', gained)}${some(losses, 'loses', lost)}${fields}`;
}
