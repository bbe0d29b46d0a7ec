// The VM's side: what an instance learns of itself from its metadata service, version 2 (with a token).
import type { Millis } from '../src/model.ts';

export interface Metadata {
  instanceId(): Promise<string>;
  /** When EC2 will take this instance; undefined: there is no notice. */
  notice(): Promise<Millis | undefined>;
}

const TOKEN_S = 21_600;
/** It is on the machine itself, so to speak. */
const PATIENCE_MS = 2_000;

export function createMetadata(url: string): Metadata {
  let token: string | undefined;

  const ask = (path: string, init: RequestInit): Promise<Response> =>
    fetch(`${url.replace(/\/$/, '')}${path}`, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });

  async function newToken(): Promise<string> {
    const headers = { 'X-aws-ec2-metadata-token-ttl-seconds': String(TOKEN_S) };
    const answer = await ask('/latest/api/token', { method: 'PUT', headers });
    if (!answer.ok) throw new Error(`The metadata service gives no token (${answer.status}).`);
    return answer.text();
  }

  /** Undefined: there is no such document. A token that is no longer taken is replaced, once. */
  async function read(path: string): Promise<string | undefined> {
    for (const last of [false, true]) {
      token ??= await newToken();
      const answer = await ask(`/latest/meta-data/${path}`, { headers: { 'X-aws-ec2-metadata-token': token } });
      const text = await answer.text();
      if (answer.ok) return text;
      if (answer.status === 404) return undefined;
      if (answer.status !== 401 || last) throw new Error(`The metadata service answers ${answer.status}.`);
      token = undefined;
    }
    return undefined;
  }

  return {
    async instanceId() {
      const id = await read('instance-id');
      if (id === undefined) throw new Error('The metadata service knows no instance-id.');
      return id;
    },
    async notice() {
      const text = await read('spot/instance-action');
      return text === undefined ? undefined : noticeIn(text);
    },
  };
}

/** Looks for a notice again and again; a look that fails changes nothing. */
export function watchNotice(metadata: Metadata, everyMs: Millis) {
  let noticeAt: Millis | undefined;
  const timer = setInterval(() => {
    metadata.notice().then(
      (at) => (noticeAt = at),
      () => undefined,
    );
  }, everyMs);
  timer.unref();
  return { noticeAt: () => noticeAt, stop: () => clearInterval(timer) };
}

/** `{"action": "terminate", "time": "2017-09-18T08:22:00Z"}`; hibernation begins at once and has no time. */
function noticeIn(text: string): Millis | undefined {
  const { time } = JSON.parse(text) as { readonly time?: string };
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? undefined : at;
}
