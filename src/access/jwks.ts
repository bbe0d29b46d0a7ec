// The public keys of an issuer of tokens, from a URL or a file. What was had last stays good for a while when there is nothing to be had,
// or nothing that can be read: an issuer that is away for some minutes shuts nobody out.
import { statSync } from 'node:fs';
import { createLocalJWKSet, errors } from 'jose';
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { readWhole } from '../../epcis/files/read-whole.ts';

const FETCH_MS = 5_000;
const FETCH_AGAIN_MS = 600_000;
/** While there are none they are asked for this often. */
const NONE_MS = 2_000;
/** An issuer that drops a key must be able to rely on it that it is dropped. */
const GOOD_FOR_MS = 3_600_000;
/** A hundred keys are a tenth of that. */
const MOST_BYTES = 2 ** 20;

/** The keys cannot be had. */
export class NoKeys extends Error {}

export type IssuerKeys = (now: number) => JWTVerifyGetKey;

/** `cooldownMs`: an unknown key, or an issuer that does not answer, makes them be asked for again, but not more often than this. */
export const keysOf = (jwks: string, cooldownMs: number): IssuerKeys =>
  /^https?:/.test(jwks) ? fetched(jwks, cooldownMs) : inFile(jwks);

/** Read again when it has changed. One that is just being written, or is away for a moment, leaves what was in it. */
function inFile(path: string): IssuerKeys {
  let seen = '';
  let readAt = -Infinity;
  let keys: JWTVerifyGetKey | undefined;
  return (now) => (header, token) => {
    try {
      const { mtimeMs, size, ino } = statSync(path);
      const version = `${mtimeMs} ${size} ${ino}`;
      if (version !== seen) keys = readKeys(readWhole(path, { waitMs: 0, mostBytes: MOST_BYTES }).toString());
      seen = version;
      readAt = now;
    } catch (error) {
      if (keys === undefined || Math.abs(now - readAt) > GOOD_FOR_MS) throw new NoKeys(path, { cause: error });
    }
    return (keys as JWTVerifyGetKey)(header, token);
  };
}

function fetched(url: string, cooldownMs: number): IssuerKeys {
  let keys: JWTVerifyGetKey | undefined;
  let fetchedAt = -Infinity;
  let askedAt = -Infinity;
  let asking: Promise<void> | undefined;
  /** All who ask meanwhile wait for the same answer; it may be none. */
  const ask = (now: number): Promise<void> => {
    askedAt = now;
    asking ??= fetchKeys(url)
      .then(
        (got) => {
          keys = got;
          fetchedAt = now;
        },
        () => undefined,
      )
      .finally(() => (asking = undefined));
    return asking;
  };
  return (now) => async (header, token) => {
    // by a clock that was set back they are old, too
    const age = () => Math.abs(now - fetchedAt);
    const mayAsk = () => asking !== undefined || Math.abs(now - askedAt) >= (keys === undefined ? NONE_MS : cooldownMs);
    if (age() > GOOD_FOR_MS) keys = undefined;
    if (age() > FETCH_AGAIN_MS && mayAsk()) await ask(now);
    if (keys === undefined) throw new NoKeys(url);
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayAsk()) throw error;
      await ask(now);
      return keys(header, token);
    }
  };
}

async function fetchKeys(url: string): Promise<JWTVerifyGetKey> {
  const signal = AbortSignal.timeout(FETCH_MS);
  // elsewhere somebody else may answer
  const answer = await fetch(url, { redirect: 'manual', signal, headers: { accept: 'application/json' } });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    throw new Error(`It answers ${answer.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error('It is too large.');
    chunks.push(chunk);
  }
  return readKeys(Buffer.concat(chunks).toString('utf8'));
}

const readKeys = (text: string): JWTVerifyGetKey => createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
