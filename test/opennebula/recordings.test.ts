// The emulator against a real front end's recorded answers: the same requests, in the order they were recorded.
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'undici';
import { until } from '../helpers/until.ts';
import { LOGIN, openCloud, type Cloud } from './emulated.ts';

const folder = new URL('recorded/', import.meta.url);
const recorded = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const session = `${LOGIN.user}:${LOGIN.password}`.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * Without times, random identities, readings and request numbers, which no two runs share, and without the scheduler's
 * message: the recorded VM waited for the first pass, ours for room, so that it waits as long as the test likes.
 */
function comparable(answer: string): string {
  return answer
    .replace(/(TIME|LAST_POLL|TIMESTAMP)(&gt;(?:&lt;!\[CDATA\[)?)\d{2,}/g, '$1$2TIME')
    .replace(/(UUID&gt;&lt;!\[CDATA\[)[\da-f-]{36}/g, '$1UUID')
    .replace(
      /((?:CPU|DISK\w+|MEMORY|NETRX|NETTX)&gt;&lt;!\[CDATA\[)\d+(?=\]\]&gt;&lt;\/(?:CPU|DISKRD|DISKWR|MEMORY|NET.X))/g,
      '$1N',
    )
    .replace(/(REQUEST_ID&gt;)\d+/g, '$1N')
    .replace(/&lt;SCHED_MESSAGE&gt;.*?&lt;\/SCHED_MESSAGE&gt;/g, '');
}

describe('emulator and recordings', () => {
  let cloud: Cloud;
  const seen = new Set<string>();

  before(async () => {
    cloud = await openCloud({ firstId: 183, address: (n) => `10.10.0.${153 + n}`, monitoringMs: 60_000, retryMs: 0 });
  });
  after(() => cloud.stop());

  async function post(name: string): Promise<string> {
    const body = recorded(`${name}.request.xml`).replace('USER:PASSWORD', session);
    const response = await request(cloud.emulator.url, { method: 'POST', body });
    expect(response.statusCode).to.equal(200);
    expect(response.headers.connection).to.equal('close');
    return response.body.text();
  }

  async function same(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      seen.add(name);
      expect(comparable(await post(name)), name).to.equal(comparable(recorded(`${name}.response.xml`)));
    }
  }

  const inState = (state: number, lcm: number) =>
    until(`VM 183 in ${state}/${lcm}`, () => cloud.emulator.cloud.vms.get(183)?.state.join() === `${state},${lcm}`);

  it('answers before there is any VM', async () => {
    await same('system.version', 'vmpool.info.empty', 'error.auth', 'error.parameters', 'error.unknown-method');
    await same('error.unknown-template', 'error.unknown-vm');
  });

  it('answers about a VM from PENDING to RUNNING', async () => {
    await cloud.emulator.setFaults({ noCapacity: true });
    await same('template.instantiate');
    expect(await post('template.instantiate')).to.include('<i4>184</i4>');
    await same('vm.info.pending');
    await cloud.emulator.setFaults({ noCapacity: false });
    await inState(3, 3);
    await until('VM 184 runs', () => cloud.emulator.cloud.vms.get(184)?.state[1] === 3);
    await same('vmpool.info', 'vmpool.infoextended');
  });

  it('answers about monitoring', async () => {
    for (const id of [183, 184]) cloud.emulator.cloud.vms.get(id)?.readings.push({ at: Date.now(), cpu: 71 });
    await same('vm.info.running', 'vm.monitoring', 'vmpool.monitoring');
  });

  it('answers about updates, releases and what is refused', async () => {
    await same(
      'vm.update',
      'vm.action.terminate',
      'error.recover-not-admin',
      'vm.action.delete',
      'vm.action.terminate2',
    );
    await inState(6, 0);
    await same('vm.info.done', 'vm.action.terminate.again', 'vm.action.illegal');
  });

  it('has compared every recording', () => {
    const names = readdirSync(folder).map((name) => name.replace(/\.(request|response)\.xml$/, ''));
    expect([...seen].sort()).to.deep.equal([...new Set(names)].sort());
  });
});
