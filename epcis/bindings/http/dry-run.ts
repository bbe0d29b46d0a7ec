import { EpcisException } from '../../domain/exceptions.ts';

/** Whether the URL asks for a check instead of a capture. Who asks for it in a way that isn't understood must not have it captured. */
export function isDryRun(url: string): boolean {
  const at = url.indexOf('?');
  const asked = [...new URLSearchParams(at < 0 ? '' : url.slice(at + 1))].filter(([name]) =>
    /^dry[-_]?run$/i.test(name),
  );
  const [[name, value] = ['dryRun', 'false'], ...more] = asked;
  if (name !== 'dryRun') throw wrong(`Write dryRun, not '${name}'.`);
  if (more.length > 0) throw wrong('dryRun stands twice.');
  if (value !== 'true' && value !== 'false') throw wrong(`dryRun must be true or false, not '${value}'.`);
  return value === 'true';
}

const wrong = (reason: string): EpcisException => new EpcisException('ValidationException', reason);
