import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { Command } from 'commander';
import { validateDocument } from '../../epcis/bindings/validate.ts';
import { inUtf8 } from '../../epcis/bindings/xml/charset.ts';
import { checkDocument, type CheckItem } from '../../epcis/checks/checks.ts';
import { EpcisException } from '../../epcis/domain/exceptions.ts';
import type { Report } from '../../epcis/service/findings.ts';
import { NO_HISTORY } from '../../epcis/service/rule-history.ts';
import { MmeliotError } from '../errors.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const validateCommand = (): Command =>
  new Command('validate')
    .description(
      'check EPCIS documents (JSON or XML): every fault with its place, its rule and a hint; exits with 1 if there is one',
    )
    .argument('<file...>', 'documents')
    .option(
      '--checks <file>',
      "extension schemas and business rules, as epcis.checks names them; rules look back on the files' own events only",
    )
    .action(async (files: readonly string[], { checks }: { checks?: string }) => {
      const check = await openCheck(checks);
      for (const file of files) {
        const report = await validate(file, check);
        process.stdout.write(`${linesOf(file, report).join('\n')}\n`);
        if (!report.valid) process.exitCode = 1;
      }
    });

/** One for all files: what stands in the first is the past of the second. */
async function openCheck(file: string | undefined): Promise<CheckItem | undefined> {
  if (file === undefined) return undefined;
  const { openChecks } = await import('../../epcis/checks/open-checks.ts');
  try {
    return checkDocument(await openChecks(file), NO_HISTORY);
  } catch (error) {
    throw new MmeliotError('BAD_REQUEST', (error as Error).message);
  }
}

async function validate(file: string, check: CheckItem | undefined): Promise<Report> {
  const format = extname(file).toLowerCase() === '.xml' ? 'xml' : 'json';
  try {
    const bytes = createReadStream(file);
    return await validateDocument(format === 'xml' ? inUtf8(bytes) : bytes, { format, sha256 }, check);
  } catch (error) {
    if (error instanceof EpcisException) throw new MmeliotError('BAD_REQUEST', `${file}: ${error.message}.`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new MmeliotError('BAD_REQUEST', `${file} cannot be read (${code}).`);
  }
}

function linesOf(file: string, { findings, more, events, vocabularyElements, valid }: Report): string[] {
  const lines = findings.map(({ at, rule, severity, reason, hint }) => {
    const place = at === undefined ? '' : `:${at.replace(/^line /, '')}`;
    return `${file}${place}: ${severity === 'warning' ? 'warning: ' : ''}${reason} [${rule}] ${hint}`;
  });
  const counted = `${events} events and ${vocabularyElements} vocabulary elements are right`;
  const verdict = valid
    ? `valid: ${counted}`
    : `not valid: ${findings.length}${more ? ' and more' : ''} findings; ${counted}`;
  return [...lines, `${file}: ${verdict}.`];
}
