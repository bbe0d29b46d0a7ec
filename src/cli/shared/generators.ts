// One load by several generators: processes of this machine, or those that join from elsewhere.
import { hostname } from 'node:os';
import { runLoad } from '../../../loadgen/cli.ts';
import { startGenerator } from '../../../loadgen/live.ts';
import { leadLoad } from '../../../loadgen/together.ts';
import { OptionError } from '../../../loadgen/workload/option-error.ts';
import { parseAddress } from '../../../epcis/domain/address.ts';
import { PROGRAM } from '../../manager/program.ts';
import { wholeNumber } from './load-options.ts';

export interface Generators {
  readonly workers?: string;
  readonly listen?: string;
}

/** How the load is run: by this process alone, or by as many as are wanted. */
export function generators({ workers = '1', listen }: Generators): typeof runLoad {
  const count = wholeNumber('--workers', workers);
  if (count < 1) throw new OptionError('--workers 0: one generator or more is expected.');
  if (count === 1 && listen === undefined) return runLoad;
  return async (options) => {
    const { host, port } = listen === undefined ? { host: '127.0.0.1', port: 0 } : addressOf(listen);
    const leading = await leadLoad(options, {
      ...{ of: count, host, port },
      ...(listen !== undefined && { onWaiting: (there) => tell(`${there} of ${count} generators are there.`) }),
    });
    if (listen === undefined) for (let i = 0; i < count; i++) startGenerator(PROGRAM, leading);
    else tell(`Waiting for ${count} generators. On each: mmeliot load --join ${fromElsewhere(leading.url)}`);
    return leading.load;
  };
}

/** All addresses of a machine are none that another one could ask. */
const fromElsewhere = (url: string): string => url.replace(/\/\/(0\.0\.0\.0|\[::\]):/, `//${hostname()}:`);

const tell = (line: string): void => void process.stderr.write(`${line}\n`);

function addressOf(text: string): { readonly host: string; readonly port: number } {
  const address = parseAddress(text);
  if (address === undefined)
    throw new OptionError(`--listen ${text}: host:port is expected, for instance 0.0.0.0:9100.`);
  return address;
}
