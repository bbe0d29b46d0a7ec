import { type Fault } from './fault.ts';

export const gatewayStopped: Fault = {
  name: 'gateway-stopped',
  what: 'SIGTERM to the only gateway in the middle of everything, and its next start',
  inflict: async (world) => {
    world.gateway.child.kill('SIGTERM');
    await world.gateway.ended();
    await world.startGateway();
  },
};
