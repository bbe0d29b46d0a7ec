import { connect } from 'node:net';
import { parseUrl } from '../../../loadgen/cli.ts';
import { OptionError } from '../../../loadgen/workload/option-error.ts';

/** A typo in a port would otherwise be told at the end. */
export async function expectListener(url: string): Promise<void> {
  const { hostname, port, protocol } = parseUrl(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: 5_000 });
  socket.on('timeout', () => socket.destroy());
  const why = await new Promise<string | undefined>((resolve) => {
    socket.on('connect', () => resolve(undefined)).on('close', () => resolve('timeout'));
    socket.on('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
  });
  socket.destroy();
  if (why !== undefined) throw new OptionError(`Nothing listens at ${url} (${why}): start it, or name another --url.`);
}
