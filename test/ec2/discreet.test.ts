// An EC2 that quotes, in its refusals and in the reason of an instance's end, all that it was sent.
import { expect } from 'chai';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { request } from 'undici';
import { createEc2Provider, type Ec2Provider } from '../../ec2/provider.ts';
import { discreet } from '../../src/act/discreet.ts';
import { createSecrets } from '../../src/secrets.ts';
import { KEY, logIn, openCloud, type TestCloud } from './emulated.ts';
import { listening } from '../helpers/listening.ts';

const SECRETS = ['gr0up-secret$', 'db-pa$$"word'];

describe('EC2 that quotes all that it was sent', function () {
  this.timeout(60_000);
  let cloud: TestCloud;
  let server: Server;
  let provider: Ec2Provider;
  let quoted: string;
  let refuse: (action: string) => boolean;

  beforeEach(async () => {
    cloud = await openCloud();
    logIn(KEY);
    refuse = () => false;
    quoted = '';
    server = createServer((incoming, response) => {
      void (async () => {
        const body = await text(incoming);
        const form = new URLSearchParams(body);
        const script = Buffer.from(form.get('UserData') ?? '', 'base64').toString('utf8');
        quoted = [SECRETS.join(' '), form.get('UserData'), script, body].join(' ');
        if (!refuse(form.get('Action') ?? '')) {
          const headers = { ...incoming.headers }; // they are signed, the host's among them
          delete headers.connection;
          delete headers['transfer-encoding'];
          const answer = await request(cloud.emulator.url, { method: 'POST', headers, body });
          return void response.writeHead(answer.statusCode).end(await answer.body.text());
        }
        const message = quoted.replace(/[<&]/g, (sign) => (sign === '<' ? '&lt;' : '&amp;'));
        const error = `<Error><Code>InvalidParameterValue</Code><Message>${message}</Message></Error>`;
        response.writeHead(400).end(`<Response><Errors>${error}</Errors><RequestID>1</RequestID></Response>`);
      })().catch(() => response.destroy());
    });
    const endpoint = `http://127.0.0.1:${await listening(server)}`;
    const environment = { MMELIOT_SECRET: 'gr0up-secret$', MMELIOT_REPOSITORY_URL: 'mysql://u:db-pa$$"word@db/epcis' };
    const what = { group: 'demo', template: 'mmeliot', types: [], subnets: [], environment };
    provider = createEc2Provider({ region: 'us-east-1', endpoint, ...what, priceMs: 0 }, Date.now);
  });
  afterEach(async () => {
    await provider.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await cloud.stop();
  });

  const spoken = () => discreet(provider, createSecrets(...SECRETS));
  const CALLS: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['DescribeInstances', () => spoken().list()],
    ['DescribeSpotPriceHistory', () => spoken().offers()],
    ['RunInstances', () => spoken().allocate({ mark: 'b' })],
    ['TerminateInstances', () => spoken().release('i-0123456789abcdef0')],
  ];
  for (const [action, work] of CALLS)
    it(`quotes none of it: ${action}`, async () => {
      await spoken().allocate({ mark: 'a' });
      refuse = (called) => called === action;
      const error = await work().then(
        () => expect.fail('it worked'),
        (reason: unknown) => reason as Error,
      );
      expect(error.message).to.include('***');
      const whole = inspect(error, { depth: 9, showHidden: true });
      for (const secret of SECRETS) {
        expect(whole).not.to.include(secret);
        expect(whole).not.to.include(Buffer.from(secret).toString('base64').slice(0, 12));
      }
    });
});
