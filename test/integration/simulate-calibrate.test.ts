import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Calibration } from '../../loadgen/report/raw.ts';
import type { SimulationResult } from '../../src/simulate/simulate.ts';
import { listening } from '../helpers/listening.ts';

describe('mmeliot calibrate', function () {
  this.timeout(120_000);
  let folder: string;
  let server: Server;
  let url: string;
  /** The names that answers carry. */
  let names: readonly string[] = ['vm-1'];
  let status = 200;

  // a VM that serves one request after the other, 80 ms each: long beside what a busy machine adds
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mmeliot-calibrate-'));
    let free = Promise.resolve();
    let count = 0;
    server = createServer((request, response) => {
      request.resume();
      free = free.then(() => new Promise((resolve) => setTimeout(resolve, 80)));
      void free.then(() => {
        response.setHeader('x-mmeliot-vm', names[count++ % names.length] ?? '');
        response.writeHead(status).end('ok');
      });
    });
    url = `http://127.0.0.1:${await listening(server)}/`;
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });

  const mmeliot = (...args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, ['src/cli/mmeliot.js', ...args], { maxBuffer: 1e8 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });

  it('measures a service curve that the simulator takes', async () => {
    const out = join(folder, 'vm.json');
    const options = [
      '--url',
      url,
      '--mix',
      'get=1',
      '--clients',
      '1,4',
      '--duration',
      '2s',
      '--warmup',
      '1s',
      '--out',
      out,
    ];
    const { stdout, stderr, code } = await mmeliot('calibrate', ...options);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^1 clients: [\d.]+ requests a second in [\d.]+ ms\n4 clients: /);
    const { curve, variation, inTurn } = JSON.parse(await readFile(out, 'utf8')) as Calibration;
    expect(curve.map(({ concurrency }) => concurrency)).to.deep.equal([1, 4]);
    // four share what one had for itself; however slow this machine is
    const [alone, four] = curve.map(({ responseMs }) => responseMs) as [number, number];
    expect(four / alone).to.be.within(2, 8);
    expect(curve[0]?.throughput).to.be.within(2, 12.5);
    expect(variation).to.be.within(0, 3);
    expect(inTurn).to.equal(true);
    const simulated = await mmeliot('simulate', '--vm', out, '--duration', '5m', '--max', '5', '--json');
    expect((JSON.parse(simulated.stdout) as SimulationResult).measures.requests).to.be.greaterThan(100);
  });

  it('refuses a system of several VMs, one that answers with errors only, and one that is not there', async () => {
    names = ['vm-1', 'vm-2'];
    const short = ['--mix', 'get=1', '--clients', '2', '--duration', '500ms', '--warmup', '500ms'];
    const several = await mmeliot('calibrate', '--url', url, ...short);
    expect(several.stderr).to.match(/^mmeliot: 2 VMs answered: calibrate one alone/m);
    names = ['vm-1'];
    status = 500;
    const failing = await mmeliot('calibrate', '--url', url, ...short);
    expect(failing.stderr).to.match(/^mmeliot: No request was answered/m);
    const nobody = await mmeliot('calibrate', '--url', 'http://127.0.0.1:1/', ...short);
    expect(nobody.stderr).to.match(/^mmeliot: Nothing listens at http:\/\/127\.0\.0\.1:1/m);
    expect([several, failing, nobody].map(({ code }) => code)).to.deep.equal([2, 2, 2]);
  });
});
