// Who may see what: the rules of a repository, which every VM goes by.
import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { parse } from 'yaml';
import type { ClientIdentity } from '../../epcis/access/identity.ts';
import { hasPatterns } from '../../epcis/access/rules/client-rights.ts';
import { Difference, everyoneIn, marksOf } from '../../epcis/access/rules/compare.ts';
import { RulesError } from '../../epcis/access/rules/document.ts';
import { effectsOf, explain } from '../../epcis/access/rules/explain.ts';
import { readRules } from '../../epcis/access/rules/read.ts';
import type { Rule } from '../../epcis/access/rules/rule.ts';
import { applyRules, currentRules, indexEpcsOfEvents, rulesHistory } from '../../epcis/repository/access-rules.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { MmeliotError } from '../errors.ts';
import { onRepository } from './shared/on-repository.ts';
import { withConfig, type configOf } from './shared/options.ts';

type Options = Parameters<typeof configOf>[0];

const withTenant = (command: Command): Command =>
  withConfig(command).option('--tenant <name>', 'of this tenant, instead of the main repository');

export function accessCommand(): Command {
  const command = new Command('access').description('who may see and capture what: rules, and what they decide');
  const rules = command.command('rules').description('the rules of a repository, which all of its VMs go by');
  const onRules = (name: string, description: string) => withTenant(rules.command(name).description(description));
  onRules('show', 'print the rules in force, as they were written').action(onRepository(show));
  onRules('history', 'when which version was applied, by whom, from where').action(onRepository(history));
  onRules('apply', 'put the rules of a file in force on all VMs, within 2 s')
    .argument('<file>')
    .action((file: string, options: Options) => {
      const written = readFile(file);
      return onRepository((database) => apply(database, written))(options);
    });
  rules
    .command('check')
    .description('say what is wrong with a file of rules')
    .argument('<file>')
    .action((file: string) => say(`${file}: ${readFile(file).rules.length} rules, all sound.`));
  withTenant(command.command('explain').description('why a client gets an event, or does not: which rule decides'))
    .requiredOption('--client <name>', 'as rules call it')
    .requiredOption('--event <id>', 'the ID of the event, or its hash')
    .option('--group <group...>', 'groups that the client is in', [])
    .option('--issuer <issuer>', 'who vouches for its claims')
    .option('--claim <name=value...>', 'claims of its token', [])
    .action((options: Options & ExplainOptions) =>
      onRepository((database) => explainEvent(database, options))(options),
    );
  withTenant(
    command.command('try').description('what the rules of a file would change, and for whom, of the newest events'),
  )
    .argument('<file>')
    .option('--events <count>', 'how many of the newest events are looked at', '10000')
    .action((file: string, options: Options & { readonly events: string }) => {
      const { rules: after } = readFile(file);
      return onRepository((database) => tryRules(database, after, Number(options.events)))(options);
    });
  return command;
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
  try {
    const source = readFileSync(file, 'utf8');
    const document: unknown = parse(source);
    return { source, document, rules: readRules(document) };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    const code = error instanceof RulesError ? 'CONFIG_INVALID' : 'BAD_REQUEST';
    throw new MmeliotError(code, `${file}: ${why}`, { cause: error });
  }
}

async function show(database: Database): Promise<void> {
  const current = await currentRules(database);
  say(current?.source.trimEnd() ?? 'No rules were ever applied: where clients have to be known, they get nothing.');
}

async function history(database: Database): Promise<void> {
  for (const { version, appliedAt, appliedBy, appliedFrom, rules } of await rulesHistory(database))
    say(`${version}  ${appliedAt}  ${appliedBy} at ${appliedFrom}  ${readRules(JSON.parse(rules)).length} rules`);
}

async function apply(database: Database, { source, document, rules }: Written): Promise<void> {
  if (hasPatterns(rules)) await indexEpcsOfEvents(database);
  const about = { appliedBy: userInfo().username, appliedFrom: hostname() };
  const version = await applyRules(database, { source, rules: JSON.stringify(document), ...about });
  say(`Version ${version} with ${rules.length} rules is applied; all VMs go by it within 2 s.`);
}

const inForce = async (database: Database): Promise<readonly Rule[]> => {
  const current = await currentRules(database);
  return current === undefined ? [] : readRules(JSON.parse(current.rules));
};

async function explainEvent(database: Database, options: ExplainOptions): Promise<void> {
  const effects = effectsOf(await inForce(database), clientOf(options), Date.now());
  const query = {
    criteria: [{ kind: 'eventID', values: [options.event] }],
    order: { by: 'recordTime', direction: 'ASC' },
    marks: effects.map(({ of }) => of),
  } as const;
  let found = 0;
  for await (const { event, marks } of createEventRepository(database, { now: Date.now }).events(query)) {
    found += 1;
    const declares = event.errorDeclaration === undefined ? '' : ', an error declaration';
    say(`${event.type} of ${event.eventTime}${declares}: ${explain(effects, marks, options.client).join('\n')}`);
  }
  if (found === 0) throw new MmeliotError('BAD_REQUEST', `There is no event ${options.event} in the repository.`);
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

async function tryRules(database: Database, after: readonly Rule[], events: number): Promise<void> {
  if (!Number.isInteger(events) || events < 1)
    throw new MmeliotError('BAD_REQUEST', `--events ${events}: a whole number from 1 is expected.`);
  const rules = { before: await inForce(database), after };
  const repository = createEventRepository(database, { now: Date.now });
  const order = { by: 'recordTime', direction: 'DESC' } as const;
  for (const client of everyoneIn([...rules.before, ...after])) {
    const marks = marksOf(client, rules, Date.now());
    const difference = new Difference();
    for await (const row of repository.events({ criteria: [], order, limit: events, marks }))
      difference.add(row.event.eventID ?? row.hash, row.marks);
    say(`${client.client}: ${shown(difference)}`);
  }
}

function shown({ before, after, gains, losses, otherwise, gained, lost }: Difference): string {
  const some = (count: number, what: string, examples: readonly string[]): string =>
    count === 0 ? '' : `; ${what} ${count} (${examples.join(', ')}${count > examples.length ? ', …' : ''})`;
  const fields = otherwise === 0 ? '' : `; ${otherwise} with other fields hidden`;
  return `sees ${before} now, ${after} then${some(gains, 'gains', gained)}${some(losses, 'loses', lost)}${fields}`;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);
