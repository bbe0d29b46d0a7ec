// An export whose worker is stopped in the middle, by each of the signals: another goes on, and what is downloaded is whole. And a download
// whose VM is killed: it does not look whole, and the next one is.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { request } from 'undici';
import { PROGRAM } from '../../src/manager/program.ts';
import { toEnvironment } from '../../src/manager/vm-environment.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { temporaryFolder } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument } from '../helpers/work-faults.ts';

const EVENTS = 12_000;

interface Told {
  readonly exportID: string;
  readonly running: boolean;
  readonly success: boolean;
  readonly progress: { readonly exported: number };
}

for (const [kind, freshUrl] of KINDS) {
  describe(`an export on ${kind} whose worker is stopped in the middle`, function () {
    this.timeout(120_000);
    const folder = temporaryFolder();
    const vms: ChildProcess[] = [];
    let url: string;
    let front: string;
    let name = 0;

    const start = async (role: 'query' | 'work', more: NodeJS.ProcessEnv = {}) => {
      const id = `${role}-${++name}`;
      const addressFile = join(folder.path, `${id}.json`);
      const env = toEnvironment({
        ...{ id, group: 'g', secret: '', reportEvery: 10_000, repositoryUrl: url, addressFile, role },
        ...{ listen: { host: '127.0.0.1', port: 0 }, epcis: { processes: 1, work: { pollMs: 50, leaseSeconds: 3 } } },
      });
      const vm = spawn(process.execPath, [PROGRAM, 'vm'], {
        stdio: 'ignore',
        env: { PATH: process.env['PATH'], ...env, ...more },
      });
      vms.push(vm);
      const port = await until('the VM listens', () => portIn(addressFile), 60_000);
      return { vm, base: `http://127.0.0.1:${port}` };
    };
    const end = async (vm: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
      if (vm.exitCode !== null || vm.signalCode !== null) return;
      const ended = once(vm, 'exit');
      vm.kill(signal);
      await ended;
    };
    const told = async (id: string): Promise<Told> => (await (await fetch(`${front}/exports/${id}`)).json()) as Told;
    const asked = async (format: 'csv' | 'json' | 'parquet'): Promise<string> => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${front}/exports`, { method: 'POST', headers, body: JSON.stringify({ format }) });
      expect(answer.status).to.equal(202);
      return ((await answer.json()) as Told).exportID;
    };
    /** Asked without a pause: a page takes milliseconds. */
    const inTheMiddle = async (id: string): Promise<void> => {
      while ((await told(id)).progress.exported === 0);
    };
    const made = async (id: string): Promise<Buffer> => {
      const end = await until(
        'it is made',
        async () => {
          const now = await told(id);
          return now.running ? undefined : now;
        },
        60_000,
      );
      expect(end).to.deep.include({ success: true }).and.have.nested.property('progress.exported', EVENTS);
      const document = await (await fetch(`${front}/exports/${id}/document`)).arrayBuffer();
      expect((await fetch(`${front}/exports/${id}`, { method: 'DELETE' })).status).to.equal(204);
      return Buffer.from(document);
    };
    const epcsOf = (csv: Buffer): readonly string[] => {
      const rows = csv.toString().split('\r\n');
      expect(rows.pop()).to.equal('');
      return rows.slice(1).map((row) => /,(urn:example:[^,]+),/.exec(row)?.[1] ?? row);
    };
    const expectWhole = (epcs: readonly string[]): void => {
      expect(epcs).to.have.length(EVENTS);
      expect(new Set(epcs).size).to.equal(EVENTS);
    };

    before(async () => {
      url = await freshUrl();
      front = (await start('query')).base;
      const headers = { 'content-type': 'text/xml' };
      const body = eventsDocument('export', EVENTS);
      expect((await fetch(`${front}/epcis/capture`, { method: 'POST', headers, body })).status).to.equal(200);
    });
    after(async () => {
      await Promise.all(vms.map((vm) => end(vm, 'SIGKILL')));
      folder.remove();
    });

    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGSTOP'] as const)
      it(`by ${signal}: another goes on behind the last page that is stored, under another language`, async () => {
        const first = await start('work', { LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' });
        const id = await asked('csv');
        await inTheMiddle(id);
        first.vm.kill(signal);
        const { running, progress } = await told(id);
        expect([running, progress.exported < EVENTS]).to.deep.equal([true, true]);
        const second = await start('work', { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' });
        const csv = await made(id);
        expectWhole(epcsOf(csv));
        if (signal === 'SIGSTOP') {
          // it comes back, and what it still writes changes nothing of what another made
          first.vm.kill('SIGCONT');
          const again = await asked('csv');
          expectWhole(epcsOf(await made(again)));
        }
        await Promise.all([end(first.vm, 'SIGKILL'), end(second.vm, 'SIGKILL')]);
      });

    it('twice by SIGKILL: others go on with a Parquet file, and it is whole', async () => {
      const id = await asked('parquet');
      for (let killed = 0; killed < 2; killed++) {
        const { exported } = (await told(id)).progress;
        const { vm } = await start('work');
        while ((await told(id)).progress.exported === exported);
        await end(vm, 'SIGKILL');
        expect((await told(id)).running).to.equal(true);
      }
      const last = await start('work');
      const rows = await parquetReadObjects({
        file: new Uint8Array(await made(id)).buffer,
        compressors: { GZIP: (bytes) => new Uint8Array(gunzipSync(bytes)) },
      });
      expectWhole(rows.flatMap(({ epcList }) => epcList as string[]));
      await end(last.vm, 'SIGTERM');
    });

    it('that is downloaded when its VM is killed does not look whole, and is when it is fetched again', async () => {
      const worker = await start('work');
      const id = await asked('json');
      await until('it is made', async () => !(await told(id)).running, 60_000);
      const other = await start('query');
      const { statusCode, body } = await request(`${other.base}/exports/${id}/document`, {
        headers: { 'accept-encoding': 'identity' },
        highWaterMark: 1_024,
      });
      expect(statusCode).to.equal(200);
      await end(other.vm, 'SIGKILL');
      const said = await body.text().then(
        () => 'it looks whole',
        (error: Error) => error.message,
      );
      expect(said).to.match(/terminated|other side closed|reset|aborted/);
      const document = JSON.parse((await made(id)).toString()) as {
        readonly epcisBody: { readonly queryResults: { readonly resultsBody: { readonly eventList: unknown[] } } };
      };
      expect(document.epcisBody.queryResults.resultsBody.eventList).to.have.length(EVENTS);
      await end(worker.vm, 'SIGTERM');
    });
  });
}

function portIn(file: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly port: number }).port;
  } catch {
    return undefined;
  }
}
