import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { Command } from 'commander';
import { validateDocument } from '../../epcis/bindings/validate.ts';
import { EpcisException } from '../../epcis/domain/exceptions.ts';
import type { Report } from '../../epcis/service/findings.ts';
import { MmeliotError } from '../errors.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const validateCommand = (): Command =>
  new Command('validate')
    .description(
      'check EPCIS documents (JSON or XML): every fault with its place, its rule and a hint; exits with 1 if there is one',
    )
    .argument('<file...>', 'documents')
    .action(async (files: readonly string[]) => {
      for (const file of files) {
        const report = await check(file);
        process.stdout.write(`${told(file, report).join('\n')}\n`);
        if (!report.valid) process.exitCode = 1;
      }
    });

async function check(file: string): Promise<Report> {
  const format = extname(file).toLowerCase() === '.xml' ? 'xml' : 'json';
  try {
    return await validateDocument(createReadStream(file), { format, sha256 });
  } catch (error) {
    if (error instanceof EpcisException) throw new MmeliotError('BAD_REQUEST', `${file}: ${error.message}.`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new MmeliotError('BAD_REQUEST', `${file} cannot be read (${code}).`);
  }
}

function told(file: string, { findings, more, events, vocabularyElements, valid }: Report): string[] {
  const lines = findings.map(({ at, rule, reason, hint }) => {
    const place = at === undefined ? '' : `:${at.replace(/^line /, '')}`;
    return `${file}${place}: ${reason} [${rule}] ${hint}`;
  });
  const counted = `${events} events and ${vocabularyElements} vocabulary elements are right`;
  const verdict = valid
    ? `valid: ${counted}`
    : `not valid: ${findings.length}${more ? ' and more' : ''} findings; ${counted}`;
  return [...lines, `${file}: ${verdict}.`];
}
