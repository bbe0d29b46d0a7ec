// Clients that would hurt others by showing what nobody let in has.
import { askAgain, many, type Hostile } from './hostile.ts';
import { AUDIENCE, ISSUER } from '../helpers/gatekeeper.ts';

/** A server that stands in for the gateway answers it as the gateway does: 401 at once. */
export const STRANGERS_PATH = '/strangers';
/** The key of the issuer that the token says it is signed with. */
export const KEY_ID = 'k1';

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** All is right about it but its signature. */
function forged(): string {
  const exp = Math.floor(Date.now() / 1000) + 3_600;
  const claims = part({ iss: ISSUER, aud: AUDIENCE, sub: 'alice', exp });
  return `${part({ alg: 'RS256', kid: KEY_ID })}.${claims}.${Buffer.alloc(256, 1).toString('base64url')}`;
}

const asking = (authorization: string): Hostile['play'] =>
  many(20, (socket) => {
    askAgain(socket, `GET ${STRANGERS_PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`);
  });

export const HOSTILE_KEYS: readonly Hostile[] = [
  { name: 'wrong keys', door: 'keys', play: asking(`Bearer mm_0123456789ab_${'x'.repeat(32)}`) },
  { name: 'wrong passwords', door: 'keys', play: asking(`Basic ${Buffer.from('acme:guess').toString('base64')}`) },
  { name: 'forged tokens', door: 'keys', play: asking(`Bearer ${forged()}`) },
];
