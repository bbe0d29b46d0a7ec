// What a person typed wrongly, or what can't be done, is said at once, in one sentence and with the right exit status.
import { createServer, type Server } from 'node:http';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { listening } from '../helpers/listening.ts';
import { mmeliot, PROGRAM, temporaryFolder } from '../helpers/mmeliot.ts';

describe('usage of the commands', function () {
  this.timeout(60_000);
  const temporary = temporaryFolder();
  const servers: Server[] = [];
  after(() => {
    temporary.remove();
    servers.forEach((server) => server.close());
  });

  const PLAN = `
name: typo
policies: { good: { elasticity.policy: react }, bad: { elasticity.policy: raect } }
profiles: { up: { profile: ascending, max: 10, duration: 10s } }
`;

  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['up', '--nope'], /^mmeliot: unknown option '--nope'\n$/],
    [['simulat'], /^mmeliot: unknown command 'simulat'\n\(Did you mean simulate\?\)\n$/],
    [['replay', '/typo'], /^mmeliot: There is no journal at \/typo: name its file, or the data folder\.\n$/],
    [['simulate', '--csv', '/nope/x'], /^mmeliot: --csv \/nope\/x: there is no folder \/nope\.\n$/],
    [['simulate', '--max', 'much'], /^mmeliot: --max much: a number above 0, or a share such as 80%, is expected\.\n$/],
    [
      ['calibrate', '--url', 'http://127.0.0.1:9', '--out', '/'],
      /^mmeliot: --out \/: that is a folder, and a file is expected\.\n$/,
    ],
    [
      ['calibrate', '--url', 'http://127.0.0.1:9'],
      /^mmeliot: Nothing listens at http:\/\/127\.0\.0\.1:9 \(ECONNREFUSED\): start it, or name another --url\.\n$/,
    ],
    [['demo', '--duration', '10'], /^mmeliot: --duration 10: it has no unit; did you mean 10s\?\n$/],
    [['load', '--profile', 'ascnding'], /^mmeliot: .*"ascnding".*ascending/],
    [['load', '--mix', 'pol=3'], /^mmeliot: The mix names an unknown class of requests, "pol"; there are: /],
    [['load', '--join', '10'], /^mmeliot: "10" is no URL of a server: write it as http:\/\/host:port\.\n$/],
    [['plan', '--vms', 'ten'], /^mmeliot: --vms ten: a number is expected\.\n$/],
    [['plan', '--vms', '99999999999999999999'], /^mmeliot: --vms 9+: a whole number up to 10000 is expected\.\n$/],
    [['vm', 'lst'], /^mmeliot: unknown command 'vm lst'; did you mean list\?\n$/],
    [
      ['up', '--set', 'high=60'],
      /^mmeliot: --set high=60: there is no setting high; did you mean elasticity\.high\?\n$/,
    ],
    [['load', '--url', 'nope'], /^mmeliot: "nope" is no URL of a server: write it as http:\/\/host:port\.\n$/],
    [
      ['load', '--url', 'http://127.0.0.1:9'],
      /^mmeliot: Nothing listens at http:\/\/127\.0\.0\.1:9 \(ECONNREFUSED\): start it, or name another --url\.\n$/,
    ],
    [['emulate-ec2', '--port', '99999'], /^mmeliot: --port 99999: a whole number from 0 to 65535 is expected\.\n$/],
    [
      ['experiment', join(temporary.path, 'plan.yaml')],
      /^mmeliot: The policy bad of the plan can't be started: .*elasticity\.policy/,
    ],
    // nobody may make a folder below a file
    [['experiment', 'paper', '--out', '/dev/null/x'], /^mmeliot: --out \/dev\/null\/x: that is a file, and a folder /],
    [['up', '--set', 'dataDir=/proc/self'], /^mmeliot: dataDir \/proc\/self cannot be written \(\w+\): name a folder /],
  ];
  for (const [args, sentence] of wrong)
    it(`mmeliot ${args[0]} … ${args.at(-1)?.replace(/.*\//, '')}: exit status 2`, async () => {
      writeFileSync(join(temporary.path, 'plan.yaml'), PLAN);
      const { status, output } = await mmeliot(...args);
      expect(output).to.match(sentence);
      expect(status).to.equal(2);
    });

  it('lists its commands below headings, a line each', async () => {
    const { output } = await mmeliot('--help');
    const listed = output.slice(output.indexOf('\nStart:\n') + 1);
    const groups = listed.split(/\n\n/).filter((part) => /^[A-Z].*:\n/.test(part));
    expect(groups.length).to.be.greaterThan(5);
    const lines = groups.flatMap((group) => group.trimEnd().split('\n').slice(1));
    expect(lines.filter((line) => !/^  \S+ +\S.{0,76}$/.test(line) || line.length > 80)).to.deep.equal([]);
    expect(output).to.not.match(/^Commands:$/m);
  });

  it('ends with 0 for help and version', async () => {
    expect((await mmeliot('--help')).status).to.equal(0);
    expect((await mmeliot('load', '--help')).status).to.equal(0);
    expect(await mmeliot('--version')).to.deep.include({ status: 0 });
  });

  it('says that its output is not whole where a full disk would have it', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'config', 'print'], {
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect(stderr.toString()).to.match(/^mmeliot: Standard output can't be written, so it is not whole: ENOSPC: .+\n$/);
    expect(status).to.equal(2);
  });

  const load = (url: string, ...more: string[]) =>
    mmeliot('load', '--url', url, '--profile', 'constant', '--max', '5', '--duration', '1s', ...more);

  it('says of a load that it captures, and ends with 1 where nothing was answered', async () => {
    const server = createServer((request) => request.socket.destroy());
    servers.push(server);
    const url = `http://127.0.0.1:${await listening(server)}`;
    const { status, output } = await load(url);
    expect(output).to.include(`This load captures events at ${url}, and they stay there.\n`);
    expect(output).to.include(`\nmmeliot: No request was answered: does an EPCIS server run at ${url}?\n`);
    expect(status).to.equal(1);
    const many = await load(url, '--max', '80%', '--admin', 'http://127.0.0.1:9');
    expect(many.output).to.match(/\nmmeliot: No mmeliot answers at http:\/\/127\.0\.0\.1:9 /);
  });

  it('takes the highest load as a share of what the largest fleet answers', async () => {
    const server = createServer((request, response) => {
      response.setHeader('x-mmeliot-vm', 'vm-1');
      const answer = () => response.end(JSON.stringify({ parameters: { max: 4 }, vms: [] }));
      // as a VM that answers 50 requests a second, whatever comes
      if (request.url === '/api/state') answer();
      else void (turn = turn.then(() => new Promise((resolve) => setTimeout(resolve, 20))).then(answer));
    });
    let turn: Promise<unknown> = Promise.resolve();
    servers.push(server);
    const url = `http://127.0.0.1:${await listening(server)}`;
    const { status, output } = await load(url, '--admin', url, '--mix', 'get', '--max', '50%');
    const [, rate, fleet, max] = /A VM answers ([\d.]+) requests a second, 4 VMs (\d+): --max (\d+)/.exec(output) ?? [];
    expect(Number(fleet) / Number(rate)).to.be.closeTo(4, 0.1);
    expect(Number(max) / Number(fleet)).to.be.closeTo(0.5, 0.02);
    expect(output).not.to.include('captures');
    expect(status).to.equal(0);
  });
});
