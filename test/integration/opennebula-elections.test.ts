// The real control loop and gateway on OpenNebula in high availability: three front ends behind one address, asked by turns. The
// emulated one leads; its followers are behind, refuse while nobody leads, and pass calls on without waiting for their answer.
import { expect } from 'chai';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { encodeAnswer } from '../../opennebula/documents/xml-rpc.ts';
import { releaseAll } from '../../src/act/release-all.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import type { ControlLoop } from '../../src/loop/control-loop.ts';
import { AskingClients } from '../helpers/asking-clients.ts';
import { Bench } from '../helpers/gateway.ts';
import { loopOn, quickClock, quickNow } from '../helpers/loop-on.ts';
import { until } from '../helpers/until.ts';
import { openCloud, type Cloud } from '../opennebula/emulated.ts';

/** What the three do, all times real (a tenth of the loop's). */
interface Trouble {
  /** How far followers are behind. */
  behindMs: number;
  /** Nobody leads. */
  electing: boolean;
  /** When VMs that are asked for are made; nobody is answered before. */
  lateMs: number;
  /** Followers pass calls on, and don't wait. */
  impatient: boolean;
}

const refusal = (sentence: string): string => encodeAnswer({ value: [false, `[m] ${sentence}`, 8192, -1, -1n] });

class FrontEnds {
  readonly trouble: Trouble = { behindMs: 0, electing: false, lateMs: 0, impatient: false };
  readonly #leader: string;
  readonly #seen: { readonly at: number; readonly list: string }[] = [];
  readonly #server: Server;
  #turn = 0;

  constructor(leader: string) {
    this.#leader = leader;
    this.#server = createServer((incoming, response) => {
      void text(incoming)
        .then((body) => this.#answer(body))
        .then((answer) => response.end(answer))
        .catch(() => response.destroy());
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/RPC2`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(body: string): Promise<string> {
    const isFollower = this.#turn++ % 3 !== 0;
    const [, method = ''] = /<methodName>([^<]+)/.exec(body) ?? [];
    if (/\.infoextended$/.test(method)) return this.#list(body, isFollower);
    if (/info$|monitoring$/.test(method)) return this.#ofLeader(body);
    const { electing, lateMs, impatient } = this.trouble;
    if (electing) return refusal('Cannot process request, no leader found');
    // whoever asked may have gone meanwhile: it is carried out all the same
    const done = sleep(method === 'one.template.instantiate' ? lateMs : 0).then(() => this.#ofLeader(body));
    if (!isFollower || !impatient) return done;
    done.catch(() => undefined);
    return refusal('RPC call timed out and aborted');
  }

  async #list(body: string, isFollower: boolean): Promise<string> {
    const list = await this.#ofLeader(body);
    this.#seen.push({ at: Date.now(), list });
    if (!isFollower) return list;
    return this.#seen.findLast(({ at }) => at <= Date.now() - this.trouble.behindMs)?.list ?? list;
  }

  async #ofLeader(body: string): Promise<string> {
    const { body: answer } = await request(this.#leader, { method: 'POST', body });
    return answer.text();
  }
}

describe('the system on several OpenNebula front ends', function () {
  this.timeout(90_000);
  const bench = new Bench();
  let cloud: Cloud;
  let frontEnds: FrontEnds;
  let provider: ReturnType<Cloud['provider']>;
  let gateway: Gateway;
  let loop: ControlLoop;
  let clients: AskingClients;
  let cpu: number;

  beforeEach(async () => {
    cpu = 50;
    cloud = await openCloud();
    frontEnds = new FrontEnds(cloud.emulator.url);
    const url = await frontEnds.open();
    provider = cloud.provider({ url, deadlineMs: 1_000, placementMs: 60_000, monitoringMs: 1_000_000 }, quickNow);
    gateway = await bench.gateway();
    loop = loopOn(provider, gateway, () => cpu, { max: 3 });
    await loop.start();
    await ready(1);
    clients = new AskingClients(`http://127.0.0.1:${gateway.address.port}/`, 4);
  });
  afterEach(async () => {
    await clients.stop();
    await loop.stop();
    await loop.settled();
    await bench.close();
    await frontEnds.close();
    await cloud.stop();
  });

  const inState = (state: string) => loop.state().fleet.filter((vm) => vm.state === state);
  const ready = (count: number) => until(`${count} VMs are ready`, () => inState('ready').length === count, 60_000);
  const vms = () => [...cloud.emulator.cloud.vms.values()];
  const notDone = () => vms().filter(({ state }) => state[0] !== 6);
  const marks = () => vms().map(({ userTemplate }) => userTemplate.get('MMELIOT_MARK'));
  const none = 'VMs of which the cloud has more than the fleet';
  async function allIsWell(count: number): Promise<void> {
    await until(none, () => notDone().length === count && loop.state().fleet.length === count, 60_000);
    expect(clients.lost).to.deep.equal([]);
    expect(new Set(marks()).size, 'one VM for each mark').to.equal(marks().length);
  }

  it('loses no VM, and makes none twice, where who is asked is behind', async () => {
    frontEnds.trouble.behindMs = 400;
    cpu = 90;
    await ready(3);
    expect(vms(), 'none was given up').to.have.length(3);
    cpu = 5;
    await ready(1);
    await allIsWell(1);
    expect(vms()).to.have.length(3);
  });

  it('scales through elections, and makes none twice where followers do not wait for their leader', async () => {
    frontEnds.trouble.impatient = true;
    let elections = 0;
    const changing = setInterval(() => (frontEnds.trouble.electing = ++elections % 2 === 1), 300);
    try {
      cpu = 90;
      await ready(3);
      cpu = 5;
      await ready(1);
    } finally {
      clearInterval(changing);
      Object.assign(frontEnds.trouble, { electing: false, impatient: false });
    }
    await allIsWell(1);
  });

  it('makes each VM once where it comes a minute late, and knows it then', async () => {
    frontEnds.trouble.lateMs = 6_000; // of which nobody waits for more than a sixth
    cpu = 90;
    await ready(3);
    await allIsWell(3);
    cpu = 5;
    await ready(1);
    await allIsWell(1);
  });

  it('waits at its end for a VM that may still come, and gives it back', async () => {
    frontEnds.trouble.lateMs = 5_000;
    cpu = 90;
    await until('it is in doubt whether one comes', () =>
      loop.state().problems.some((problem) => problem.includes('did not answer whether it allocates a VM')),
    );
    await loop.stop();
    await loop.settled();
    expect(vms(), 'it has not come').to.have.length(1);
    expect(await releaseAll(provider, 300_000, quickClock)).to.deep.equal({ vms: [], kept: [] });
    expect(vms(), 'it came').to.have.length(2);
    expect(notDone()).to.deep.equal([]);
  });
});
