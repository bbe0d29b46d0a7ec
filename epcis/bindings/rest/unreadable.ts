// What a client is given of where an event stands, so that it cannot read it: rows have numbers in the order of capture, and two of them
// would tell how many events of others were captured between.
import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto';

/** No place that can be read begins so: those were given out before. */
const MARK = '~';
const IV_BYTES = 16;

/** Of a place within a page token, which is signed. */
export function unreadable(place: string, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-ctr', keyOf(secret), iv);
  return MARK + Buffer.concat([iv, cipher.update(place, 'utf8'), cipher.final()]).toString('base64url');
}

/** The place that was made so, or one that never was. */
export function readable(text: string, secret: string): string {
  if (!text.startsWith(MARK)) return text;
  const bytes = Buffer.from(text.slice(MARK.length), 'base64url');
  const decipher = createDecipheriv('aes-256-ctr', keyOf(secret), bytes.subarray(0, IV_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]).toString();
}

/** Tells a row from others, and is the same each time. */
export const rowName = (id: string, secret: string): string =>
  createHmac('sha256', `${secret} row`).update(id).digest('base64url').slice(0, 22);

const keyOf = (secret: string): Buffer => hash('sha256', `${secret} place`, 'buffer');
