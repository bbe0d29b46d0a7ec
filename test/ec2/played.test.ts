// The provider against an EC2 of which each answer is played over the wire, byte for byte, as EC2 or a proxy before it may send it.
import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import { answerXml, errorXml, type Members } from '../../ec2/emulator/xml.ts';
import { createEc2Provider, type Ec2Options, type Ec2Provider } from '../../ec2/provider.ts';
import type { MmeliotError } from '../../src/errors.ts';
import { http, page, playServer, type Played, type PlayedServer } from '../helpers/played.ts';
import { until } from '../helpers/until.ts';
import { KEY, logIn } from './emulated.ts';

interface Described {
  readonly id: string;
  readonly state?: string;
  readonly mark?: string;
  readonly more?: Members;
}

const instance = ({ id, state = 'running', mark = 'm', more = {} }: Described): Members => ({
  instanceId: id,
  instanceState: { name: state },
  instanceType: 'm3.medium',
  launchTime: '2026-11-20T10:00:00.000Z',
  placement: { availabilityZone: 'us-east-1a' },
  privateIpAddress: '10.0.0.7',
  tagSet: [
    { key: 'mmeliot:group', value: 'demo' },
    { key: 'mmeliot:mark', value: mark },
  ],
  ...more,
});
const described = (...instances: readonly Members[]): string =>
  answerXml('DescribeInstances', 'r', { reservationSet: [{ reservationId: 'r-1', instancesSet: instances }] });
const said = (body: string): Played => ({ bytes: http(body) });
const head = (fields: string): string => `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n`;

const BODY = described(instance({ id: 'i-7' }));
const SHOWN = {
  ...{ id: 'i-7', mark: 'm', state: 'running', stage: 'running', createdAt: Date.parse('2026-11-20T10:00:00Z') },
  address: { host: '10.0.0.7', port: 8080 },
};

