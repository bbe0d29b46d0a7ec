import { Command } from 'commander';
import type { ChangeResult } from '../admin/source.ts';
import { parseAssignments } from '../config/changes.ts';
import { askAdmin, withAdmin, type AdminOptions } from './shared/admin-client.ts';

export const setCommand = (): Command =>
  withAdmin(
    new Command('set')
      .description('change thresholds, bounds, period or policy of a running manager, from its next period on')
      .argument('<name=value...>', 'for instance high=80 low=25 period=5s; null is back to the configured value'),
  ).action(async (assignments: string[], options: AdminOptions) => {
    const changes = parseAssignments(assignments);
    const { parameters, warnings } = await askAdmin<ChangeResult>(options, '/api/parameters', changes);
    for (const name of Object.keys(changes)) {
      process.stdout.write(`${name} = ${JSON.stringify(parameters[name as keyof typeof parameters])}\n`);
    }
    for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
  });
