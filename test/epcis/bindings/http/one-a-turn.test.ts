import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { oneATurn } from '../../../../epcis/bindings/http/one-a-turn.ts';

const LONG = { url: `/events?EQ_bizStep=${'x'.repeat(3_000)}`, headers: {} };
const SOAP = { url: '/epcis/query', headers: { 'content-length': '3000' } };
const CHUNKED = { url: '/epcis/query', headers: { 'transfer-encoding': 'chunked' } };
const SHORT = [
  { url: '/events', headers: {} },
  { url: '/epcis/query', headers: { 'content-length': '300' } },
  { url: '/capture', headers: { 'content-length': '3000000' } },
];

describe('long questions', () => {
  const turns = async (count: number) => {
    for (let i = 0; i < count; i++) await new Promise(setImmediate);
  };

  it('come one a turn, with one between for who asks what is short, which waits for nothing', async () => {
    const middleware = oneATurn();
    let turn = 0;
    const at: [string, number][] = [];
    const ask = (what: { url: string; headers: object }, name: string, response = { closed: false }) =>
      middleware(what as IncomingMessage, response as ServerResponse, () => void at.push([name, turn]));
    ask(LONG, 'first');
    ask(SOAP, 'second');
    ask(LONG, 'whose client has gone', { closed: true });
    ask(CHUNKED, 'third');
    for (const short of SHORT) ask(short, 'short');
    for (; turn < 12; turn++) await turns(1);
    const shorts = at.filter(([name]) => name === 'short');
    expect(shorts).to.deep.equal(SHORT.map(() => ['short', 0]));
    const long = at.filter(([name]) => name !== 'short');
    expect(long.map(([name]) => name)).to.deep.equal(['first', 'second', 'third']);
    long.reduce(([, before], [name, now]) => {
      expect(now - before, name).to.be.at.least(2);
      return [name, now];
    });
  });
});
