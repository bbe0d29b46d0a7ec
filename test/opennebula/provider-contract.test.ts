import { providerContract } from '../src/act/provider-contract.ts';
import { openCloud } from './emulated.ts';

providerContract('OpenNebula, against the emulator', async () => {
  const cloud = await openCloud();
  return {
    provider: cloud.provider(),
    successor: async () => cloud.provider(),
    monitors: true,
    stop: () => cloud.stop(),
  };
});
