// The manager's decisions, held and let go again; and what somebody looks after.
import { Command } from 'commander';
import type { ChangeResult } from '../admin/source.ts';
import type { ManagerView } from '../loop/view.ts';
import { askAdmin, printJson, withAdmin, withJson, type AdminOptions } from './shared/admin-client.ts';

interface Options extends AdminOptions {
  readonly json?: true;
}

const setPaused = (name: string, description: string, paused: boolean, told: string): Command =>
  withJson(withAdmin(new Command(name).description(description))).action(async ({ json, ...options }: Options) => {
    const result = await askAdmin<ChangeResult>(options, '/api/parameters', { paused });
    if (json) return printJson({ paused: result.parameters.paused });
    process.stdout.write(`${told}\n`);
  });

export const pauseCommand = (): Command =>
  setPaused(
    'pause',
    'hold all decisions of a running manager, also over restarts; what fails is replaced, and the minimum kept up',
    true,
    'Paused from the next period on: no decision adds or releases a VM until mmeliot resume.',
  );

export const resumeCommand = (): Command =>
  setPaused('resume', 'let a paused manager decide again', false, 'The manager decides again from its next period on.');

export const acknowledgeCommand = (): Command =>
  withJson(
    withAdmin(
      new Command('acknowledge').description(
        'say that you look after a problem, for the others to see; without one: list them',
      ),
    ),
  )
    .argument('[problem]', 'its condition, such as disk, or its whole sentence')
    .action(async (problem: string | undefined, { json, ...options }: Options) => {
      if (problem !== undefined) {
        const answer = await askAdmin<object>(options, '/api/problems/acknowledge', { problem }, 'POST');
        if (json) return printJson(answer);
        process.stdout.write('Noted: page and status say that you look after it, until it is over.\n');
        return;
      }
      const { problems } = await askAdmin<ManagerView>(options, '/api/state');
      if (json) return printJson(problems);
      for (const { condition, message, acknowledged } of problems)
        process.stdout.write(
          `${condition === undefined ? '' : `${condition}: `}${message}${acknowledged === undefined ? '' : ` (${acknowledged.who} looks after it)`}\n`,
        );
      if (problems.length === 0) process.stdout.write('There is no problem.\n');
    });
