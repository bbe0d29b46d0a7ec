import { EpcisException } from '../../domain/exceptions.ts';

/** Whether the URL asks for a check instead of a capture. */
export function isDryRun(url: string): boolean {
  const at = url.indexOf('?');
  const value = new URLSearchParams(at < 0 ? '' : url.slice(at + 1)).get('dryRun') ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw new EpcisException('ValidationException', `dryRun must be true or false, not '${value}'.`);
}
