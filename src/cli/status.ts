import { Command } from 'commander';
import type { ManagerView } from '../loop/view.ts';
import type { DecisionRecord } from '../model.ts';
import { askAdmin, withAdmin, type AdminOptions } from './shared/admin-client.ts';
import { statusText } from './shared/status-text.ts';

/** Periods that are looked through for events: an hour of 10 s. */
const PERIODS = 360;

export const statusCommand = (): Command =>
  withAdmin(
    new Command('status').description(
      'say how a running manager is: its conditions, what to do about them, and the last events; ' +
        'the exit status is 1 while a condition is an error',
    ),
  )
    .option('--json', 'the whole view of the manager as JSON, and nothing else')
    .action(async ({ json, ...options }: AdminOptions & { readonly json?: boolean }) => {
      const view = await askAdmin<ManagerView>(options, '/api/state');
      if (json) process.stdout.write(`${JSON.stringify(view, undefined, 2)}\n`);
      else {
        const records = await askAdmin<readonly DecisionRecord[]>(options, `/api/decisions?limit=${PERIODS}`);
        process.stdout.write(statusText(view, records));
      }
      if (view.problems.some(({ severity }) => severity === 'error')) process.exitCode = 1;
    });
