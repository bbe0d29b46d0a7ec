// All faults. A new one is a file beside this one, and a line here.
import { clockAhead, clockBehind } from './clock-wrong.ts';
import { databaseFull, databaseReadOnly, databaseRestarted } from './database.ts';
import { descriptorsExhausted } from './descriptors.ts';
import { diskFull } from './disk-full.ts';
import type { Fault } from './fault.ts';
import { gatewayKilled } from './gateway-killed.ts';
import { gatewayStopped } from './gateway-stopped.ts';
import { haproxyFrozen, haproxyKilled } from './haproxy.ts';
import { managerFrozen } from './manager-frozen.ts';
import { managerKilled } from './manager-killed.ts';
import { managerStopped } from './manager-stopped.ts';
import { managerTwice } from './manager-twice.ts';
import { udpForged } from './udp-forged.ts';
import { vmFrozen } from './vm-frozen.ts';
import { vmKilled } from './vm-killed.ts';
import { vmSlow } from './vm-slow.ts';

export const FAULTS: readonly Fault[] = [
  ...[vmKilled, vmFrozen, vmSlow],
  ...[managerKilled, managerFrozen, managerTwice, managerStopped, clockAhead, clockBehind, udpForged],
  ...[gatewayKilled, gatewayStopped, haproxyKilled, haproxyFrozen],
  ...[databaseRestarted, databaseReadOnly, databaseFull, diskFull, descriptorsExhausted],
];
