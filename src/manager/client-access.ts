// Who may come in at this process's gateway, as the configuration says: keys, tokens of other issuers.
import type { KeyObject } from 'node:crypto';
import { GOOD_FOR_MS } from '../../epcis/access/gateway-time.ts';
import { clientContent, clientKey, signClient } from '../../epcis/access/client-token.ts';
import { Access } from '../access/access.ts';
import { jwtReader } from '../access/jwt.ts';
import type { KeyRecord } from '../access/keys.ts';
import { clientsAreKnown } from '../access/options.ts';
import type { Config } from '../config/schema.ts';
import { whileSame, type GroupSecret } from './group-secret.ts';

/** Undefined: anybody may come in. */
export function clientAccess(
  config: Config,
  secret: Pick<GroupSecret, 'all'>,
  keys: readonly KeyRecord[],
): Access | undefined {
  if (!clientsAreKnown(config)) return undefined;
  const { issuers, certificates, tenantTerms, clockSkewMs, ...limits } = config.identity;
  const tenants = config.epcis.tenants.map((name) => ({ name, ...tenantTerms.find((one) => one.name === name) }));
  const ofSecret = whileSame(
    () => secret.all(),
    (all) => [...all].reverse().map(clientKey),
  );
  const signer = {
    keys: ofSecret,
    content: (client: Parameters<typeof clientContent>[0], now: number) => clientContent(client, now + GOOD_FOR_MS),
    sign: (content: string, method: string, path: string, key: KeyObject) => signClient(content, { method, path }, key),
  };
  const readToken = issuers.length === 0 ? undefined : jwtReader({ issuers, clockSkewMs });
  return new Access({ now: Date.now, signer, certificates, tenants, ...limits, ...(readToken && { readToken }) }, keys);
}
