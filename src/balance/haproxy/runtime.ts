// HAProxy's runtime API: one command, one answer, over its socket.
import { connect } from 'node:net';

const ANSWER_MS = 5_000;

/** It took the command, and said nothing. */
export class Silent extends Error {}

export function haproxyCommand(socketPath: string, command: string, answerMs = ANSWER_MS): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    let answer = '';
    socket.setEncoding('utf8').setTimeout(answerMs, () => socket.destroy(new Silent('HAProxy does not answer.')));
    socket.on('data', (text: string) => (answer += text));
    socket.on('error', reject);
    socket.on('end', () => resolve(answer.trim()));
    socket.end(`${command}\n`);
  });
}

/** One server of `show stat`, or the whole backend (`name` BACKEND). */
export interface ServerStat {
  readonly name: string;
  /** UP, DOWN, DRAIN, MAINT, ..., in HAProxy's words. */
  readonly status: string;
  readonly isUp: boolean;
  readonly inFlight: number;
  readonly queued: number;
  /** How many it takes at once. */
  readonly limit: number;
  readonly address: string;
  /** What its last check found. */
  readonly check: string;
  /** And that was no answer in time. */
  readonly checkIsLate: boolean;
  /** Share in per cent while it starts slowly; 100 after. */
  readonly throttle: number;
  /** Mean ms to the first byte of its last 1024 answers. */
  readonly responseTime: number;
  /** Of the whole backend: requests that ended with no answer counted. */
  readonly unanswered: number;
  /** Requests that were neither answered nor ended by their client or by an error that was counted: in flight, or gone. */
  readonly open: number;
}

/** The answer to `show stat`: comma-separated, named in its first line. */
export function parseStat(text: string): ServerStat[] {
  const [head = '', ...lines] = text.replace(/^# /, '').split('\n');
  const names = head.split(',');
  const column = (name: string) => names.indexOf(name);
  const [name, status, current, queue] = [column('svname'), column('status'), column('scur'), column('qcur')];
  const limit = column('slim');
  const [address, check] = [column('addr'), column('last_chk')];
  const [throttle, responseTime] = [column('throttle'), column('rtime')];
  const answers = names.flatMap((one, i) => (one.startsWith('hrsp_') ? [i] : []));
  const requests = column('stot');
  const explained = [...answers, column('cli_abrt'), column('eresp')];
  const checkStatus = column('check_status');
  return lines.filter(Boolean).map((line) => {
    const cells = line.split(',');
    const sum = (columns: readonly number[]) => columns.reduce((all, i) => all + Number(cells[i] ?? 0), 0);
    const started = sum([requests]);
    return {
      name: cells[name] ?? '',
      status: cells[status] ?? '',
      isUp: /^(UP|no check)/.test(cells[status] ?? ''),
      inFlight: Number(cells[current] ?? 0),
      queued: Number(cells[queue] ?? 0),
      limit: Number(cells[limit] ?? 0),
      address: cells[address] ?? '',
      check: cells[check] ?? '',
      checkIsLate: /TOUT$/.test(cells[checkStatus] ?? ''),
      throttle: Number(cells[throttle] || 100),
      responseTime: Number(cells[responseTime] ?? 0),
      unanswered: started - sum([current]) - sum(answers),
      open: started - sum(explained),
    };
  });
}

const NOTHING = { inFlight: 0, queued: 0, unanswered: 0 };

/** All servers together. */
export const backendOf = (stats: readonly ServerStat[]): Pick<ServerStat, keyof typeof NOTHING> =>
  stats.find(({ name }) => name === 'BACKEND') ?? NOTHING;

/** The answer to `show stat` of frontends and backends: clients' connections, and requests at or before VMs. */
export function parseInUse(text: string): { connections: number; requests: number } {
  const stats = parseStat(text);
  const sum = (name: string, of: (one: ServerStat) => number) =>
    stats.filter((one) => one.name === name).reduce((all, one) => all + of(one), 0);
  return {
    connections: sum('FRONTEND', ({ inFlight }) => inFlight),
    requests: sum('BACKEND', ({ inFlight, queued }) => inFlight + queued),
  };
}
