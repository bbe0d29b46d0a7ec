import { Command } from 'commander';
import { explain } from '../loop/explain.ts';
import type { DecisionRecord } from '../model.ts';
import { askAdmin, withAdmin, type AdminOptions } from './shared/admin-client.ts';

export const explainCommand = (): Command =>
  withAdmin(
    new Command('explain').description('say what the last decision was, and what would have to change for the others'),
  ).action(async (options: AdminOptions) => {
    const [last] = await askAdmin<readonly DecisionRecord[]>(options, '/api/decisions?limit=1');
    const lines =
      last === undefined
        ? ['There is no decision yet: the first comes at the end of the first period.']
        : [
            `Period ${last.period}, ${new Date(last.at).toISOString()}, policy ${last.policy}.`,
            ...explain(last.decision),
          ];
    process.stdout.write(`${lines.join('\n')}\n`);
  });
