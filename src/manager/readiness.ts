// Whether a VM serves.
import { Agent, getGlobalDispatcher, request } from 'undici';
import { showAddress } from '../../epcis/domain/address.ts';
import { byTls } from '../balance/core/options.ts';
import type { Config } from '../config/schema.ts';
import type { Address } from '../model.ts';
import { connectionOf, type GroupTrust } from '../tls/group.ts';
import { whileSame } from './group-secret.ts';

const READY_MS = 5_000;
const MOST_BYTES = 65_536;

/** A VM's check answers 200 only when the repository answers it. */
export function readiness(gateway: Config['gateway'], trust: GroupTrust) {
  const known = whileSame(
    () => trust.ca,
    () => new Agent({ connect: connectionOf(trust) }),
  );
  return async (_id: string, address: Address): Promise<boolean> => {
    const [protocol, dispatcher] = byTls(gateway, address) ? ['https', known()] : ['http', getGlobalDispatcher()];
    const url = `${protocol}://${showAddress(address)}${gateway.health.path}`;
    // the whole of it: one that says a byte now and then would be waited for
    const signal = AbortSignal.timeout(READY_MS);
    const { statusCode, body } = await request(url, { signal, dispatcher });
    await body.dump({ limit: MOST_BYTES, signal });
    return statusCode === 200;
  };
}
