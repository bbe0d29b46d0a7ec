// The keys of the index: hashes, so that no dictionary has to be asked and every VM makes the same ones.
import { hash } from 'node:crypto';
import { DIGITAL_LINK, epcKey } from '../domain/epc.ts';
import type { ErrorDeclaration } from '../domain/event.ts';
import { fieldsText } from '../domain/hash.ts';
import { kept } from '../domain/kept.ts';
import type { Keys } from './sql/sql.ts';

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');
const number64 = (text: string): bigint => sha256(text).readBigInt64BE();

// terms and names are few and repeat in every event
export const keys: Keys = {
  term: kept((value) => number64(epcKey(value))),
  name: kept(number64),
  digest: digestOf,
  posting: (name, value) => sha256(`${name}\u0000${value}`).subarray(0, 16),
  epc: storedEpc,
};

/**
 * Digital links on id.gs1.org, which most keys are, stand without their domain; what is longer than the index allows
 * stands as its hash.
 */
function storedEpc(key: string): string {
  const short = key.startsWith(`${DIGITAL_LINK}/`) ? key.slice(DIGITAL_LINK.length) : key.replace(/^\//, '//');
  return short.length > 60 && Buffer.byteLength(short) > 255 ? `sha256:${sha256(short).toString('hex')}` : short;
}

/**
 * What makes two events of the same hash two: the hash covers neither the ID nor the error declaration. Odd for an event
 * with an ID of its own; one without goes by its hash.
 */
export function variantOf(eventID: string | undefined, errorDeclaration: ErrorDeclaration | undefined): bigint {
  if (eventID === undefined && errorDeclaration === undefined) return 0n;
  const declared = errorDeclaration === undefined ? null : inOneOrder(errorDeclaration);
  const number = sha256(JSON.stringify([eventID ?? null, declared])).readBigInt64BE();
  return ((number >> 1n) << 1n) + (eventID === undefined ? 0n : 1n);
}

/** As most documents write it, which is what earlier versions went by. */
const inOneOrder = ({ declarationTime, reason, correctiveEventIDs, extensions }: ErrorDeclaration): object => ({
  ...{ declarationTime, reason, correctiveEventIDs },
  ...(extensions && { extensions: fieldsText(extensions) }),
});

/** The hash of CBV 2.0 with this digest. */
export const hashWith = (digest: Uint8Array): string =>
  `ni:///sha-256;${Buffer.from(digest).toString('hex')}?ver=CBV2.0`;

/** The digest in a hash of CBV 2.0, undefined for any other text. */
export function digestOf(hash: string): Buffer | undefined {
  const hex = /^ni:\/\/\/sha-256;([0-9a-f]{64})\?ver=CBV2\.0$/.exec(hash)?.[1];
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}
