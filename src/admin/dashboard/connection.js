// @ts-check
// The connection to the manager: what it sends, whether it still does, and changes on their way to it.
import { useEffect, useRef, useState } from 'preact/hooks';

/** @import { Visitor } from '../logins.ts' */
/** @import { SettingView } from '../settings-view.ts' */
/** @import { ShownPeriod, ManagerView } from '../../loop/view.ts' */
/** @import { ShownPoint } from '../../loop/past.ts' */
/** @import { VmPage } from '../../loop/vm-view.ts' */
/** @import { Preview } from '../../loop/preview.ts' */
/** @import { Range } from './past.js' */

/** Longer than this without news, ms, and the connection counts as lost: the state comes every second. */
const SILENCE = 5000;
const RETRY = 1500;
const MOST_PERIODS = 360;

/** @param {string} path @param {RequestInit} [init] */
async function ask(path, init = {}) {
  const response = await fetch(`api/${path}`, init);
  if (response.ok) return response;
  const text = await response.text();
  let message = `The manager answered with status ${response.status}.`;
  try {
    message = JSON.parse(text).error.message;
  } catch {
    // not from the manager itself: a proxy's page, say
  }
  throw Object.assign(new Error(message), { status: response.status });
}

/** @returns {Promise<Visitor>} */
export async function readVisitor() {
  return (await ask('session')).json();
}

export async function logOut() {
  await ask('session', { method: 'DELETE' });
  location.reload();
}

/** Whose VMs it is about, where the group has roles. @typedef {'query' | 'work' | undefined} Role */

/** @param {Role} role */
const of = (role) => (role === 'work' ? 'roles/work/' : '');

/** Of a policy that is thought of, too. @param {Role} role @param {string} policy @returns {Promise<SettingView[]>} */
export async function readSettings(role, policy) {
  return (await ask(`${of(role)}settings?policy=${encodeURIComponent(policy)}`)).json();
}

/** @param {Role} role @param {Range} range @returns {Promise<{ points: ShownPoint[] }>} */
export async function readHistory(role, range) {
  return (await ask(`${of(role)}history?${new URLSearchParams(spanOf(range))}`)).json();
}

/** @param {Range} range @returns {string[][]} */
const spanOf = (range) =>
  'span' in range
    ? [['span', range.span]]
    : [
        ['from', whole(range.from)],
        ['until', whole(range.until)],
      ];
const whole = (/** @type {number} */ at) => `${Math.max(0, Math.round(at))}`;

/** @param {string} id @returns {Promise<VmPage>} */
export async function readVm(id) {
  return (await ask(`vms/${encodeURIComponent(id)}`)).json();
}

/** @param {Role} role @param {Record<string, unknown>} changes @param {Range} range @returns {Promise<Preview>} */
export async function readPreview(role, changes, range) {
  const set = Object.entries(changes).map(([name, value]) => ['set', `${name}=${JSON.stringify(value)}`]);
  return (await ask(`${of(role)}preview?${new URLSearchParams([...set, ...spanOf(range)])}`)).json();
}

/** @param {string} path @param {object} [body] */
async function tell(path, body) {
  const headers = { 'x-mmeliot-by': 'admin page', ...(body && { 'content-type': 'application/json' }) };
  return (await ask(path, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) })).json();
}

/** @typedef {'keep' | 'release' | 'drain' | 'replace'} Deed */

/** @param {string} id @param {Deed} what */
export const tellVm = (id, what) => tell(`vms/${encodeURIComponent(id)}/${what}`);

/** @param {Role} role */
export const addVm = (role) => tell(`${of(role)}vms`, { count: 1 });

/** @param {string} problem */
export const acknowledge = (problem) => tell('problems/acknowledge', { problem });

/** Takes a change of the settings back, if it still is the last one. @param {Role} role @param {number} at @returns {Promise<{ warnings: string[] }>} */
export const undoParameters = (role, at) => tell(`${of(role)}parameters/undo`, { at });

/** @param {Role} role @param {Record<string, unknown>} changes */
export async function changeParameters(role, changes) {
  const response = await ask(`${of(role)}parameters`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-mmeliot-by': 'admin page' },
    body: JSON.stringify(changes),
  });
  return response.json();
}

/**
 * Reads server-sent events by fetch, as EventSource doesn't tell why it was refused.
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => void} onEvent
 */
async function readEvents(signal, onEvent) {
  const response = await ask('events', { signal });
  const reader = /** @type {ReadableStream} */ (response.body).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, name] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (name && data) onEvent(name, JSON.parse(data));
    }
  }
}

/**
 * `status`: connecting, live, lost (with `since`), or locked (a token is needed).
 */
export function useManager() {
  const [state, setState] = useState(/** @type {ManagerView | undefined} */ (undefined));
  const [periods, setPeriods] = useState(/** @type {ShownPeriod[]} */ ([]));
  const [connection, setConnection] = useState({ status: 'connecting', since: Date.now(), message: '' });
  const restart = useRef(() => {});

  useEffect(() => {
    let stopped = false;
    let attempt = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let silence;
    /** @type {typeof silence} */
    let retry;
    const lost = () =>
      setConnection((before) =>
        before.status === 'lost' ? before : { status: 'lost', since: Date.now(), message: '' },
      );

    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => attempt.abort(), SILENCE);
    };
    /** A period that is known comes again when its steps are done. @param {ShownPeriod} period */
    const add = (period) =>
      setPeriods((known) => {
        const place = known.findIndex(({ at }) => at >= period.at);
        if (place === -1) return [...known, period].slice(-MOST_PERIODS);
        return known.toSpliced(place, known[place].at === period.at ? 1 : 0, period);
      });

    const connect = async () => {
      attempt = new AbortController();
      heard();
      try {
        await readEvents(attempt.signal, (name, data) => {
          heard();
          if (name === 'history') return setPeriods(data);
          if (name === 'period') return add(data);
          setState(data);
          setConnection((before) =>
            before.status === 'live' ? before : { status: 'live', since: Date.now(), message: '' },
          );
        });
        lost();
      } catch (error) {
        if (error.status === 401) {
          clearTimeout(silence);
          return setConnection({ status: 'locked', since: Date.now(), message: '' });
        }
        lost();
      }
      clearTimeout(silence);
      if (!stopped) retry = setTimeout(connect, RETRY);
    };
    restart.current = connect;
    connect();
    return () => {
      stopped = true;
      clearTimeout(retry);
      clearTimeout(silence);
      attempt.abort();
    };
  }, []);

  /** Begins a session, which the browser keeps: no script sees what names it. @param {string} token */
  const unlock = async (token) => {
    try {
      await ask('session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
    } catch (error) {
      const message = error.status === 401 ? 'The manager does not accept this token.' : error.message;
      return setConnection({ status: 'locked', since: Date.now(), message });
    }
    setConnection({ status: 'connecting', since: Date.now(), message: '' });
    restart.current();
  };
  return { state, periods, connection, unlock };
}
