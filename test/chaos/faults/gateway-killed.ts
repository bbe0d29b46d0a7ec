import { seconds, type Fault } from './fault.ts';

export const gatewayKilled: Fault = {
  name: 'gateway-killed',
  what: 'kill -9 of the only gateway, started again at once',
  inflict: async (world) => {
    await world.gateway.kill();
    await world.startGateway();
  },
};

export const gatewayOfPairKilled: Fault = {
  name: 'gateway-of-pair-killed',
  what: 'kill -9 of the one of two gateways that has the address, back after 3 s',
  world: { gateways: 2 },
  inflict: async (world) => {
    await world.gateway.kill();
    await seconds(3);
    await world.startGateway();
  },
};
