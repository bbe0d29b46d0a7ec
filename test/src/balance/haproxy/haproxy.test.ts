import { expect } from 'chai';
import { haproxyConfig } from '../../../../src/balance/haproxy/text/config.ts';
import { parseLogLine } from '../../../../src/balance/haproxy/text/log.ts';
import { addServer } from '../../../../src/balance/haproxy/text/servers.ts';
import { parseStat } from '../../../../src/balance/haproxy/runtime.ts';
import { GATEWAY_DEFAULTS } from '../../../../src/balance/core/options.ts';
import type { Address } from '../../../../src/model.ts';

describe('HAProxy log lines', () => {
  it('gives the time from choosing the VM to the last byte: 25 − 1 − 4 = 20 ms', () => {
    expect(parseLogLine('<6>mm vm-1 200 1 4 25 -- 1 2 - 15 5\n', 'mm')).to.deep.equal({
      vm: 'vm-1',
      status: 200,
      queueMs: 4,
      serviceMs: 20,
      vmMs: 15,
      atVm: 6,
      retries: 1,
      level: 2,
      standsFor: 1,
      lost: undefined,
      blames: undefined,
      isOfAllVms: false,
    });
  });

  it('reads nothing that is longer than what HAProxy writes, and would take long', () => {
    const of = (length: number): string => '<6>mm vm-1 200 1 4 25 -- 1 2 - 15 5'.padEnd(length);
    expect(parseLogLine(of(2_048), 'mm')?.vm).to.equal('vm-1');
    expect(parseLogLine(of(2_049), 'mm')).to.equal(undefined);
  });

  it('may stand for several requests: their level says for how many', () => {
    expect(parseLogLine('<5>mm vm-1 200 0 0 5 -- 0 0', 'mm')?.standsFor).to.equal(8);
    expect(parseLogLine('<4>mm vm-1 200 0 0 5 -- 0 0', 'mm')?.standsFor).to.equal(32);
    expect(parseLogLine('<3>mm vm-1 200 0 0 5 -- 0 0', 'mm')?.standsFor).to.equal(128);
    expect(parseLogLine('<4>mm vm-1 500 0 0 5 -- 0 0', 'mm')?.standsFor).to.equal(1);
  });

  for (const [line, lost, blames] of [
    ['<6>mm vm-1 500 0 0 5 -- 0 0', 'error-answer', 'errors'],
    ['<6>mm vm-1 404 0 0 5 -- 0 0', undefined, undefined],
    ['<6>mm vm-1 503 0 0 5 SC 3 0', 'vm-failed', undefined],
    ['<6>mm vm-1 502 0 0 5 SH 0 0', 'vm-failed', 'broken'],
    ['<6>mm vm-1 200 0 0 5 SD 0 0', 'cut', 'broken'],
    ['<6>mm vm-1 101 0 0 5 SD 0 0', undefined, undefined],
    ['<6>mm vm-1 101 0 0 5 CD 0 0', undefined, undefined],
    ['<6>mm vm-1 503 0 0 5 KH 0 0', 'vm-failed', undefined],
    ['<6>mm vm-1 504 0 0 5 sH 0 0', 'timeout', undefined],
    ['<6>mm vm-1 200 0 0 5 CD 0 0', 'client-gone', undefined],
    ['<6>mm vms/<NOSRV> 503 0 99 99 sQ 0 0', 'deadline', undefined],
    ['<6>mm <NOSRV> 503 0 -1 0 LR 0 0', 'deadline', undefined],
    ['<6>mm <NOSRV> 400 -1 -1 0 PR 0 ', 'malformed', undefined],
    ['<6>mm vm-1 500 0 0 5 -- 0 - 1', 'error-answer', undefined],
    ['<6>mm vm-1 501 0 0 5 -- 0 0 -', 'error-answer', undefined],
    ['<6>mm vm-1 503 0 0 5 -- 0 - 1', 'repository', undefined],
    ['<6>mm vm-1 502 0 0 5 PH 0 0', 'vm-failed', 'nonsense'],
    ['<6>mm vm-1 200 0 0 5 PD 0 0', 'cut', 'nonsense'],
  ] as const) {
    it(`takes "${line}" for ${lost ?? 'answered'}, which blames ${blames ?? 'nobody'}`, () =>
      expect(parseLogLine(line, 'mm')).to.include({ lost, blames }));
  }

  it('leaves what HAProxy says about its servers alone', () => {
    expect(parseLogLine('<6>mm vm-1 200 0 0 5 -- 0 0', 'another'), 'of whoever sends to the port').to.equal(undefined);
    expect(parseLogLine('<5>Server vms/vm-1 is DOWN, reason: Layer4 connection problem', 'mm')).to.equal(undefined);
  });
});

