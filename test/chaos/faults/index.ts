// All faults. A new one is a file beside this one, and a line here.
import { clockAhead, clockBehind } from './clock-wrong.ts';
import {
  databaseFrozen,
  databaseFull,
  databaseReadOnly,
  databaseRestarted,
  databaseSlow,
  deadlocks,
} from './database.ts';
import { descriptorsExhausted } from './descriptors.ts';
import { diskFull } from './disk-full.ts';
import { everyOrder } from './every-order.ts';
import type { Fault } from './fault.ts';
import { gatewayKilled } from './gateway-killed.ts';
import { gatewayStopped } from './gateway-stopped.ts';
import { haproxyFrozen, haproxyKilled } from './haproxy.ts';
import { managerFrozen } from './manager-frozen.ts';
import { managerKilled } from './manager-killed.ts';
import { managerOlder } from './manager-older.ts';
import { managerStopped } from './manager-stopped.ts';
import { managerTwice } from './manager-twice.ts';
import { agentsSilent, networkCutOneWay, networkLossy, networkSlow, udpLost } from './network.ts';
import { udpForged } from './udp-forged.ts';
import { vmFrozen } from './vm-frozen.ts';
import { vmKilled } from './vm-killed.ts';
import { vmOutOfMemory } from './vm-out-of-memory.ts';
import { vmSlow } from './vm-slow.ts';

export const FAULTS: readonly Fault[] = [
  ...[vmKilled, vmFrozen, vmSlow, vmOutOfMemory, agentsSilent],
  ...[managerKilled, managerFrozen, managerTwice, managerStopped, managerOlder, clockAhead, clockBehind],
  ...[udpForged, udpLost, networkLossy, networkSlow, networkCutOneWay, everyOrder],
  ...[gatewayKilled, gatewayStopped, haproxyKilled, haproxyFrozen],
  ...[databaseRestarted, databaseReadOnly, databaseFull, databaseFrozen, databaseSlow, deadlocks],
  ...[diskFull, descriptorsExhausted],
];
