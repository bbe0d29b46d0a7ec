// Tenants: repositories beside the main one, each with its own events, rules, queries and jobs. The gateway says whose a client is.
import { parseRepositoryUrl } from './repository/database/url.ts';

/** epcis.db → epcis-north.db; mysql://db/epcis → mysql://db/epcis_north. Nothing but a name is to be told to a VM: no further address, no further secret. */
export function urlOfTenant(url: string, tenant: string): string {
  if (parseRepositoryUrl(url).kind === 'mysql') return `${url}_${tenant}`;
  const [, before = url, ending = ''] = /^(.*?)(\.[^./]*)?$/.exec(url) ?? [];
  return `${before}-${tenant}${ending}`;
}
