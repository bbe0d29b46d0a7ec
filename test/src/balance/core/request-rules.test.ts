import { expect } from 'chai';
import { GATEWAY_DEFAULTS } from '../../../../src/balance/core/options.ts';
import { classifier, compileAny, queryName } from '../../../../src/balance/core/request-rules.ts';
import type { RequestFacts } from '../../../../src/balance/core/request-rules.ts';
import { withinSeconds } from '../../../helpers/within-seconds.ts';

const soap = (operation: string, name: string) =>
  `<s:Envelope><s:Body><q:${operation}><queryName>${name}</queryName></q:${operation}></s:Body></s:Envelope>`;

function request(method: string, path: string, body?: string, headers: Record<string, string> = {}): RequestFacts {
  return { method, path, body: () => body, header: (name) => headers[name], client: () => '10.1.2.3' };
}

describe('rules about requests', () => {
  const classify = classifier(GATEWAY_DEFAULTS.queue.classes);
  const name = (one: RequestFacts) => GATEWAY_DEFAULTS.queue.classes[classify(one)]?.name;
  const mayRepeat = compileAny(GATEWAY_DEFAULTS.retry.safe);

  for (const [expected, one] of [
    ['interactive', request('GET', '/events?EQ_bizStep=shipping')],
    ['interactive', request('POST', '/epcis-repository/query', soap('Poll', 'SimpleEventQuery'))],
    ['named', request('POST', '/epcis-repository/query', soap('Poll', 'MyQuery'))],
    ['named', request('POST', '/epcis-repository/query', soap('Subscribe', 'SimpleEventQuery'))],
    ['named', request('GET', '/queries/mine/events')],
    ['capture', request('POST', '/epcis-repository-0.5.0/capture', '<x/>')],
    ['capture', request('POST', '/capture?x=1')],
    ['capture', request('POST', '/events', '{}')],
    ['bulk', request('GET', '/events', '', { 'x-request-class': 'bulk' })],
  ] as const) {
    it(`${one.method} ${one.path} ${one.body()?.slice(24, 60) ?? ''} is ${expected}`, () => {
      expect(name(one)).to.equal(expected);
    });
  }

  it('repeats SOAP queries, but nothing that changes something or that it could not look into', () => {
    const query = (body?: string) => request('POST', '/epcis-repository/query', body);
    expect(mayRepeat(query(soap('Poll', 'SimpleEventQuery')))).to.equal(true);
    expect(mayRepeat(query(soap('Subscribe', 'SimpleEventQuery')))).to.equal(false);
    expect(mayRepeat(query('<Unsubscribe xmlns="urn:x"/>'))).to.equal(false);
    expect(mayRepeat(query(undefined))).to.equal(false);
    expect(mayRepeat(request('POST', '/capture', '<x/>'))).to.equal(false);
  });

  it('reads the name of a query from the path or the SOAP body', () => {
    expect(queryName(request('GET', '/queries/mine/events'))).to.equal('mine');
    expect(queryName(request('POST', '/query', '<a:queryName> Q </a:queryName>'))).to.equal('Q');
    expect(queryName(request('GET', '/events'))).to.equal(undefined);
  });

  it('looks for it in the time that reading a body takes, whatever stands in it', () => {
    for (const body of ['<queryName>' + ' '.repeat(65_000), '<a:queryName>'.repeat(5_000), '<' + 'a.'.repeat(30_000)])
      expect(withinSeconds(() => queryName(request('POST', '/query', body)) ?? '')).to.equal('');
  });

  it('matches by client, and by all of what a rule names', () => {
    const rule = compileAny([{ client: '^10\\.', method: '^GET$' }]);
    expect(rule(request('GET', '/'))).to.equal(true);
    expect(rule(request('PUT', '/'))).to.equal(false);
  });
});
