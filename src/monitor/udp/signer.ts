// The signature of load reports: HMAC-SHA-256 with the group's secret.
import { createHmac, createSecretKey } from 'node:crypto';
import type { Sign } from '../load-report.ts';

/** Undefined for an open group (an empty secret). */
export function signer(secret: string): Sign | undefined {
  if (secret === '') return undefined;
  const key = createSecretKey(secret, 'utf8');
  return (text) => createHmac('sha256', key).update(text, 'latin1').digest('hex');
}
