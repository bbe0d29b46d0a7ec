// The lines that epcis/README.md gives to try, as they stand, in the folder that it names.
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { present } from '../helpers/present.ts';

const epcis = fileURLToPath(new URL('../../epcis/', import.meta.url));
const log = { error: () => {}, warn: () => {}, info: () => {} };

describe('epcis/README.md by hand', function () {
  this.timeout(60_000);
  let server: EpcisServer;

  before(async () => {
    const [, freshUrl] = present(KINDS[0]);
    server = await startEpcisServer({ repository: { url: await freshUrl() }, port: 0, log });
  });
  after(() => server.close());

  it('captures and finds what its lines say', async () => {
    const [, part = ''] = readFileSync(`${epcis}README.md`, 'utf8').split('\n### By hand\n');
    const lines =
      part
        .split('\n### ')[0]
        ?.split('\n')
        .filter((line) => line.startsWith('curl ')) ?? [];
    const answers: string[] = [];
    for (const line of lines) {
      const here = line.replaceAll('http://127.0.0.1:8080', server.address).replace(/^curl /, 'curl -sS ');
      const said = await run(here);
      answers.push(said);
      const job = /^location: (\S+)/im.exec(said)?.[1];
      if (job !== undefined) await finished(server.address + job);
    }
    const item = 'urn:epc:id:sgtin:0614141.107346.2017';
    const wanted: readonly RegExp[] = [
      /^HTTP\/1.1 202 /,
      new RegExp(`"EPCISQueryDocument".*"${item}"`, 's'),
      new RegExp(`<epc>${item}</epc>`),
      /^HTTP\/1.1 200 [^]*Captured 1 events \(0 known before\)/,
      new RegExp(`<epcisq:QueryResults [^]*<epc>${item}</epc>[^]*<epc>${item}</epc>`),
    ];
    expect(answers).to.have.length(wanted.length);
    wanted.forEach((says, n) => expect(answers[n], lines[n]).to.match(says));
  });
});

function run(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('sh', ['-c', line], { cwd: `${epcis}examples` }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${line}: ${stderr}`, { cause: error }));
    });
  });
}

async function finished(job: string): Promise<void> {
  for (let running = true; running;) running = ((await (await fetch(job)).json()) as { running: boolean }).running;
}
