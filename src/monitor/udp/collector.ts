// The socket that the VMs' agents report to. It keeps the newest sample of each VM; whatever isn't a fresh, genuine
// report of this group is counted by its kind and changes nothing.
import { timingSafeEqual } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { MmeliotError } from '../../errors.ts';
import type { Address, Millis, Sample } from '../../model.ts';
import { decodeReport, MAX_REPORT_BYTES, type ParsedReport, type Sign } from '../load-report.ts';
import type { ReportSource } from '../monitor.ts';
import { signer } from './signer.ts';

export interface CollectorOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly group: string;
  /** The group's secret; empty: open, which is for loopback only. Of several, while it is changed, each is good; the list is another one then. */
  readonly secret: string | (() => readonly string[]);
  /** What a VM that does not know that secret signs with; undefined: that secret. */
  readonly keysOf?: (vm: string) => readonly string[] | undefined;
  /** False: nothing is heard, since it is not known yet which VMs there are. */
  readonly hears?: () => boolean;
  /** A report older than this by our clock, or further ahead, is refused: default 30 s. */
  readonly toleranceMs?: number;
  /** Most VMs that are remembered, so that an open collector can't be filled up: default 20,000. */
  readonly maxVms?: number;
  readonly now?: () => Millis;
  /** A VM said that it will be taken away, at another time, or not any more. */
  readonly onNotice?: () => void;
}

/** What arrived, by kind. */
export interface CollectorCounters {
  accepted: number;
  /** Not a load report of our version. */
  malformed: number;
  /** Of another group. */
  misdirected: number;
  /** The signature isn't made with the group's secret, or the VM's own key. */
  forged: number;
  /** Not newer than the newest report of its VM: sent again, or overtaken. */
  replayed: number;
  /** Its time is too far from ours: delayed, or the VM's clock is wrong. */
  late: number;
  /** More VMs than may be remembered. */
  overflow: number;
}

export interface Collector extends ReportSource {
  /** VMs that were heard, and when those that said so will be taken away. */
  notices(): ReadonlyMap<string, Millis | undefined>;
  readonly address: Address;
  readonly counters: Readonly<CollectorCounters>;
  /** When a report last came in the name of a VM that was not signed with the group's secret. */
  refused(): ReadonlyMap<string, Millis>;
  /** The last genuine report that was refused for its time, by how much that was ahead of ours (behind: negative). */
  apart(): { readonly vm: string; readonly ms: Millis; readonly at: Millis } | undefined;
  close(): Promise<void>;
}

interface Newest {
  readonly sequence: number;
  readonly sample: Sample;
  readonly receivedAt: Millis;
  readonly interruptAt?: Millis | undefined;
}

/** Room for a burst of thousands of reports; the kernel grants at most its own limit (net.core.rmem_max). */
const RECEIVE_BUFFER_BYTES = 8 * 1024 * 1024;

