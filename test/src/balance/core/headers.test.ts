import { expect } from 'chai';
import { CLIENT_HEADER } from '../../../../epcis/access/client-token.ts';
import {
  readRequestHead,
  requestFields,
  responseFields,
  usableRequestId,
} from '../../../../src/balance/core/headers.ts';
import type { RequestHead } from '../../../../src/balance/core/headers.ts';

const hop = { clientAddress: '10.0.0.9', protocol: 'http', requestId: 'r1', trusted: false } as const;

function head(...raw: string[]): RequestHead {
  const result = readRequestHead(raw, '1.1');
  if (!('fields' in result)) throw new Error(result.reason);
  return result;
}

function pairs(fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((_, i) => (i % 2 === 0 ? [[fields[i], fields[i + 1]]] : [])) as [string, string][],
  );
}

describe('header fields', () => {
  it('says nothing of who asks but what this gateway knows itself, and keeps what was for it alone', () => {
    const came = head('Host', 'a', 'Mmeliot-Client', 'forged', 'Authorization', 'Bearer mine', 'X-Other', '1');
    expect(pairs(requestFields(came, hop)))
      .to.include({ Authorization: 'Bearer mine' })
      .and.not.have.property(CLIENT_HEADER);
    const told = requestFields(came, { ...hop, who: [CLIENT_HEADER, 'signed'] });
    expect(pairs(told))
      .to.include({ [CLIENT_HEADER]: 'signed', 'X-Other': '1' })
      .and.not.have.property('Authorization');
    expect(told.filter((one) => one === 'forged')).to.deep.equal([]);
  });

  it('ends hop-by-hop fields here, also those that Connection names', () => {
    const { fields } = head(
      'Host',
      'a',
      'Connection',
      'close, X-Mine',
      'X-Mine',
      '1',
      'TE',
      'trailers',
      'Accept',
      '*/*',
    );
    expect(fields).to.deep.equal(['Accept', '*/*']);
  });

  it('keeps repeated fields in their order', () => {
    const { fields } = head('Host', 'a', 'Cookie', 'a', 'X', '1', 'Cookie', 'b');
    expect(fields).to.deep.equal(['Cookie', 'a', 'X', '1', 'Cookie', 'b']);
  });

  it('reads the framing', () => {
    expect(head('Host', 'a', 'Content-Length', '12')).to.include({ contentLength: 12, chunked: false });
    expect(head('Host', 'a', 'Transfer-Encoding', 'Chunked')).to.include({ contentLength: undefined, chunked: true });
  });

  for (const [what, status, version, ...raw] of [
    ['two hosts', 400, '1.1', 'host', 'b'],
    ['two lengths', 400, '1.1', 'Content-Length', '1', 'content-length', '1'],
    ['a length with a sign', 400, '1.1', 'Content-Length', '+1'],
    ['a length and chunks', 400, '1.1', 'Content-Length', '1', 'Transfer-Encoding', 'chunked'],
    ['chunks in HTTP/1.0', 400, '1.0', 'Transfer-Encoding', 'chunked'],
    ['another transfer encoding', 501, '1.1', 'Transfer-Encoding', 'gzip, chunked'],
  ] as [string, number, string, ...string[]][]) {
    it(`refuses ${what}`, () => expect(readRequestHead(['Host', 'a', ...raw], version)).to.include({ status }));
  }

  it('refuses no host, except by HTTP/1.0', () => {
    expect(readRequestHead([], '1.1')).to.include({ status: 400 });
    expect(readRequestHead([], '1.0')).to.include({ host: '' });
  });

  it('says who asked, in place of what the client says', () => {
    const fields = pairs(requestFields(head('Host', 'shop', 'X-Forwarded-For', '6.6.6.6', 'Forwarded', 'for=x'), hop));
    expect(fields).to.include({
      host: 'shop',
      'x-forwarded-for': '10.0.0.9',
      'x-forwarded-host': 'shop',
      forwarded: 'for=10.0.0.9;proto=http;host="shop"',
      'x-request-id': 'r1',
      via: '1.1 mmeliot',
    });
  });

  it('extends what a trusted client says; IPv6 in brackets and quotes', () => {
    const trusted = { ...hop, trusted: true, clientAddress: '::1' };
    const fields = pairs(
      requestFields(
        head('Host', 'a', 'X-Forwarded-For', '1.1.1.1', 'Forwarded', 'for=1.1.1.1', 'Via', '1.0 x'),
        trusted,
      ),
    );
    expect(fields['x-forwarded-for']).to.equal('1.1.1.1, ::1');
    expect(fields['forwarded']).to.equal('for=1.1.1.1, for="[::1]";proto=http;host="a"');
    expect(fields['via']).to.equal('1.0 x, 1.1 mmeliot');
  });

  it('takes sane request ids only', () => {
    expect(usableRequestId('a-1')).to.equal('a-1');
    for (const bad of [undefined, '', 'a b', 'a\n', 'x'.repeat(129)]) expect(usableRequestId(bad)).to.equal(undefined);
  });

  it('cleans an answer: hop-by-hop fields go, several cookies stay several', () => {
    const fields = responseFields({
      connection: 'keep-alive, X-Hop',
      'x-hop': '1',
      'keep-alive': 'timeout=5',
      'transfer-encoding': 'chunked',
      'set-cookie': ['a', 'b'],
      etag: '"1"',
    });
    expect(fields).to.deep.equal(['set-cookie', 'a', 'set-cookie', 'b', 'etag', '"1"']);
  });
});
