// A certificate and its key, read from files and read again when they change. What can't be used is told, and what was before
// stays in use: a renewal that went wrong halfway stops nobody.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import { readWhole, whyUnreadable } from '../../epcis/files/read-whole.ts';
import type { TlsFiles } from '../settings/tls.ts';

export interface Pair {
  /** PEM, those between it and the root included. */
  readonly cert: string;
  readonly key: string;
  /** Roots of clients' certificates. */
  readonly ca?: string;
}

/** Whether it changed is looked at so often. */
const LOOK_MS = 2_000;

/** What a server of Node's is told. A client may show a certificate; whether it is good for anything is seen later. */
export const contextOf = (
  pair: Pair,
): SecureContextOptions & { requestCert: boolean; rejectUnauthorized: boolean } => ({
  ...pair,
  minVersion: OLDEST_TLS,
  requestCert: pair.ca !== undefined,
  rejectUnauthorized: false,
});

/** TLS 1.0 and 1.1 are off. */
const OLDEST_TLS = 'TLSv1.2' satisfies SecureContextOptions['minVersion'];

/** Throws with a sentence for the operator where they can't be used. */
export function readPair({ certificate, key, clientCa = '' }: TlsFiles): Pair {
  const pair = { cert: read(certificate), key: read(key), ...(clientCa !== '' && { ca: read(clientCa) }) };
  const first = parsed(certificate, () => new X509Certificate(pair.cert));
  const own = parsed(key, () => createPrivateKey(pair.key));
  if (!first.checkPrivateKey(own))
    throw new Error(`The key in ${key} is not that of the certificate in ${certificate}.`);
  return pair;
}

function read(file: string): string {
  try {
    return readWhole(file).toString();
  } catch (error) {
    throw new Error(`${file} ${whyUnreadable(error)}.`, { cause: error });
  }
}

function parsed<T>(file: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${file} holds nothing of the kind in PEM.`, { cause: error });
  }
}

/** Calls `onChange` with each new pair that can be used; returns what ends that. */
export function watchPair(
  files: TlsFiles,
  onChange: (pair: Pair) => unknown,
  onProblem: (problem: Error) => void,
): () => void {
  let seen = stateOf(files);
  const timer = setInterval(() => {
    const now = stateOf(files);
    if (now === seen) return;
    seen = now;
    try {
      onChange(readPair(files));
    } catch (error) {
      onProblem(error as Error);
    }
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** When they were changed last; a file that is being replaced may be missing for a moment. */
const stateOf = ({ certificate, key, clientCa = '' }: TlsFiles): string =>
  [certificate, key, clientCa]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stat) => `${stat?.mtimeMs} ${stat?.ino} ${stat?.size}`)
    .join();
