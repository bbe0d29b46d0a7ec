import { Command } from 'commander';
import type { ManagerView } from '../loop/view.ts';
import { adminEvents, askAdmin, printJson, withAdmin, withJson, type AdminOptions } from './shared/admin-client.ts';
import { onceNobodyReads } from './shared/output.ts';
import { untilInterrupted } from './shared/signals.ts';
import { headRows } from './shared/status-text.ts';
import { table } from './shared/table.ts';
import { vmTable } from './shared/vm-table.ts';

interface Options extends AdminOptions {
  readonly json?: true;
  readonly once?: true;
}

const CLEAR = '\x1b[H\x1b[2J';

export const topCommand = (): Command =>
  withJson(
    withAdmin(
      new Command('top').description(
        'the fleet, live: signals, traffic, and the VMs, the most loaded first; Ctrl-C ends it',
      ),
    ),
  )
    .option('--once', 'print it once, as it also does where the output is no terminal')
    .action(async ({ json, once, ...options }: Options) => {
      if (json || once || !process.stdout.isTTY) {
        const view = await askAdmin<ManagerView>(options, '/api/state');
        if (json) return printJson(view);
        process.stdout.write(`${screen(view).join('\n')}\n`);
        return;
      }
      const over = new AbortController();
      void untilInterrupted().then(() => over.abort());
      onceNobodyReads(() => over.abort());
      try {
        for await (const { name, data } of adminEvents(options, over.signal))
          if (name === 'state')
            process.stdout.write(
              `${CLEAR}${screen(data as ManagerView)
                .slice(0, process.stdout.rows)
                .join('\n')}\n`,
            );
      } catch (error) {
        if (!over.signal.aborted) throw error;
      }
    });

function screen(view: ManagerView): readonly string[] {
  const vms = [...view.vms].sort((a, b) => (b.lp ?? -1) - (a.lp ?? -1));
  const problems = view.problems.map(({ severity, message }) => `  ${severity}: ${message}`);
  return [...table(headRows(view)), ...problems, '', ...vmTable({ ...view, vms })];
}
