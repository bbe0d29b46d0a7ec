// One load by several generators: processes of this machine, or those that join from elsewhere.
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
    const leading = await leadLoad(options, count, host, port);
    if (listen === undefined) for (let i = 0; i < count; i++) startGenerator(PROGRAM, leading);
    else process.stderr.write(`Waiting for ${count} generators. On each: mmeliot load --join ${leading.url}\n`);
    return leading.load;
  };
}

function addressOf(text: string): { readonly host: string; readonly port: number } {
  const address = parseAddress(text);
  if (address === undefined)
    throw new OptionError(`--listen ${text}: host:port is expected, for instance 0.0.0.0:9100.`);
  return address;
}
