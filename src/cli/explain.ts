import { Command } from 'commander';
import type { ManagerView } from '../loop/view.ts';
import { askAdmin, withAdmin, type AdminOptions } from './shared/admin-client.ts';

export const explainCommand = (): Command =>
  withAdmin(
    new Command('explain').description('say what the last decision was, and what would have to change for the others'),
  ).action(async (options: AdminOptions) => {
    const { last, explanation } = await askAdmin<ManagerView>(options, '/api/state');
    const lines =
      last === undefined
        ? ['There is no decision yet: the first comes at the end of the first period.']
        : [`Period ${last.period}, ${new Date(last.at).toISOString()}, policy ${last.policy}.`, ...explanation];
    process.stdout.write(`${lines.join('\n')}\n`);
  });
