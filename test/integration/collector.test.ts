import { expect } from 'chai';
import { createSocket, type Socket } from 'node:dgram';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startAgent } from '../../src/monitor/udp/agent.ts';
import { encodeReport } from '../../src/monitor/load-report.ts';
import { signer } from '../../src/monitor/udp/signer.ts';
import { startCollector, type Collector } from '../../src/monitor/udp/collector.ts';
import { until } from '../helpers/until.ts';

const secret = 'not a secret at all';

describe('UDP collector', () => {
  let collector: Collector;
  let socket: Socket;

  beforeEach(async () => {
    collector = await startCollector({ host: '127.0.0.1', port: 0, group: 'shop', secret });
    socket = createSocket('udp4');
  });
  afterEach(async () => {
    socket.close();
    await collector.close();
  });

  const send = (line: string) =>
    new Promise((resolve) => socket.send(line, collector.address.port, collector.address.host, resolve));
  const line = (cpu: number, { at = Date.now(), sequence = 1, group = 'shop', key = secret } = {}) =>
    encodeReport(
      { group, vm: 'vm-1', sequence, sample: { at, cpu, memory: 1, networkIn: 0, networkOut: 0 } },
      signer(key),
    );
  const total = () => Object.values(collector.counters).reduce((sum: number, count: number) => sum + count, 0);

  it('keeps the newest report of each VM', async () => {
    await send(line(10, { sequence: 1 }));
    await send(line(20, { at: Date.now() + 1, sequence: 2 }));
    await until('the report', () => collector.counters.accepted === 2);
    expect(collector.latest('vm-1')?.sample.cpu).to.equal(20);
    collector.forget('vm-1');
    expect(collector.latest('vm-1')).to.equal(undefined);
  });

  it('tells at once of a notice and of its withdrawal', async () => {
    let told = 0;
    const hearing = await startCollector({
      ...{ host: '127.0.0.1', port: 0, group: 'shop', secret },
      onNotice: () => (told += 1),
    });
    let interruptAt: number | undefined;
    const { address: to } = hearing;
    const agent = startAgent({
      ...{ group: 'shop', vm: 'vm-1', collector: to, secret, intervalMs: 3_600_000 },
      interruptAt: () => interruptAt,
    });
    try {
      agent.report();
      interruptAt = Date.now() + 120_000;
      agent.report();
      await until('it is told', () => told === 1);
      expect([...hearing.notices()]).to.deep.equal([['vm-1', interruptAt]]);
      interruptAt = undefined;
      agent.report();
      await until('the withdrawal is told', () => told === 2);
      expect([...hearing.notices()]).to.deep.equal([['vm-1', undefined]]);
    } finally {
      await agent.stop();
      await hearing.close();
    }
  });

  it('counts by kind what is not a fresh, genuine report of its group, and lets it change nothing', async () => {
    const at = Date.now();
    const good = line(10, { at, sequence: 5 });
    await send(good);
    await until('the report', () => collector.counters.accepted === 1);
    const bad = [
      'hello',
      'x'.repeat(2000),
      line(99, { at: at + 1, key: 'another secret' }),
      line(99, { at: at + 1, key: '' }),
      good.replace(' 10 ', ' 99 '),
      good,
      line(99, { at: at - 5, sequence: 6 }),
      line(99, { at: at - 60_000, sequence: 7 }),
      line(99, { at: at + 60_000, sequence: 8 }),
      line(99, { at: at + 1, group: 'other' }),
    ];
    for (const one of bad) await send(one);
    await until('the report', () => total() === bad.length + 1);
    expect(collector.counters).to.deep.equal({
      accepted: 1,
      malformed: 2,
      misdirected: 1,
      forged: 3,
      replayed: 2,
      late: 2,
      overflow: 0,
    });
    expect(collector.latest('vm-1')?.sample.cpu).to.equal(10);
  });

  it('hears VMs of its machine on when the clock of that is set back', async () => {
    let time = Date.now();
    const hearing = await startCollector({ host: '127.0.0.1', port: 0, group: 'shop', secret, now: () => time });
    const { port, host } = hearing.address;
    try {
      for (const cpu of [10, 20]) {
        socket.send(line(cpu, { at: time, sequence: cpu }), port, host);
        await until('it is heard', () => hearing.latest('vm-1')?.sample.cpu === cpu);
        time -= 3_600_000;
      }
    } finally {
      await hearing.close();
    }
  });

  it('hears a VM with a key of its own by that alone, and no VM can speak for another', async () => {
    let keys = ['first'];
    const keysOf = (vm: string) => (vm === 'w-1' ? keys : vm === 'w-2' ? ['second'] : undefined);
    const own = await startCollector({ host: '127.0.0.1', port: 0, group: 'shop', secret: 'of all', keysOf });
    let at = Date.now();
    const says = async (vm: string, key: string) => {
      const before = own.counters.accepted + own.counters.forged;
      const sample = { at: ++at, cpu: 1, memory: 1, networkIn: 0, networkOut: 0 };
      socket.send(
        encodeReport({ group: 'shop', vm, sequence: 1, sample }, signer(key)),
        own.address.port,
        own.address.host,
      );
      const accepted = own.counters.accepted;
      await until('the report', () => own.counters.accepted + own.counters.forged > before);
      return own.counters.accepted > accepted;
    };
    try {
      expect([await says('w-1', 'first'), await says('w-2', 'second')]).to.deep.equal([true, true]);
      // neither with a neighbour's key, nor with what other VMs have in common
      expect([await says('w-1', 'second'), await says('w-2', 'first'), await says('w-1', 'of all')]).to.deep.equal([
        false,
        false,
        false,
      ]);
      expect([await says('vm-3', 'first'), await says('vm-3', 'of all')]).to.deep.equal([false, true]);
      keys = ['next', 'first'];
      expect([await says('w-1', 'first'), await says('w-1', 'next')]).to.deep.equal([true, true]);
      keys = ['next'];
      expect(await says('w-1', 'first')).to.equal(false);
    } finally {
      await own.close();
    }
  });

  it('remembers so many VMs and no more; a silent one makes room', async () => {
    let clock = Date.now();
    const options = { host: '127.0.0.1', port: 0, group: 'shop', secret: '', maxVms: 2, now: () => clock };
    const small = await startCollector(options);
    const hear = async (vm: string) => {
      const before = small.counters.accepted + small.counters.overflow;
      const sample = { at: clock, cpu: 1, memory: 1, networkIn: 0, networkOut: 0 };
      socket.send(encodeReport({ group: 'shop', vm, sequence: 1, sample }), small.address.port, small.address.host);
      await until('the report', () => small.counters.accepted + small.counters.overflow > before);
    };
    try {
      await hear('a');
      await hear('b');
      await hear('c');
      expect(small.counters).to.include({ accepted: 2, overflow: 1 });
      clock += 31_000;
      await hear('b');
      await hear('c');
      expect(small.counters).to.include({ accepted: 4, overflow: 1 });
      expect([small.latest('a'), small.latest('b')?.sample.cpu, small.latest('c')?.sample.cpu]).to.deep.equal([
        undefined,
        1,
        1,
      ]);
    } finally {
      await small.close();
    }
  });

  it('understands the agent, which measures per cent of its own quota', async () => {
    const cpuQuota = 0.001;
    const agent = startAgent({
      group: 'shop',
      vm: 'vm-9',
      collector: collector.address,
      secret,
      intervalMs: 20,
      cpuQuota,
    });
    try {
      expect(agent.meter).to.include({ kind: 'process', cores: cpuQuota });
      await until('the report', () => (collector.latest('vm-9')?.sample.cpu ?? 0) === 100);
      expect(collector.latest('vm-9')?.sample.memory).to.be.within(0.1, 100);
    } finally {
      await agent.stop();
    }
  });

  it('understands the shell lines of its documentation', async () => {
    const { host, port } = collector.address;
    const script = `text="mmeliot1 shop vm-5 1 $(date +%s%3N) 33.5 61 1200 88000"
      signature=$(printf %s "$text" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)
      printf '%s %s' "$text" "$signature" > "/dev/udp/$COLLECTOR_HOST/$COLLECTOR_PORT"`;
    const env = { PATH: process.env['PATH'], SECRET: secret, COLLECTOR_HOST: host, COLLECTOR_PORT: String(port) };
    await promisify(execFile)('bash', ['-c', script], { env });
    await until('the report', () => collector.latest('vm-5')?.sample.cpu === 33.5);
  });

  it('says in one sentence that its port is taken', async () => {
    const { port } = collector.address;
    const error = await startCollector({ host: '127.0.0.1', port, group: 'shop', secret }).catch((e: unknown) => e);
    expect(error).to.have.property('code', 'PORT_TAKEN');
    expect(error).to.have.property('message').that.contains(`UDP port ${port}`);
  });
});
