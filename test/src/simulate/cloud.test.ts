import { movedByHand } from '../../helpers/toy-market.ts';
import { providerContract } from '../act/provider-contract.ts';
import { createChance } from '../../../src/simulate/chance.ts';
import { SimulatedCloud } from '../../../src/simulate/simulated-cloud.ts';

providerContract(
  'simulated',
  async () => {
    // virtual time that passes a little with every look
    let now = 1_700_000_000_000;
    const settings = { bootMs: 1, bootSpread: 0.1, bootFailures: 0, meanLifeMs: Infinity, releaseMs: 0 };
    const cloud = new SimulatedCloud(settings, createChance(1), () => now++);
    const take = (vm: string) => {
      cloud.take(vm);
      cloud.takeCrashed();
    };
    const market = movedByHand((next) => (cloud.market = next), take);
    return { provider: cloud, now: () => now, market, stop: () => Promise.resolve() };
  },
  { hasMarket: true },
);
