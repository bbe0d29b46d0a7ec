import { createSocket } from 'node:dgram';
import { randomBytes } from 'node:crypto';
import { seconds, type Fault } from './fault.ts';

export const udpForged: Fault = {
  name: 'udp-forged',
  what: '20,000 datagrams that are none, or signed by nobody, at the collector',
  inflict: async (world) => {
    const socket = createSocket('udp4');
    const reports = ['{"vm":"vm-1","cpu":100}', '', '{', randomBytes(1_400)];
    for (let round = 0; round < 100; round++) {
      for (let i = 0; i < 200; i++) socket.send(reports[i % reports.length] ?? '', world.collectorPort, '127.0.0.1');
      await seconds(0.01);
    }
    await new Promise<void>((resolve) => socket.close(resolve));
  },
};
