// All faults. A new one is a file beside this one, and a line here.
import {
  clockAhead,
  clockBehind,
  databaseClockBack,
  managerClockBack,
  vmClockAhead,
  vmClockBehind,
} from './clock-wrong.ts';
import {
  databaseFrozen,
  databaseFull,
  databaseReadOnly,
  databaseRefusesWrites,
  databaseRestarted,
  databaseSlow,
  databaseStopped,
  deadlocks,
} from './database.ts';
import { gatewayDescriptors, managerDescriptors, vmDescriptors } from './descriptors.ts';
import { diskFull, vmDiskFull } from './disk-full.ts';
import { everyOrder, everyOrderKept } from './every-order.ts';
import type { Fault } from './fault.ts';
import { galeraMemberLost } from './galera-member-lost.ts';
import { gatewayKilled, gatewayOfPairKilled } from './gateway-killed.ts';
import { gatewayStopped } from './gateway-stopped.ts';
import { haproxyFrozen, haproxyKilled, haproxyTerminated } from './haproxy.ts';
import { maintenanceKilled } from './maintenance-killed.ts';
import { managerFrozen } from './manager-frozen.ts';
import { managerKilled } from './manager-killed.ts';
import { managerOlder } from './manager-older.ts';
import { managerStopped, managerStoppedKept } from './manager-stopped.ts';
import { managerTwice } from './manager-twice.ts';
import {
  agentsSilent,
  cutsOneWay,
  databaseFar,
  lossyBetween,
  networkLossy,
  networkSlow,
  slowBetween,
  udpLost,
  udpMixed,
} from './network.ts';
import { providerAway, providerCutsOff, providerHangs, providerLies, providerSlow } from './provider.ts';
import { resized } from './resized.ts';
import { replicaFrozen, replicaLags, replicaLost } from './replica.ts';
import { twoAtOnce } from './two-at-once.ts';
import { udpForged } from './udp-forged.ts';
import { upgrades } from './upgrade.ts';
import { vmFrozen } from './vm-frozen.ts';
import { vmKilled, vmTerminated } from './vm-killed.ts';
import { vmOutOfMemory } from './vm-out-of-memory.ts';
import { vmSlow } from './vm-slow.ts';

export const FAULTS: readonly Fault[] = [
  ...[vmKilled, vmTerminated, vmFrozen, vmSlow, vmOutOfMemory, vmDiskFull, vmDescriptors, agentsSilent],
  ...[
    managerKilled,
    managerFrozen,
    managerTwice,
    managerStopped,
    managerStoppedKept,
    managerOlder,
    managerDescriptors,
    resized,
  ],
  ...[
    clockAhead,
    clockBehind,
    vmClockAhead,
    vmClockBehind,
    databaseClockBack,
    managerClockBack,
    udpForged,
    udpLost,
    udpMixed,
    networkLossy,
    networkSlow,
    everyOrder,
    everyOrderKept,
  ],
  ...[...cutsOneWay, ...lossyBetween, ...slowBetween],
  ...[
    gatewayKilled,
    gatewayStopped,
    gatewayDescriptors,
    gatewayOfPairKilled,
    haproxyKilled,
    haproxyTerminated,
    haproxyFrozen,
  ],
  ...[providerAway, providerHangs, providerSlow, providerCutsOff, providerLies],
  ...[
    databaseRestarted,
    databaseStopped,
    databaseReadOnly,
    databaseRefusesWrites,
    databaseFull,
    databaseFrozen,
    databaseSlow,
    databaseFar,
    deadlocks,
  ],
  ...[
    galeraMemberLost,
    replicaLags,
    replicaFrozen,
    replicaLost,
    diskFull,
    ...maintenanceKilled,
    ...twoAtOnce,
    ...upgrades,
  ],
];
