import type { VmObservation } from '../../../src/model.ts';
import { NO_TRAFFIC } from '../../helpers/world.ts';
import { vm } from '../admin/scripted-source.ts';
import { AT, decided, facts, tellOf, withParameters } from './calm-facts.ts';

/** A last period in which vm-1's load was known from there. */
function heardFrom(source: VmObservation['source']) {
  const record = decided({});
  const seen = { vm: vm('vm-1', 'ready'), cpu: [5], responseTime: [], source };
  return { ...record, observation: { ...record.observation, vms: [seen] } };
}

describe('conditions of what is around', () => {
  tellOf([
    [
      'a VM whose reports are signed with another secret, while the cloud tells its load',
      'reports',
      'error',
      /^The load reports of vm-1 are refused: they are signed with another secret/,
      facts({ last: heardFrom('provider') }, { refused: new Map([['vm-1', AT - 5_000]]) }),
    ],
    [
      'reports in the name of a VM that is heard itself',
      'reports',
      'ok',
      /^No VM's load reports/,
      facts({ last: heardFrom('agent') }, { refused: new Map([['vm-1', AT - 5_000]]) }),
    ],
    [
      'connections beyond the limits',
      'refusals',
      'note',
      /^40 requests and connections were refused in the last 5 s, before they counted\.$/,
      facts({}, { traffic: { ...NO_TRAFFIC, refused: 40, arrivalRate: 100, span: 5_000 } }),
    ],
    [
      'a stranger now and then',
      'refusals',
      'ok',
      /^Hardly any/,
      facts({}, { traffic: { ...NO_TRAFFIC, refused: 4, arrivalRate: 100, span: 5_000 } }),
    ],
    [
      'a database that is down',
      'repository',
      'error',
      /does not answer: ECONNREFUSED/,
      facts({}, { repository: { why: 'ECONNREFUSED' } }),
    ],
    [
      'a database that takes no writes',
      'repository',
      'error',
      /is read, and takes no writes: it runs with --read-only/,
      facts({}, { repository: { unwritable: 'it runs with --read-only' } }),
    ],
    [
      'a repository with a part of a backup',
      'repository',
      'warning',
      /holds a part of a backup: that is being restored, or its restore was broken off/,
      facts({}, { repository: { isPart: true } }),
    ],
    [
      'a replica that is a little behind',
      'repository',
      'ok',
      /its replica, which queries read from, is 4 s behind/,
      facts({}, { repository: { replica: { lag: 4_000 } } }),
    ],
    [
      'a replica that is far behind',
      'repository',
      'warning',
      /Queries read from a replica that is 40 s behind/,
      facts({}, { repository: { replica: { lag: 40_000 } } }),
    ],
    [
      'a replica that does not answer',
      'repository',
      'warning',
      /and not its replica, so queries read from the primary: ECONNREFUSED/,
      facts({}, { repository: { replica: { why: 'ECONNREFUSED' } } }),
    ],
    [
      'a database that only VMs find without room',
      'repository',
      'error',
      /answered the manager when it was last asked, and 3 requests in the last 20 s found it away, without room/,
      facts({}, { traffic: { ...NO_TRAFFIC, causes: { repository: 3, timeout: 1 }, span: 20_000 } }),
    ],
    [
      'an old backlog',
      'backlog',
      'warning',
      /the oldest for 90 s, and longestBacklog is 60 s/,
      facts({ ...withParameters({ longestBacklog: 60_000 }), last: decided({}, 90_000) }),
    ],
    ['a backlog without a limit', 'backlog', 'ok', /3 jobs/, facts({ last: decided({}, 90_000) })],
    [
      'a queue that is nearly full',
      'queue',
      'warning',
      /900 of at most 1000/,
      facts({}, { traffic: { ...NO_TRAFFIC, queued: 900 } }),
    ],
    [
      'requests that wait too long',
      'queue',
      'warning',
      /wait 2.5 s/,
      facts(withParameters({ longestQueueTime: 1_000 }), { traffic: { ...NO_TRAFFIC, queueTime: 2_500 } }),
    ],
    [
      'a disk that is nearly full',
      'disk',
      'warning',
      /Only 0.5 GB/,
      facts({}, { disk: { path: '/data', freeBytes: 5e8, totalBytes: 1e11 } }),
    ],
    [
      'a data folder that somebody has removed',
      'disk',
      'error',
      /^The data folder \/data is not there any more: /,
      facts({}, { disk: { path: '/data', isGone: true } }),
    ],
    [
      'a disk that is full',
      'disk',
      'error',
      /Only 5 MB/,
      facts({}, { disk: { path: '/data', freeBytes: 5e6, totalBytes: 1e11 } }),
    ],
    [
      'a state that is not saved',
      'disk',
      'error',
      /can't be saved/,
      facts({ obstacles: { putOff: [], save: "It can't be saved." } }),
    ],
    [
      'a file with a secret that is everybody’s to read',
      'secrets',
      'warning',
      /^Every user of this machine can read \/etc\/mmeliot\/tls\.key, and secrets stand there\.$/,
      facts({}, { exposed: ['/etc/mmeliot/tls.key'] }),
    ],
    [
      'clocks apart',
      'clocks',
      'warning',
      /clock of vm-1 is 90 s behind/,
      facts({}, { apart: { vm: 'vm-1', ms: -90_000, at: AT } }),
    ],
    [
      'clocks that were apart',
      'clocks',
      'ok',
      /time of this machine/,
      facts({}, { apart: { vm: 'vm-1', ms: -90_000, at: AT - 300_000 } }),
    ],
    [
      'a gateway that does not answer',
      'gateways',
      'error',
      /^The gateway at http:\/\/a:8083 does not answer \(ECONNREFUSED\)\.$/,
      facts({}, { gateways: ['The gateway at http://a:8083 does not answer (ECONNREFUSED).'] }),
    ],
    [
      'several gateways with a problem',
      'gateways',
      'error',
      /^The first is away \(2 more\)\.$/,
      facts({}, { gateways: ['The first is away.', 'The second is.', 'The third is.'] }),
    ],
    ['gateways that answer', 'gateways', 'ok', /does what it is told/, facts({}, { gateways: [] })],
    [
      'a node that is of no use',
      'nodes',
      'warning',
      /^Node vm-2: compare the clocks\.$/,
      facts({}, { nodes: [{ id: 'vm-1' }, { id: 'vm-2', note: 'compare the clocks.' }] }),
    ],
    [
      'nodes that do what they are told',
      'nodes',
      'ok',
      /do what they are told/,
      facts({}, { nodes: [{ id: 'vm-1' }] }),
    ],
  ]);
});
