// One load report: a line of plain text in one UDP datagram, so that a shell script can send it, too.
//
//   mmeliot1 <group> <vm> <sequence> <time> <cpu> <memory> <in> <out> <signature>
//
// time in ms since the epoch, cpu and memory in per cent of what the VM may use, in and out in bytes a second. The
// signature is the HMAC-SHA-256 of everything before the last space, in hexadecimal, or `-` for an open group:
//
//   text="mmeliot1 $GROUP $VM $SEQUENCE $(date +%s%3N) $CPU $MEMORY $IN $OUT"
//   signature=$(printf %s "$text" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)
//   printf '%s %s' "$text" "$signature" > "/dev/udp/$COLLECTOR_HOST/$COLLECTOR_PORT"
//
// Worked: `mmeliot1 shop vm-3 17 1700000000000 42.5 61 1200 88000 -` is VM vm-3 of group shop at 42.5 % CPU.
import type { Sample } from '../model.ts';

export interface LoadReport {
  readonly group: string;
  readonly vm: string;
  /** Counts up from any number; with the time it tells a new report from a repeated one. */
  readonly sequence: number;
  readonly sample: Sample;
}

/** HMAC-SHA-256 with the group's secret, in hexadecimal. Injected, since pure code has no crypto. */
export type Sign = (text: string) => string;

const VERSION = 'mmeliot1';
const FIELDS = 10;
/** Longer than any honest report: what is longer isn't even looked at. */
export const MAX_REPORT_BYTES = 512;
const NAME = /^[A-Za-z0-9._:-]{1,100}$/;
const NUMBER = /^\d{1,15}(\.\d{1,9})?$/;

/** Without `sign` the group is open. */
export function encodeReport(report: LoadReport, sign?: Sign): string {
  const { at, cpu, memory, networkIn, networkOut } = report.sample;
  const numbers = [report.sequence, at, cpu, memory, networkIn, networkOut].map((value) => String(rounded(value)));
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
  if (fields.length !== FIELDS || version !== VERSION || signature === undefined) return undefined;
  if (!NAME.test(group ?? '') || !NAME.test(vm ?? '') || !rest.every((field) => NUMBER.test(field))) return undefined;
  const [sequence = 0, at = 0, cpu = 0, memory = 0, networkIn = 0, networkOut = 0] = rest.map(Number);
  if (!Number.isSafeInteger(sequence) || !Number.isSafeInteger(at) || cpu > 100 || memory > 100) return undefined;
  return {
    group: group ?? '',
    vm: vm ?? '',
    sequence,
    sample: { at, cpu, memory, networkIn, networkOut },
    signature,
    signed: line.slice(0, line.lastIndexOf(` ${signature}`)),
  };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
