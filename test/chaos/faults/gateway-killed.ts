import { type Fault } from './fault.ts';

export const gatewayKilled: Fault = {
  name: 'gateway-killed',
  what: 'kill -9 of the only gateway, started again at once',
  inflict: async (world) => {
    await world.gateway.kill();
    await world.startGateway();
  },
};