/** The same list of one instance, as it may come. */
const SAID: Readonly<Record<string, Played>> = {
  'as it is': said(BODY),
  'a few bytes at a time': { ...said(BODY), piece: 9 },
  'without a length': { bytes: head('Connection: close') + BODY },
  'in chunks': {
    bytes: `${head('Transfer-Encoding: chunked')}${Buffer.byteLength(BODY).toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
  },
  'on a connection that stays': { ...said(BODY), then: 'keep' },
  'behind a byte order mark': said(`\ufeff${BODY}`),
  'behind empty lines': said(`\r\n\r\n${BODY}`),
  'without an XML declaration': said(BODY.slice(BODY.indexOf('<Describe'))),
  'with a comment before it': said(BODY.replace('<Describe', '<!-- <html> --><Describe')),
  'as HTML': { bytes: http(BODY).toString('latin1').replace('text/xml', 'text/html') },
  'beside what nobody knows': said(described(instance({ id: 'i-7', more: { new: { item: [{ a: 1 }] } } }))),
};

/** What is no list: nobody may take it for one without instances. */
const NO_LIST: Readonly<Record<string, readonly [Played | undefined, RegExp]>> = {
  'an empty answer': [said(''), /is no answer of EC2 \(DescribeInstances: HTTP 200, nothing\)/],
  'an empty answer without a length': [{ bytes: head('X: y') }, /is no answer of EC2/],
  'a page by 204': [
    { bytes: http('', '204 No Content') },
    /is no answer of EC2 \(DescribeInstances: HTTP 204, nothing\)/,
  ],
  'a page': [page('200 OK'), /is no answer of EC2 \(DescribeInstances: HTTP 200, <!DOCTYPE html>/],
  'a page of XHTML': [said('<html><body>log in here</body></html>'), /is no answer of EC2 \(.* HTTP 200, <html>/],
  JSON: [said('{"Reservations": []}'), /is no answer of EC2/],
  words: [said('OK'), /is no answer of EC2/],
  'another answer': [said(answerXml('DescribeSubnets', 'r', { subnetSet: [] })), /HTTP 200, <DescribeSubnetsResponse/],
  'another answer, whose name begins so': [
    said(answerXml('DescribeInstancesTypes', 'r', {})),
    /<DescribeInstancesTypesResponse/,
  ],
  'half of it': [{ bytes: http(BODY).subarray(0, 500) }, /EC2 can't be reached|EC2, DescribeInstances: |is no answer/],
  'half of it, without a length': [{ bytes: head('X: y') + BODY.slice(0, 300) }, /<DescribeInstancesResponse> without/],
  'only its beginning': [said('<DescribeInstancesResponse>'), /<DescribeInstancesResponse> without its end/],
  'what nobody can unpack': [
    { bytes: http(gzipSync(BODY), '200 OK', 'Content-Encoding: gzip\r\n') },
    /is no answer of EC2 \(DescribeInstances: HTTP 200, in gzip\)/,
  ],
  'UTF-16': [{ bytes: http(Buffer.from(`\ufeff${BODY}`, 'utf16le')) }, /is no answer of EC2/],
  'more than is read': [said(`<DescribeInstancesResponse>${' '.repeat(9_000)}</DescribeInstancesResponse>`), /larger/],
  ...Object.fromEntries(
    ['307 Temporary', '401 Unauthorized', '403 Forbidden', '404 Not Found', '407 Proxy', '502 Bad', '503 No'].map(
      (status) => [
        `a page by ${status}`,
        [page(status), new RegExp(`is no answer of EC2 \\(DescribeInstances: HTTP ${status.slice(0, 3)}, <!DOCTYPE`)],
      ],
    ),
  ),
  'an empty answer by 400': [{ bytes: http('', '400 Bad Request') }, /is no answer of EC2 \(.* HTTP 400, nothing\)/],
  'a refusal': [
    { bytes: http(errorXml('r', 'AuthFailure', 'no'), '401 Unauthorized') },
    /^AWS refuses the login: .*\(DescribeInstances: no\)/,
  ],
  'a refusal by a code that nobody knows': [
    { bytes: http(errorXml('r', 'Whatever', 'Not today.'), '400 Bad') },
    /^EC2, DescribeInstances: Not today\.$/,
  ],
  'a refusal in several lines': [
    { bytes: http(errorXml('r', 'Whatever', 'Not today.\nNor tomorrow.'), '400 Bad') },
    /^EC2, DescribeInstances: Not today\.$/,
  ],
  'a refusal without a word': [
    { bytes: http(errorXml('r', 'Whatever', ''), '400 Bad') },
    /^EC2, DescribeInstances: Whatever$/,
  ],
  'nothing at all': [undefined, /EC2 can't be reached \(DescribeInstances: /],
  'half of it, and then nothing': [
    { bytes: http(BODY).subarray(0, 500), then: 'keep' },
    /EC2 can't be reached \(DescribeInstances: /,
  ],
};

const refused = (work: Promise<unknown>): Promise<MmeliotError> =>
  work.then(
    (value) => expect.fail(`it worked: ${JSON.stringify(value)}`),
    (error: unknown) => error as MmeliotError,
  );

describe('EC2 provider by the wire', function () {
  this.timeout(60_000);
  let ec2: PlayedServer;
  let provider: Ec2Provider;
  let calls: URLSearchParams[];
  let now: () => number;

  async function play(
    answer: (action: string, form: URLSearchParams) => Played | undefined,
    options: Partial<Ec2Options> = {},
  ): Promise<void> {
    calls = [];
    ec2 = await playServer((body) => {
      const form = new URLSearchParams(body);
      calls.push(form);
      return answer(form.get('Action') ?? '', form);
    });
    logIn(KEY);
    const what = { group: 'demo', template: 'mmeliot', types: ['m3.medium'], subnets: [], environment: {} };
    const where = { region: 'us-east-1', endpoint: ec2.url };
    provider = createEc2Provider({ ...where, ...what, noticeMs: 0, priceMs: 0, ...options }, () => now());
  }
  beforeEach(() => void (now = Date.now));
  afterEach(async () => {
    await provider.close();
    await ec2.close();
  });

  const called = (action: string): number => calls.filter((form) => form.get('Action') === action).length;

  for (const [how, answer] of Object.entries(SAID))
    it(`reads a list ${how}`, async () => {
      await play(() => answer);
      expect(await provider.list()).to.deep.equal([SHOWN]);
    });

  for (const [what, [answer, sentence]] of Object.entries(NO_LIST))
    it(`takes for no list: ${what}`, async () => {
      const isSilent = what.includes('nothing') && (answer === undefined || answer.then === 'keep');
      await play(() => answer, { maxAnswerBytes: 8_000, ...(isSilent && { timeoutMs: 60 }) });
      const error = await refused(provider.list());
      expect(error.message).to.match(sentence).and.not.include('\n');
      if (isSilent) await until('it keeps no connection', () => ec2.open() === 0);
    });

  it('takes a page for no release, and asks for it again', async () => {
    let answer: Played = page('200 OK');
    await play((action) => (action === 'TerminateInstances' ? answer : said(BODY)));
    await provider.list();
    expect((await refused(provider.release('i-7'))).message).to.include('is no answer of EC2 (TerminateInstances');
    expect((await provider.list()).map(({ state }) => state)).to.deep.equal(['running']);
    answer = said(answerXml('TerminateInstances', 'r', { instancesSet: [] }));
    await provider.release('i-7');
    expect((await provider.list()).map(({ state }) => state)).to.deep.equal(['releasing']);
  });

  it('reads a list of several pages, and no more of them than there can be', async () => {
    await play((action, form) => {
      const token = form.get('NextToken');
      const instances = [instance({ id: token === null ? 'i-1' : 'i-2', mark: token ?? 'first' })];
      const more = token === null ? { nextToken: 'second' } : {};
      return said(answerXml(action, 'r', { reservationSet: [{ instancesSet: instances }], ...more }));
    });
    expect((await provider.list()).map(({ id, mark }) => [id, mark])).to.deep.equal([
      ['i-1', 'first'],
      ['i-2', 'second'],
    ]);
    await provider.close();
    await ec2.close();
    let page = 0;
    await play((action) => said(answerXml(action, 'r', { reservationSet: [], nextToken: `page ${page++}` })));
    expect((await refused(provider.list())).message).to.match(/more than 100 pages/);
  });

  describe('allocate', () => {
    const pool = 'us-east-1a/m3.medium';
    const size = { name: 'm3.medium', vcpu: 1 };
    const offer = { id: `${pool}/on-demand`, pool, market: 'on-demand', price: 1, size } as const;
    const STOCK: Readonly<Record<string, Members>> = {
      DescribeSubnets: { subnetSet: [{ subnetId: 'subnet-1', availabilityZone: 'us-east-1a' }] },
      DescribeInstanceTypes: { instanceTypeSet: [{ instanceType: 'm3.medium' }] },
    };
    let run: () => Played | undefined;
    let list: () => string;
    const ran = (): Played =>
      said(answerXml('RunInstances', 'r', { instancesSet: [instance({ id: 'i-9', state: 'pending' })] }));

    async function open(options: Partial<Ec2Options> = {}): Promise<void> {
      await play((action) => {
        if (action === 'DescribeInstances') return said(list());
        if (action === 'RunInstances') return run();
        return said(answerXml(action, 'r', STOCK[action] ?? {}));
      }, options);
    }
    beforeEach(() => {
      run = ran;
      list = () => described();
    });
    const states = async () => (await provider.list()).map(({ id, state }) => `${id} ${state}`);

    it('keeps an instance in mind that one Describe shows, and the next one not yet', async () => {
      let passed = 0;
      now = () => 1_800_000_000_000 + passed;
      await open();
      expect(await provider.allocate({ mark: 'm', offer })).to.equal('i-9');
      const seen: (readonly string[])[] = [];
      for (const state of ['', 'pending', '', 'running', '', 'running', '']) {
        list = () => (state === '' ? described() : described(instance({ id: 'i-9', state })));
        seen.push(await states());
      }
      expect(seen.flat()).to.deep.equal([
        ...Array<string>(3).fill('i-9 pending'),
        ...Array<string>(4).fill('i-9 running'),
      ]);
      expect(await provider.allocate({ mark: 'm', offer })).to.equal('i-9');
      expect(called('RunInstances')).to.equal(1);
      passed = 61_000;
      expect(await states(), 'after a minute Describe is believed').to.deep.equal([]);
    });

    it('has it gone when Describe has shown its end', async () => {
      await open();
      await provider.allocate({ mark: 'm', offer });
      list = () => described(instance({ id: 'i-9', state: 'shutting-down' }));
      expect(await states()).to.deep.equal(['i-9 releasing']);
      list = () => described();
      expect(await states()).to.deep.equal([]);
    });

    const NO_ANSWER: Readonly<Record<string, Played>> = {
      'an empty answer': said(''),
      'a page': page('200 OK'),
      'a page by 502': page('502 Bad Gateway'),
      'a page by 504': page('504 Gateway Timeout'),
      'an answer without an instance': said(answerXml('RunInstances', 'r', { instancesSet: [] })),
      'half of it': { bytes: Buffer.from(ran().bytes as Buffer).subarray(0, 300) },
      'nothing, and a close': { bytes: '' },
    };
    for (const [what, answer] of Object.entries(NO_ANSWER))
      it(`knows that there may be an instance, asks by the same token, and finds it by its mark: ${what}`, async () => {
        run = () => answer;
        await open();
        expect((await refused(provider.allocate({ mark: 'm', offer }))).code).to.equal('PROVIDER_FAILED');
        expect(provider.mayCome?.()).to.equal(true);
        expect(new Set(calls.flatMap((form) => form.get('ClientToken') ?? [])).size).to.equal(1);
        list = () => described(instance({ id: 'i-9', state: 'pending' }));
        expect(await provider.allocate({ mark: 'm', offer })).to.equal('i-9');
        expect(provider.mayCome?.()).to.equal(false);
      });

    for (const code of ['InsufficientInstanceCapacity', 'UnauthorizedOperation'])
      it(`knows that none comes of ${code}`, async () => {
        run = () => ({ bytes: http(errorXml('r', code, 'No.'), '400 Bad Request') });
        await open();
        await refused(provider.allocate({ mark: 'm', offer }));
        expect(provider.mayCome?.()).to.equal(false);
      });
  });
});
