import { Command } from 'commander';
import type { Preview } from '../loop/preview.ts';
import { askRole, printJson, withAdmin, withJson, withRole, type RoleOptions } from './shared/admin-client.ts';
import { previewText } from './shared/preview-text.ts';

interface Options extends RoleOptions {
  readonly span: string;
  readonly json?: true;
}

export const previewCommand = (): Command =>
  withJson(
    withRole(
      withAdmin(
        new Command('preview').description(
          'what other settings would have done with what a running manager has recorded: VM-minutes, money, saturation, before and after',
        ),
      ),
    ),
  )
    .argument('<name=value...>', 'as for `mmeliot set`, for instance high=80 low=25')
    .option('--span <duration>', 'of the last hour, day or so', '1h')
    .action(async (assignments: string[], { span, json, ...options }: Options) => {
      const query = new URLSearchParams([...assignments.map((one): [string, string] => ['set', one]), ['span', span]]);
      const result = await askRole<Preview>(options, `/preview?${query.toString()}`);
      if (json) return printJson(result);
      process.stdout.write(previewText(result));
    });
