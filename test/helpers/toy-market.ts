// A toy market with two pools, and a hand to move it: `change` puts the next one in force.
import type { Market, Millis, Offer } from '../../src/model.ts';
import type { ToyMarket, ToyOffer } from '../../src/act/toy-market.ts';

export const toyOffer = (pool: string, market: Market, price: number, more: Partial<ToyOffer> = {}): ToyOffer => ({
  id: `${pool}/${market}`,
  size: { name: pool, vcpu: 1 },
  market,
  pool,
  price,
  ...more,
});

export const TWO_POOLS: ToyMarket = {
  offers: [toyOffer('a', 'on-demand', 1), toyOffer('a', 'interruptible', 0.1), toyOffer('b', 'interruptible', 0.2)],
};

export function movedByHand(
  change: (market: ToyMarket) => void,
  take: (vm: string) => void,
  begin: ToyMarket = TWO_POOLS,
) {
  let market = begin;
  const put = async (next: ToyMarket): Promise<void> => change((market = next));
  const withOffer = ({ id }: Offer, more: Partial<ToyOffer>): ToyMarket => ({
    ...market,
    offers: market.offers.map((offer) => (offer.id === id ? { ...offer, ...more } : offer)),
  });
  change(market);
  return {
    fill: (offer: Offer) => put(withOffer(offer, { room: 0 })),
    setPrice: (offer: Offer, price: number) => put(withOffer(offer, { price })),
    giveNotice(vm: string, at: Millis | undefined) {
      const others = Object.entries(market.notices ?? {}).filter(([noticed]) => noticed !== vm);
      const mine: readonly (readonly [string, Millis])[] = at === undefined ? [] : [[vm, at]];
      return put({ ...market, notices: Object.fromEntries([...others, ...mine]) });
    },
    take: async (vm: string) => take(vm),
  };
}