export async function startCollector(options: CollectorOptions): Promise<Collector> {
  const now = options.now ?? Date.now;
  const newest = new Map<string, Newest>();
  const counters: CollectorCounters = {
    accepted: 0,
    malformed: 0,
    misdirected: 0,
    forged: 0,
    replayed: 0,
    late: 0,
    overflow: 0,
  };
  let apart: ReturnType<Collector['apart']>;
  const refused = new Map<string, Millis>();
  const judge = judgeOf(options, newest);
  const socket = createSocket({ type: options.host.includes(':') ? 'udp6' : 'udp4' });
  socket.on('message', (datagram) => {
    if (options.hears?.() === false) return;
    const at = now();
    const report = datagram.length > MAX_REPORT_BYTES ? undefined : decodeReport(datagram.toString('latin1'));
    const kind = report === undefined ? 'malformed' : judge(report, at);
    counters[kind] += 1;
    if (kind === 'late' && report !== undefined) apart = { vm: report.vm, ms: report.sample.at - at, at };
    if (kind === 'forged' && report !== undefined) noteRefused(refused, report.vm, at);
    if (report === undefined || kind !== 'accepted') return;
    refused.delete(report.vm);
    // taken out and put in again, so that the first in the map is the one heard of longest ago
    const before = newest.get(report.vm);
    newest.delete(report.vm);
    const { sequence, sample, interruptAt } = report;
    newest.set(report.vm, { sequence, sample, receivedAt: at, interruptAt });
    if (before?.interruptAt !== interruptAt) options.onNotice?.();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, options)));
    socket.bind(options.port, options.host, resolve);
  });
  socket.removeAllListeners('error');
  // A later socket error concerns one datagram (say, an ICMP answer); the next one may be fine.
  socket.on('error', () => undefined);
  setReceiveBuffer(() => socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES));
  const { address, port } = socket.address();
  return {
    address: { host: address, port },
    counters,
    refused: () => refused,
    apart: () => apart,
    latest: (vm) => newest.get(vm),
    notices: () => new Map(Array.from(newest, ([vm, { interruptAt }]) => [vm, interruptAt])),
    forget: (vm) => newest.delete(vm),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** Anybody may send such reports, under any name: no more are remembered than help to find out. */
const MOST_REFUSED = 1_000;

function noteRefused(refused: Map<string, Millis>, vm: string, at: Millis): void {
  refused.delete(vm);
  const [oldest] = refused.keys();
  if (refused.size >= MOST_REFUSED && oldest !== undefined) refused.delete(oldest);
  refused.set(vm, at);
}

type Reception = Exclude<keyof CollectorCounters, 'malformed'>;

function judgeOf(options: CollectorOptions, newest: Map<string, Newest>) {
  const { toleranceMs = 30_000, maxVms = 20_000 } = options;
  const isGenuine = signatureCheck(options);
  return (report: ParsedReport, now: Millis): Reception => {
    if (report.group !== options.group) return 'misdirected';
    if (!isGenuine(report)) return 'forged';
    if (Math.abs(now - report.sample.at) > toleranceMs) return 'late';
    const last = newest.get(report.vm);
    if (last === undefined)
      return newest.size < maxVms || madeRoom(newest, now - toleranceMs) ? 'accepted' : 'overflow';
    // where our clock was set back, times of before say nothing of the order
    return isNewer(report, last) || last.receivedAt > now ? 'accepted' : 'replayed';
  };
}

/** A last report that arrived after its VM was forgotten stays behind; when room is needed, the most silent VM goes. */
function madeRoom(newest: Map<string, Newest>, silentSince: Millis): boolean {
  const [first] = newest;
  return first !== undefined && first[1].receivedAt < silentSince && newest.delete(first[0]);
}

/** The time decides, so that an agent that restarted may count from the beginning again. */
const isNewer = (report: ParsedReport, last: Newest): boolean =>
  report.sample.at > last.sample.at || (report.sample.at === last.sample.at && report.sequence > last.sequence);

function signatureCheck({ secret, keysOf }: CollectorOptions): (report: ParsedReport) => boolean {
  const always = [secret].filter((one) => typeof one === 'string');
  const secrets = typeof secret === 'string' ? () => always : secret;
  let known: readonly string[] | undefined;
  let ofGroup: (Sign | undefined)[] = [];
  return ({ vm, signature, signed }) => {
    const own = keysOf?.(vm);
    const now = secrets();
    if (now !== known) [known, ofGroup] = [now, now.map(signer)];
    const signers = own === undefined ? ofGroup : own.map(signer);
    return signers.some((sign) => sign === undefined || isSame(signature, sign(signed)));
  };
}

function isSame(signature: string, right: string): boolean {
  const [given, expected] = [Buffer.from(signature, 'latin1'), Buffer.from(right, 'latin1')];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function setReceiveBuffer(set: () => void): void {
  try {
    set();
  } catch {
    // the system's default size has to do
  }
}

function explained(error: NodeJS.ErrnoException, { host, port }: CollectorOptions): Error {
  if (error.code !== 'EADDRINUSE') return error;
  const message = `UDP port ${port} of ${host} (collector.port) is in use: stop what uses it, or choose another port.`;
  return new MmeliotError('PORT_TAKEN', message, { cause: error });
}
