// The check of somebody's account (src/act/provider-check.ts), with what only EC2 has: offers, of each kind one.
import { checkProvider, type CheckDeps } from '../src/act/provider-check.ts';
import type { Millis } from '../src/model.ts';

/** True when all went well. */
export function checkAccount(deps: CheckDeps, patienceMs: Millis): Promise<boolean> {
  return checkProvider(deps, {
    before: [],
    after: [{ what: 'offers', work: () => offers(deps) }],
    patienceMs,
  });
}

async function offers({ provider }: CheckDeps): Promise<string> {
  const all = await provider.offers();
  const cheapest = (market: (typeof all)[number]['market']): string => {
    const [first] = all.filter((offer) => offer.market === market).sort((a, b) => a.price - b.price);
    return first === undefined ? `nothing ${market}` : `${market} from ${first.price} (${first.pool})`;
  };
  const pools = new Set(all.map(({ pool }) => pool)).size;
  return `${pools} pools, USD an hour: ${cheapest('on-demand')}, ${cheapest('interruptible')}`;
}