describe('HAProxy runtime API', () => {
  it('reads statistics by the names of their columns', () => {
    const text =
      '# pxname,svname,qcur,scur,slim,stot,hrsp_2xx,hrsp_5xx,status,addr,last_chk,throttle,rtime,check_status,cli_abrt,eresp,\nvms,vm-1,2,7,8,17,8,2,UP,10.0.0.1:80,ok,30,12,* L7TOUT,1,1,\nvms,BACKEND,2,9,0,30,15,5,UP,,,,3,,0,0,\n';
    expect(parseStat(text)).to.deep.equal([
      {
        name: 'vm-1',
        status: 'UP',
        isUp: true,
        inFlight: 7,
        queued: 2,
        limit: 8,
        address: '10.0.0.1:80',
        check: 'ok',
        checkIsLate: true,
        throttle: 30,
        responseTime: 12,
        unanswered: 0,
        open: 5,
      },
      {
        name: 'BACKEND',
        status: 'UP',
        isUp: true,
        inFlight: 9,
        queued: 2,
        limit: 0,
        address: '',
        check: '',
        checkIsLate: false,
        throttle: 100,
        responseTime: 3,
        unanswered: 1,
        open: 10,
      },
    ]);
  });

  it('adds a server with its checks and its limit', () => {
    const command = addServer({ ...GATEWAY_DEFAULTS, perVm: 5 }, 'vm-1', { host: '::1', port: 80 });
    expect(command)
      .to.match(/^add server vms\/vm-1 \[::1\]:80 check /)
      .and.to.include(' maxconn 5 ')
      .and.not.to.include('ssl');
  });

  it('adds one of another machine by TLS, where it can know it', () => {
    const [here, there] = ['127.0.0.1', '10.0.0.7'].map((host) => ({ host, port: 80 })) as [Address, Address];
    const tls = / check-ssl ssl ssl-min-ver TLSv1.3 verify required ca-file group.pem verifyhost vm.example$/;
    expect(addServer(GATEWAY_DEFAULTS, 'vm-1', there, 'vm.example'))
      .to.match(tls)
      .and.to.include(' inter 2000ms ');
    for (const other of [addServer(GATEWAY_DEFAULTS, 'vm-1', there), addServer(GATEWAY_DEFAULTS, 'vm-1', here, 'vm.x')])
      expect(other).not.to.include('ssl');
  });
});

describe('HAProxy configuration', () => {
  const paths = { socket: '/run/x.sock', logPort: 1, logMark: 'mm', uploadPort: 3, proof: 'p', port: 2 };

  it('counts by tenant only where there are tenants', () => {
    const withTenants = (hasTenants: boolean) => haproxyConfig(GATEWAY_DEFAULTS, paths, { signs: true, hasTenants });
    expect(withTenants(true)).to.include('track-sc2 var(txn.tenant) table tenants').and.to.include('backend tenants');
    expect(withTenants(false)).not.to.match(/sc2|tenant/);
  });

  it('quotes patterns, so that none can end its line or its quotes', () => {
    const rules = [{ path: "a'b c" }];
    const queue = { ...GATEWAY_DEFAULTS.queue, classes: [{ name: 'odd', rules }] };
    const config = haproxyConfig({ ...GATEWAY_DEFAULTS, queue }, paths);
    expect(config).to.include("{ pathq -m reg -- 'a'\\''b c' }");
  });

  it('knows how clients of IPv6 are written where there can be any', () => {
    const brackets = `for="[%[src]]"`;
    expect(haproxyConfig(GATEWAY_DEFAULTS, paths)).not.to.include(brackets);
    expect(haproxyConfig({ ...GATEWAY_DEFAULTS, host: '::' }, paths)).to.include(brackets);
  });

  it('has HAProxy look for new requests after a little work, however much of it one client makes', () => {
    expect(haproxyConfig(GATEWAY_DEFAULTS, paths)).to.match(/^ {2}tune\.runqueue-depth 25$/m);
  });

  it('reads bodies only where a rule asks for them', () => {
    expect(haproxyConfig(GATEWAY_DEFAULTS, paths)).to.include('wait-for-body');
    const queue = { ...GATEWAY_DEFAULTS.queue, classes: [{ name: 'all' }] };
    const retry = { ...GATEWAY_DEFAULTS.retry, safe: [] };
    expect(haproxyConfig({ ...GATEWAY_DEFAULTS, queue, retry }, paths)).not.to.include('wait-for-body');
  });
});
