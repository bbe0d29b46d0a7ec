// One load report: a line of plain text in one UDP datagram, so that a shell script can send it, too.
//
//   mmeliot1 <group> <vm> <sequence> <time> <cpu> <memory> <in> <out> [<taken>] <signature>
//
// time in ms since the epoch, cpu and memory in per cent of what the VM may use, in and out in bytes a second; taken is
// there only while the cloud has given notice that it takes this VM away: then, in ms since the epoch. The
// signature is the HMAC-SHA-256 of everything before the last space, in hexadecimal, or `-` for an open group:
//
//   text="mmeliot1 $GROUP $VM $SEQUENCE $(date +%s%3N) $CPU $MEMORY $IN $OUT"
//   signature=$(printf %s "$text" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)
//   printf '%s %s' "$text" "$signature" > "/dev/udp/$COLLECTOR_HOST/$COLLECTOR_PORT"
//
// Worked: `mmeliot1 shop vm-3 17 1700000000000 42.5 61 1200 88000 -` is VM vm-3 of group shop at 42.5 % CPU.
import type { Millis, Sample } from '../model.ts';

export interface LoadReport {
  readonly group: string;
  readonly vm: string;
  /** Counts up from any number; with the time it tells a new report from a repeated one. */
  readonly sequence: number;
  readonly sample: Sample;
  /** The VM has heard that the cloud takes it away then. */
  readonly interruptAt?: Millis;
}

/** HMAC-SHA-256 with the group's secret, in hexadecimal. Injected, since pure code has no crypto. */
export type Sign = (text: string) => string;

const VERSION = 'mmeliot1';
const FIELDS: ReadonlySet<number> = new Set([10, 11]);
/** Longer than any honest report: what is longer isn't even looked at. */
export const MAX_REPORT_BYTES = 512;
const NAME = /^[A-Za-z0-9._:-]{1,100}$/;
const NUMBER = /^\d{1,15}(\.\d{1,9})?$/;

/** Without `sign` the group is open. */
export function encodeReport(report: LoadReport, sign?: Sign): string {
  const { at, cpu, memory, networkIn, networkOut } = report.sample;
  const taken = report.interruptAt === undefined ? [] : [report.interruptAt];
  const numbers = [report.sequence, at, cpu, memory, networkIn, networkOut, ...taken].map((value) =>
    String(rounded(value)),
  );
  const text = [VERSION, report.group, report.vm, ...numbers].join(' ');
  return `${text} ${sign === undefined ? '-' : sign(text)}`;
}

export interface ParsedReport extends LoadReport {
  readonly signature: string;
  /** What the signature is of. */
  readonly signed: string;
}

/** Undefined when the line isn't a load report in every detail. */
export function decodeReport(line: string): ParsedReport | undefined {
  const fields = line.trimEnd().split(' ');
  const [version, group, vm, ...rest] = fields;
  const signature = rest.pop();
  if (!FIELDS.has(fields.length) || version !== VERSION || signature === undefined) return undefined;
  if (!NAME.test(group ?? '') || !NAME.test(vm ?? '') || !rest.every((field) => NUMBER.test(field))) return undefined;
  const [sequence = 0, at = 0, cpu = 0, memory = 0, networkIn = 0, networkOut = 0, interruptAt] = rest.map(Number);
  if (![sequence, at, interruptAt ?? 0].every(Number.isSafeInteger) || cpu > 100 || memory > 100) return undefined;
  return {
    group: group ?? '',
    vm: vm ?? '',
    sequence,
    sample: { at, cpu, memory, networkIn, networkOut },
    ...(interruptAt !== undefined && { interruptAt }),
    signature,
    signed: line.slice(0, line.lastIndexOf(` ${signature}`)),
  };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
