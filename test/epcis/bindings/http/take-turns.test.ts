import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { takeTurns } from '../../../../epcis/bindings/http/take-turns.ts';
import { QuestionTurns } from '../../../../epcis/service/question-turns.ts';

const LONG = { url: `/events?EQ_bizStep=${'x'.repeat(3_000)}`, headers: {} };
const SOAP = { url: '/epcis/query', headers: { 'content-length': '3000' } };
const CHUNKED = { url: '/epcis/query', headers: { 'transfer-encoding': 'chunked' } };
const SHORT = [
  { url: '/events', headers: {} },
  { url: '/epcis/query', headers: { 'content-length': '300' } },
];

describe('long questions', () => {
  it('are begun one a turn, by turns of clients, and what is short at once', async () => {
    const time = {
      now: () => 0,
      nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
      sleep: () => new Promise(() => {}),
    };
    const middleware = takeTurns(new QuestionTurns(time));
    let turn = 0;
    const at: [string, number][] = [];
    const ask = (
      what: { url: string; headers: object },
      name: string,
      { client = '192.0.2.1', closed = false } = {},
    ) => {
      const request = { ...what, headers: { ...what.headers, 'x-forwarded-for': client }, socket: {} };
      const response = Object.assign(new EventEmitter(), { closed });
      middleware(request as unknown as IncomingMessage, response as unknown as ServerResponse, () => {
        at.push([name, turn]);
        response.emit('close');
      });
    };
    for (const short of SHORT) ask(short, 'short');
    ask(LONG, 'first');
    ask(SOAP, 'third');
    ask(LONG, 'whose client has gone', { closed: true });
    ask(CHUNKED, 'fourth');
    ask(LONG, 'second, of another client', { client: '192.0.2.2' });
    for (const short of SHORT) ask(short, 'short');
    for (; turn < 20; turn++) await new Promise(setImmediate);
    const shorts = at.filter(([name]) => name === 'short');
    expect(shorts).to.deep.equal([...SHORT, ...SHORT].map(() => ['short', 0]));
    const long = at.filter(([name]) => name !== 'short');
    expect(long.map(([name]) => name)).to.deep.equal(['first', 'second, of another client', 'third', 'fourth']);
    expect(new Set(long.map(([, when]) => when)).size, 'one a turn').to.equal(4);
  });
});
