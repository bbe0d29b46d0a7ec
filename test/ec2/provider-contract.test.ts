import { expect } from 'chai';
import type { Offer } from '../../src/model.ts';
import { providerContract } from '../src/act/provider-contract.ts';
import { openCloud } from './emulated.ts';

providerContract(
  'EC2, against the emulator',
  async () => {
    const opened = await openCloud();
    const { cloud } = opened.emulator;
    const named = (id: string) => cloud.instances.get(id) ?? expect.fail(`there is no instance ${id}`);
    return {
      provider: opened.provider(),
      successor: async () => opened.provider(),
      market: {
        fill: ({ pool }: Offer) => opened.emulator.setFaults({ noCapacity: pool }),
        setPrice: async ({ pool }: Offer, price: number) => cloud.market.set(pool, price),
        giveNotice: async (id: string, at: number | undefined) =>
          at === undefined ? cloud.withdraw(named(id)) : cloud.interrupt(named(id), undefined, at),
        take: async (id: string) => cloud.take(named(id)),
      },
      stop: () => opened.stop(),
    };
  },
  { hasMarket: true },
);
