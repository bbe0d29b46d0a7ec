// The options of a command that is run by hand: what it does not know ends in one sentence and status 2, as with mmeliot.
import { parseArgs, type ParseArgsConfig } from 'node:util';

type Parsed<T extends ParseArgsConfig> = ReturnType<typeof parseArgs<T>>;

export function commandOptions<const T extends ParseArgsConfig>(config: T): Parsed<T> {
  try {
    return parseArgs(config);
  } catch (error) {
    const known = Object.entries(config.options ?? {}).map(([name, one]) => `--${name}${shownDefault(one.default)}`);
    process.stderr.write(`${(error as Error).message.split('. ')[0]}. There are: ${known.join(', ')}.\n`);
    return process.exit(2);
  }
}

const shownDefault = (value: unknown): string => (typeof value === 'string' ? ` (${value})` : '');
