import { Command } from 'commander';
import type { AuditEntry } from '../admin/source.ts';
import { askAdmin, printJson, withAdmin, withJson, type AdminOptions } from './shared/admin-client.ts';

interface Options extends AdminOptions {
  readonly limit: string;
  readonly json?: true;
}

export const auditCommand = (): Command =>
  withJson(
    withAdmin(
      new Command('audit')
        .description('who changed what on a running manager, when and from where; newest first')
        .option('--limit <number>', 'so many entries', '50'),
    ),
  ).action(async (options: Options) => {
    const entries = await askAdmin<readonly AuditEntry[]>(
      options,
      `/api/audit?limit=${encodeURIComponent(options.limit)}`,
    );
    if (options.json) return printJson(entries);
    for (const entry of entries) process.stdout.write(`${lineOf(entry)}\n`);
  });

const lineOf = ({ at, who, from, what, status, change }: AuditEntry): string =>
  [
    ...[at, who.padEnd(16), from.padEnd(16), what],
    ...(status === undefined ? [] : [String(status)]),
    ...(change === undefined ? [] : [JSON.stringify(change)]),
  ].join('  ');
