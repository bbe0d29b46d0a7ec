// The provider against a front end of which each answer is played over the wire, byte for byte.
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { encodeAnswer } from '../../opennebula/documents/xml-rpc.ts';
import { createOpenNebulaProvider, type OpenNebulaOptions } from '../../opennebula/provider.ts';
import type { ProvidedVm } from '../../src/act/provider.ts';
import { http, page, type Played } from '../helpers/played.ts';
import {
  fault,
  playFrontEnd,
  pool,
  refusal,
  success,
  TEMPLATE,
  vmXml,
  xml,
  type Play,
  type PlayedFrontEnd,
} from './played.ts';
import { refused } from './scene.ts';

const VM = vmXml({ id: 7 });
const BODY = encodeAnswer({ value: [true, `<VM_POOL>${VM}</VM_POOL>`, 0] });
const head = (fields: string): string => `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n`;
const withValue = (value: string): Played => ({ bytes: http(BODY.replace(/<string>[^]*<\/string>/, () => value)) });
const typed = (name: string): Played => ({ bytes: http(BODY.replace(/(<\/?)i4>/g, `$1${name}>`)) });

/** The same list of one VM, as front ends of some version, and proxies before them, may say it. */
const SAID: Readonly<Record<string, Played>> = {
  'as it is': pool(VM),
  'a few bytes at a time': { ...pool(VM), piece: 7 },
  'without a length': { bytes: head('Connection: close') + BODY },
  'by HTTP/1.0': { bytes: `HTTP/1.0 200 OK\r\n\r\n${BODY}` },
  'in chunks': {
    bytes: `${head('Transfer-Encoding: chunked')}${Buffer.byteLength(BODY).toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
  },
  'in gzip': { bytes: http(gzipSync(BODY), '200 OK', 'Content-Encoding: gzip\r\n') },
  'on a connection that stays': { ...pool(VM), then: 'keep' },
  'on a connection that is reset': { ...pool(VM), then: 'reset' },
  'as another charset': {
    bytes: Buffer.concat([
      Buffer.from(head('Content-Type: text/xml; charset=iso-8859-1')),
      Buffer.from(BODY.replace('UTF-8', 'ISO-8859-1').replace('demo-epcis', 'dem\xf6-epcis'), 'latin1'),
    ]),
  },
  'behind a byte order mark': { bytes: http(`\ufeff${BODY}`) },
  'as HTML': { bytes: http(BODY).toString('latin1').replace('text/xml', 'text/html') },
  'in base64': withValue(`<base64>${Buffer.from(`<VM_POOL>${VM}</VM_POOL>`).toString('base64')}</base64>`),
  'in CDATA': withValue(`<string><![CDATA[<VM_POOL>${VM.replaceAll(']]>', ']]]]><![CDATA[>')}</VM_POOL>]]></string>`),
  'with comments': { bytes: http(BODY.replace('<params>', '<!-- x --><?y z?><params>')) },
  'with int': typed('int'),
  'with i8': typed('i8'),
  'in two elements': xml([true, `<VM_POOL>${VM}</VM_POOL>`]),
  'with more elements': xml([true, `<VM_POOL>${VM}</VM_POOL>`, 0, -1, -1n, 'x']),
  'beside VMs of others': pool(vmXml({ id: 8, group: 'other' }), '<VM><ID>9</ID></VM>', VM),
  'beside VMs without a number': pool(vmXml({ id: 1 }).replace('<ID>1</ID>', ''), VM, vmXml({ id: -7 })),
};

/** What is no list: nobody may take it for one without VMs. */
const NO_LIST: Readonly<Record<string, readonly [Played | undefined, RegExp]>> = {
  'nothing, and a close': [{ bytes: '' }, /the connection broke off/],
  'nothing, and a reset': [{ bytes: '', then: 'reset' }, /the connection broke off/],
  'nothing at all': [undefined, /did not answer in time/],
  'half of it': [{ bytes: http(BODY).subarray(0, 600) }, /the connection broke off/],
  'half of it, without a length': [{ bytes: head('X: y') + BODY.slice(0, 300) }, /XML is broken/],
  'less than its length': [{ bytes: head(`Content-Length: ${BODY.length + 5}`) + BODY }, /the connection broke off/],
  'more than its length': [{ bytes: head(`Content-Length: ${BODY.length - 40}`) + BODY }, /XML is broken/],
  'UTF-16': [{ bytes: http(Buffer.from(`\ufeff${BODY}`, 'utf16le')) }, /XML is broken/],
  nil: [xml(null), /not \[success, value, code\]/],
  'nil as value': [xml([true, null, 0]), /not \[success, value, code\]/],
  'a struct': [xml(new Map([['VM_POOL', '']])), /not \[success, value, code\]/],
  'an empty value': [success(''), /XML is broken/],
  'a number': [success(7), /XML is broken/],
  'another document': [success('<HOST_POOL></HOST_POOL>'), /the answer is <HOST_POOL> instead of <VM_POOL>/],
  'one VM': [success(VM), /the answer is <VM> instead of <VM_POOL>/],
  'a page as value': [success('<html><body>no</body></html>'), /the answer is <html>/],
  'no array': [xml('<VM_POOL/>'), /not \[success, value, code\]/],
  'a page': [page('200 OK'), /DOCTYPE is refused/],
  'a page by 204': [{ bytes: http('', '204 No Content') }, /HTTP 204 instead of an answer/],
  ...Object.fromEntries(
    ['401 Unauthorized', '403 Forbidden', '404 Not Found', '407 Proxy', '411 Length', '429 Too Many'].map((status) => [
      `a page by ${status}`,
      [page(status), new RegExp(`HTTP ${status.slice(0, 3)} instead of an answer`)],
    ]),
  ),
  ...Object.fromEntries(
    ['500 Internal', '502 Bad Gateway', '503 Unavailable', '504 Timeout'].map((status) => [
      `a page by ${status}`,
      [page(status), new RegExp(`HTTP ${status.slice(0, 3)}: does the front end behind it answer`)],
    ]),
  ),
  'a redirect': [page('307 Temporary', 'Location: http://b/RPC2\r\n'), /HTTP 307: it has moved to http:\/\/b\/RPC2/],
  'a fault': [fault(-503, 'Call XML not a proper XML-RPC call'), /not a proper XML-RPC call/],
  'an election': [refusal(8192, '[m] Cannot process request, oned cluster in election period'), /election period/],
  'a login that is refused': [refusal(256, "[m] User couldn't be authenticated, aborting call."), /refuses the login/],
  'a refusal of three elements': [xml([false, '[m] x', 8192]), /failed inside/],
  'a refusal without a number': [xml([false, 'x', 'y']), /not \[success, value, code\]/],
};

describe('OpenNebula provider by the wire', function () {
  this.timeout(60_000);
  let frontEnd: PlayedFrontEnd;
  let provider: ReturnType<typeof createOpenNebulaProvider>;
  let now = Date.now;

  async function play(answer: Play, options: Partial<OpenNebulaOptions> = {}): Promise<void> {
    frontEnd = await playFrontEnd(answer);
    const login = { url: frontEnd.url, user: 'scaler', password: 's3cret' };
    const quick = { deadlineMs: 30_000, lostAnswerMs: 20, releaseAgainMs: 0, monitoringMs: 0 };
    provider = createOpenNebulaProvider(
      { ...login, group: 'demo', template: 0, context: {}, ...quick, ...options },
      { now: () => now(), sleep: (ms) => sleep(Math.min(ms, 5)) },
    );
  }
  afterEach(async () => {
    now = Date.now;
    await provider.close();
    await frontEnd.close();
  });

  const called = (): readonly string[] => frontEnd.calls.map(([method]) => method);
  const always =
    (list: Played | undefined): Play =>
    (method) =>
      method === 'one.vmpool.monitoring' ? success('<MONITORING_DATA/>') : list;

  for (const [how, answer] of Object.entries(SAID))
    it(`reads a list ${how}`, async () => {
      await play(always(answer));
      const address = { host: '10.0.0.7', port: 8080 };
      expect(await provider.list()).to.deep.equal([
        { id: '7', mark: 'm7', state: 'running', stage: 'RUNNING', createdAt: 1_600_000_000_000, address },
      ]);
    });

  for (const [what, [answer, sentence]] of Object.entries(NO_LIST))
    it(`takes for no list: ${what}`, async () => {
      await play(always(answer), { deadlineMs: what === 'nothing at all' ? 100 : 30_000 });
      expect((await refused(provider.list())).message).to.match(sentence);
    });

  describe('allocate', () => {
    /** Its VMs are those that `instantiate` made, whatever it answered; they are listed from the `late`th look on. */
    function making(answer: Played | undefined, late = 0): Play {
      const made: string[] = [];
      let looks = 0;
      return (method, params) => {
        if (method === 'one.template.info') return TEMPLATE;
        if (method !== 'one.template.instantiate') return pool(...(made.length > 0 && looks++ >= late ? made : []));
        const mark = /MMELIOT_MARK="(\w+)"/.exec(params[3] as string)?.[1] ?? '';
        made.unshift(vmXml({ id: 40 + made.length, mark, state: [1, 0] }));
        return answer;
      };
    }
    const LOST: Readonly<Record<string, Played | undefined>> = {
      'nothing, and a close': { bytes: '' },
      'nothing at all': undefined,
      'half of it': { bytes: http(encodeAnswer({ value: [true, 40, 0] })).subarray(0, 220) },
      'a page by 502': page('502 Bad Gateway'),
      'a page by 403': page('403 Forbidden'),
      'a value that is no number': success('made'),
      'a value that is empty': success(''),
      'a number below 0': success(-1),
      'a value of no known type': xml([true, [40], 0]),
    };
    for (const [what, answer] of Object.entries(LOST))
      it(`finds the VM by its mark, and makes no second one: ${what}`, async () => {
        await play(making(answer, 1), { deadlineMs: what === 'nothing at all' ? 3_000 : 30_000, lostAnswerMs: 30_000 });
        expect(await provider.allocate({ mark: 'a' })).to.equal('40');
        expect(await provider.allocate({ mark: 'a' })).to.equal('40');
        expect(called().filter((method) => method === 'one.template.instantiate')).to.have.length(1);
      });

    for (const [how, id] of [
      ['a number', 40],
      ['an i8', 40n],
      ['a string', '40'],
    ] as const)
      it(`takes the VM's number as ${how}`, async () => {
        await play(making(success(id)));
        expect(await provider.allocate({ mark: 'a' })).to.equal('40');
      });

    it('says why nobody knows whether there is a VM', async () => {
      await play((method) =>
        method === 'one.template.info'
          ? TEMPLATE
          : method === 'one.template.instantiate'
            ? page('403 Forbidden')
            : pool(),
      );
      const { message } = await refused(provider.allocate({ mark: 'a' }));
      expect(message).to.match(/did not answer whether it allocates a VM.*\(HTTP 403 instead of an answer\.\)/);
    });

    it('takes no other document for the template', async () => {
      await play((method) => (method === 'one.template.info' ? success(VM) : pool()));
      const { message } = await refused(provider.allocate({ mark: 'a' }));
      expect(message).to.include('<VM> instead of <VMTEMPLATE>');
      expect(called()).not.to.include('one.template.instantiate');
    });
  });

  /** By number, what is seen of a VM in it and what a release asks for: those of [STATE, 0], then those of [3, LCM_STATE]. */
  const SEEN: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
    'pending, terminate': [
      ...[0, 1, 2, 10].map((state) => [state, 0] as const),
      ...[0, 1, 2, 7, 8, 9, 15, 19, 20, 21, 22, 31, 32, 35, 60].map((lcm) => [3, lcm] as const),
    ],
    'running, terminate': [3, 4, 17, 24, 25, 26, 57, 58, 59, 62, 66, 69, 99].map((lcm) => [3, lcm] as const),
    'running, terminate-hard': [[3, 16]],
    'releasing, nothing': [11, 12, 13, 23].map((lcm) => [3, lcm] as const),
    'releasing, terminate': [[3, 40]],
    'gone, nothing': [[6, 0]],
    'failed, terminate': [
      ...[4, 5, 7, 8, 9, 11].map((state) => [state, 0] as const),
      ...[5, 6, 10, 14, 18, 27, 28, 29, 30, 33, 34, 36, 37, 38, 39, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50].map(
        (lcm) => [3, lcm] as const,
      ),
      ...[51, 52, 53, 54, 55, 56, 61, 63, 64, 65, 67, 68, 70, 71].map((lcm) => [3, lcm] as const),
    ],
  };
  for (const [what, states] of Object.entries(SEEN))
    it(`sees ${what.replace(',', ', and asks on its release for')}: ${states.map((state) => state.join('/')).join(' ')}`, async () => {
      let vm = '';
      await play((method) =>
        method === 'one.vm.action'
          ? success(7)
          : method === 'one.vmpool.monitoring'
            ? success('<MONITORING_DATA/>')
            : pool(vm),
      );
      for (const [id, state] of states.entries()) {
        vm = vmXml({ id, state });
        const [before] = await provider.list();
        const asked = frontEnd.calls.length;
        // as it stands on the VM after a release that another manager asked for
        vm = vmXml({ id, state, own: '<MMELIOT_STATE>releasing</MMELIOT_STATE>' });
        const [after] = await provider.list();
        const actions = frontEnd.calls.slice(asked).filter(([method]) => method === 'one.vm.action');
        expect(
          `${before?.state ?? 'gone'}, ${actions.map(([, action]) => action as string).join() || 'nothing'}`,
          state.join('/'),
        ).to.equal(what);
        expect(after?.state ?? 'gone', state.join('/')).to.equal(before === undefined ? 'gone' : 'releasing');
      }
    });

  it('lets a VM whose address comes late, or goes for a while, be as it is, and says what is missing', async () => {
    let nics: string | undefined = '<NIC><NIC_ID>0</NIC_ID></NIC>';
    await play((method) =>
      method === 'one.vmpool.monitoring'
        ? success('<MONITORING_DATA/>')
        : pool(vmXml({ id: 7, ...(nics !== undefined && { nics }) })),
    );
    const look = async (): Promise<ProvidedVm | undefined> => (await provider.list())[0];
    expect(await look()).to.include({
      state: 'pending',
      note: 'It has no address on NIC 0; check opennebula.nic and the template.',
    });
    nics = undefined;
    expect(await look())
      .to.include({ state: 'running' })
      .and.not.to.have.property('note');
    nics = '<CPU>1</CPU>';
    expect(await look()).to.include({ state: 'pending' });
  });

  for (const minutes of [-90, 90])
    it(`goes by its own clock where the front end's is ${Math.abs(minutes)} min ${minutes < 0 ? 'behind' : 'ahead'}`, async () => {
      let passed = 0;
      const began = Date.now();
      now = () => began + passed;
      let written = Math.floor(began / 1000) + minutes * 60;
      const record = (id: number, at: number) =>
        `<MONITORING><CPU>50</CPU><ID>${id}</ID><TIMESTAMP>${at}</TIMESTAMP></MONITORING>`;
      await play((method) =>
        method === 'one.vmpool.monitoring'
          ? success(`<MONITORING_DATA>${record(7, written)}${record(8, written - 20)}</MONITORING_DATA>`)
          : pool(vmXml({ id: 8 }), VM),
      );
      const ages = async () =>
        new Map((await provider.list()).map(({ id, monitoring }) => [id, now() - (monitoring?.at ?? NaN)]));
      expect([...(await ages())]).to.deep.equal([
        ['8', 20_000],
        ['7', 0],
      ]);
      passed += 60_000;
      expect([...(await ages())], 'nothing new').to.deep.equal([
        ['8', 80_000],
        ['7', 60_000],
      ]);
      written += 60;
      expect([...(await ages())], 'new').to.deep.equal([
        ['8', 20_000],
        ['7', 0],
      ]);
    });
});
