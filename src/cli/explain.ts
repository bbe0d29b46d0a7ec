import { Command } from 'commander';
import type { ManagerView } from '../loop/view.ts';
import { askRole, printJson, withAdmin, withJson, withRole, type RoleOptions } from './shared/admin-client.ts';

export const explainCommand = (): Command =>
  withJson(
    withRole(
      withAdmin(
        new Command('explain').description(
          'say what the last decision was, and what would have to change for the others',
        ),
      ),
    ),
  ).action(async ({ json, ...options }: RoleOptions & { readonly json?: true }) => {
    const { last, explanation } = await askRole<ManagerView>(options, '/state');
    if (json) return printJson({ last, explanation });
    const lines =
      last === undefined
        ? ['There is no decision yet: the first comes at the end of the first period.']
        : [`Period ${last.period}, ${new Date(last.at).toISOString()}, policy ${last.policy}.`, ...explanation];
    process.stdout.write(`${lines.join('\n')}\n`);
  });
