// HAProxy's log stream: a line says what became of one request. What HAProxy is told to write, and how that is read.
import type { LossCause } from '../../core/counters.ts';

/** Of a request's line, behind its mark: the fields that LINE reads. */
export const LOG_FORMAT = '%s %ST %TR %Tw %Ta %ts %rc %[var(txn.class)] %[var(txn.fault)] %Tr %sc';

/** Bytes of a line. */
export const LONGEST_LINE = 2_048;

/**
 * A line costs HAProxy a sixth of a request. Above these rates only one answer in so many is logged, and stands for as many; the
 * level of a line says which. Errors are all logged.
 */
const SAMPLING = [
  { abovePerSecond: 1_000, oneIn: 8, level: 'notice' },
  { abovePerSecond: 4_000, oneIn: 32, level: 'warning' },
  { abovePerSecond: 16_000, oneIn: 128, level: 'err' },
] as const;

/** The level tells the rate at which the line was chosen; then most lines are left out. (An error stands for itself.) */
export function sampling(): string {
  const levels = SAMPLING.map(
    ({ abovePerSecond, level }) => `http-response set-log-level ${level} if { fe_req_rate gt ${abovePerSecond} }`,
  );
  const silences = SAMPLING.map(({ abovePerSecond, oneIn }, i) => {
    const most = SAMPLING[i + 1]?.abovePerSecond;
    const upTo = most === undefined ? '' : `{ fe_req_rate le ${most} } `;
    const inVain = `!{ rand(${oneIn}) eq 0 } { status lt 500 }`;
    return `http-response set-log-level silent if ${upTo}{ fe_req_rate gt ${abovePerSecond} } ${inVain}`;
  });
  return [...levels, ...silences].map((line) => `  ${line}`).join('\n');
}

export interface HaproxyRequest {
  /** The VM; undefined: none took it. */
  readonly vm: string | undefined;
  readonly status: number;
  readonly queueMs: number;
  /** From choosing the VM to the last byte. */
  readonly serviceMs: number;
  /** To the first byte of its answer, without the client's part. */
  readonly vmMs: number;
  /** How many requests were at the VM when this ended, itself included. */
  readonly atVm: number;
  readonly retries: number;
  readonly level: number;
  /** How many requests it stands for: at high rates not all are logged. */
  readonly standsFor: number;
  /** Undefined: it was answered. `malformed`: it was no request. */
  readonly lost: LossCause | 'malformed' | undefined;
  /** What speaks against the VM. */
  readonly blames: Blame | undefined;
  /** The VM said that what all VMs stand on is away. */
  readonly isOfAllVms: boolean;
}

/** It broke off, its answer was no HTTP, or was an error of its own. */
export type Blame = 'broken' | 'nonsense' | 'errors';

const LINE =
  // eslint-disable-next-line regexp/no-super-linear-backtracking -- by the square of a line's length, and LONGEST_LINE bounds that
  /^<(\d)>(\S+) (\S+) (-?\d+) (-?\d+) (-?\d+) \+?(-?\d+) (\S+) \+?(\d+) (\d*)-? ?(1?)-? ?(?:(-?\d+) (\d+))?\s*$/;

/** Syslog's numbers of the levels. A line below all these rates has 6 (information). */
const NUMBERS = { err: '3', warning: '4', notice: '5' };
const STANDS_FOR = new Map(SAMPLING.map(({ level, oneIn }) => [NUMBERS[level], oneIn]));

/** Undefined for what is not about a request (HAProxy also logs what happens to servers), and what has another mark: HAProxy did not send it. */
export function parseLogLine(line: string, logMark: string): HaproxyRequest | undefined {
  const isOfHaproxy = line.length <= LONGEST_LINE && line.startsWith(`${logMark} `, '<6>'.length);
  const match = isOfHaproxy ? LINE.exec(line) : null;
  if (match === null) return undefined;
  const [, priority = '', , server = '', status, request, queue, active, ended = '', retries, level, fault] = match;
  const [vmMs, atVm] = match.slice(12);
  const vm = server.startsWith('<') ? undefined : server;
  const waited = Math.max(0, Number(queue));
  return {
    vm,
    status: Number(status),
    queueMs: waited,
    // total − time to receive the request − time in the queue; e.g. 25 − 1 − 4 = 20 ms
    serviceMs: Math.max(0, Number(active) - Math.max(0, Number(request)) - waited),
    vmMs: Math.max(0, Number(vmMs ?? 0)),
    atVm: Number(atVm ?? 0) + 1,
    retries: Number(retries),
    level: Number(level || 0),
    standsFor: Number(status) >= 500 ? 1 : (STANDS_FOR.get(priority) ?? 1),
    lost: lossOf(Number(status), ended, vm, fault === '1'),
    blames: blameOf(Number(status), ended, fault === '1'),
    isOfAllVms: status === '503' && fault === '1',
  };
}

/** The request was for a tunnel (WebSocket), and is answered: how that ends is up to both its ends. */
const TUNNEL = 101;

/** From HAProxy's termination state: who ended the session, and in which of its phases. */
function lossOf(status: number, ended: string, vm: string | undefined, isFault: boolean): HaproxyRequest['lost'] {
  const [by = '-', phase = '-'] = ended;
  if (status === TUNNEL) return undefined;
  // L: answered by HAProxy itself, as told to when there is no VM
  if (by === 'L') return 'deadline';
  // T: refused, and answered later
  if (phase === 'R' || phase === 'T') return 'malformed';
  if (by === 'C' || by === 'c') return 'client-gone';
  if (phase === 'Q') return 'deadline';
  if (by === 's') return phase === 'D' ? 'cut' : 'timeout';
  if (by === 'S' || by === 'K') return phase === 'D' || phase === 'L' ? 'cut' : 'vm-failed';
  if (by === 'P' && vm !== undefined) return phase === 'D' ? 'cut' : 'vm-failed';
  if (vm === undefined && status === 503) return 'deadline';
  if (status === 503 && isFault) return 'repository';
  return status >= 500 ? 'error-answer' : undefined;
}

/**
 * S: the server ended it, P: HAProxy did, as the answer was none; after the connection was made (not C). A SOAP fault answers what was
 * asked, and a repository that is away is no VM's fault.
 */
function blameOf(status: number, [by = '-', phase = '-']: string, isFault: boolean): Blame | undefined {
  if (status === TUNNEL) return undefined;
  const inAnswer = phase === 'H' || phase === 'D' || phase === 'L';
  if (by === 'S' && inAnswer) return 'broken';
  if (by === 'P' && inAnswer) return 'nonsense';
  return by === '-' && !isFault && (status > 501 || status === 500) ? 'errors' : undefined;
}
