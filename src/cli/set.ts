import { Command } from 'commander';
import type { ChangeResult } from '../admin/source.ts';
import type { ManagerView } from '../loop/view.ts';
import { parseAssignments } from '../config/changes.ts';
import { MmeliotError } from '../errors.ts';
import { askRole, printJson, withAdmin, withJson, withRole, type RoleOptions } from './shared/admin-client.ts';

interface Options extends RoleOptions {
  readonly reset?: true;
  readonly undo?: true;
  readonly json?: true;
}

export const setCommand = (): Command =>
  withJson(
    withRole(
      withAdmin(
        new Command('set')
          .description('change thresholds, bounds, period or policy of a running manager, from its next period on')
          .argument('[name=value...]', 'for instance high=80 low=25 period=5s; null is back to the configured value')
          .option('--reset', 'back to the configuration: everything that was changed while it ran')
          .option('--undo', 'takes the last change back; once more makes it again'),
      ),
    ),
  ).action(async (assignments: string[], options: Options) => {
    if ([assignments.length > 0, options.reset, options.undo].filter(Boolean).length !== 1)
      throw new MmeliotError('BAD_REQUEST', 'Say what to change, such as high=80, or --reset, or --undo.');
    if (options.undo) return undo(options);
    if (options.reset) return reset(options);
    const changes = parseAssignments(assignments);
    tell(options, Object.keys(changes), await askRole<ChangeResult>(options, '/parameters', changes));
  });

/** Shows what is in force in its place. */
async function undo(options: Options): Promise<void> {
  const result = await askRole<ChangeResult>(options, '/parameters/undo', undefined, 'POST');
  const { changes } = await askRole<ManagerView>(options, '/state');
  tell(options, Object.keys(changes[0]?.patch ?? {}), result);
}

async function reset(options: Options): Promise<void> {
  const result = await askRole<ChangeResult & { readonly reset: readonly string[] }>(
    options,
    '/parameters',
    undefined,
    'DELETE',
  );
  if (result.reset.length === 0 && !options.json)
    process.stdout.write('All settings are those of the configuration.\n');
  tell(options, result.reset, result);
}

function tell({ json }: Options, names: readonly string[], { parameters, warnings }: ChangeResult): void {
  const changed = names.map((name) => [name, parameters[name as keyof typeof parameters]] as const);
  if (json) return printJson({ changed: Object.fromEntries(changed), warnings });
  for (const [name, value] of changed) process.stdout.write(`${name} = ${JSON.stringify(value)}\n`);
  for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
}
