import { Command } from 'commander';
import type { ManagerView, ShownPeriod } from '../loop/view.ts';
import { askRole, withAdmin, withRole, type RoleOptions } from './shared/admin-client.ts';
import { statusText } from './shared/status-text.ts';

/** Periods that are looked through for events: an hour of 10 s. */
const PERIODS = 360;

export const statusCommand = (): Command =>
  withRole(
    withAdmin(
      new Command('status').description(
        'say how a running manager is: its conditions, what to do about them, and the last events; ' +
          'the exit status is 1 while a condition is an error',
      ),
    ),
  )
    .option('--json', 'the whole view of the manager as JSON, and nothing else')
    .action(async ({ json, ...options }: RoleOptions & { readonly json?: boolean }) => {
      const view = await askRole<ManagerView>(options, '/state');
      if (json) process.stdout.write(`${JSON.stringify(view, undefined, 2)}\n`);
      else {
        const periods = await askRole<readonly ShownPeriod[]>(options, `/periods?limit=${PERIODS}&holds=false`);
        process.stdout.write(statusText(view, periods));
      }
      if (view.problems.some(({ severity }) => severity === 'error')) process.exitCode = 1;
    });
