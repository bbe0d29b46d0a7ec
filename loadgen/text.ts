// What a load and a data set came to, as text for a terminal.
import type { LoadSummary } from './cli.ts';
import type { GroupSummary, Latency } from './recorder.ts';
import type { Progress } from './runner.ts';
import type { SeedSummary } from './seed.ts';

/** One line, a second's news: "0:35 of 2:00  load 18  17 ok/s  p95 41 ms  3 open  0 lost  vm-1 60 %, vm-2 40 %" */
export function progressLine(progress: Progress): string {
  const { elapsed, duration, load, ok, latency, open, totalLost, vms } = progress;
  const named = Object.values(vms).reduce((sum, count) => sum + count, 0);
  return [
    `${clock(Math.min(elapsed, duration))} of ${clock(duration)}`,
    `load ${Math.round(load)}`,
    `${ok} ok/s`,
    `p95 ${milliseconds(latency.p95)}`,
    `${open} open`,
    `${totalLost} lost`,
    Object.entries(vms)
      .map(([vm, count]) => `${vm} ${Math.round((100 * count) / named)} %`)
      .join(', '),
  ]
    .join('  ')
    .trimEnd();
}

/** What came out, some 20 lines. */
export function summaryText(summary: LoadSummary): string {
  const { profile, drive, max, sent, ok, lost, stopped, elapsed, latency, lossByCause, saidByCause, classes, vms } =
    summary;
  const seconds = elapsed / 1000;
  const ended = ok + lost;
  const causes = Object.entries(lossByCause).map(([cause, count]) => `${cause}: ${count}`);
  return [
    `${profile} to ${max}, ${driveText(drive)}, ${clock(elapsed)}`,
    '',
    `requests   ${sent} sent, ${ok} answered (${(ok / seconds).toFixed(1)} a second)${stopped > 0 ? `, ${stopped} cut off at the end` : ''}`,
    `lost       ${lost}${ended > 0 ? ` (${((100 * lost) / ended).toFixed(2)} %)` : ''}${causes.length > 0 ? `: ${causes.join(', ')}` : ''}`,
    ...Object.entries(saidByCause).map(([cause, said]) => `           ${cause} says: ${said}`),
    `latency    ${latencyText(latency)}`,
    ...groups('by class', classes),
    ...groups('by VM', vms),
    ...(summary.bottleneck === undefined ? [] : ['', `The generator was the bottleneck: ${summary.bottleneck}`]),
  ].join('\n');
}

/** One line: what the seed command did. */
export function seedText({ events, captured, repeated, elapsed }: SeedSummary): string {
  const rate = Math.round(captured / Math.max(0.001, elapsed / 1000));
  const again = repeated > 0 ? `, ${repeated} documents sent again` : '';
  return `${captured} of ${events} events captured in ${clock(elapsed)} (${rate} a second)${again}`;
}

function driveText(drive: LoadSummary['drive']): string {
  if (drive.kind === 'bursts') return `a burst every ${drive.step} ms`;
  if (drive.kind === 'batch') return `a batch every ${drive.step} ms, after the last one's answers`;
  if (drive.kind === 'closed') return `clients thinking ${drive.thinkTime} ms`;
  return drive.arrivals === 'even' ? 'evenly spaced arrivals' : 'Poisson arrivals';
}

function groups(title: string, of: Readonly<Record<string, GroupSummary>>): string[] {
  const names = Object.keys(of);
  if (names.length === 0) return [];
  const width = Math.max(...names.map((name) => name.length));
  const line = ([name, { ok, lost, latency }]: [string, GroupSummary]): string =>
    `  ${name.padEnd(width)}  ${String(ok).padStart(7)} ok  ${String(lost).padStart(5)} lost  ${latencyText(latency)}`;
  return ['', title, ...Object.entries(of).map(line)];
}

const latencyText = ({ mean, p50, p95, p99, max }: Latency): string =>
  `mean ${milliseconds(mean)}  p50 ${milliseconds(p50)}  p95 ${milliseconds(p95)}  p99 ${milliseconds(p99)}  max ${milliseconds(max)}`;

/** Three figures are enough: 0.42 ms, 8.1 ms, 337 ms, 2.5 s. */
export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return `${value.toFixed(value >= 100 || value === 0 ? 0 : value >= 1 ? 1 : 2)} ms`;
}

/** 0:35, 2:00 */
export function clock(value: number): string {
  const seconds = Math.round(value / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number): string => String(part).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

export interface Rise {
  /** ms in which the load rises, and to what so many VMs answer. */
  readonly duration: number;
  readonly vms: number;
  /** Of the fleet, ms: its period, and a VM's boot; and how many periods a new VM is no evidence for. */
  readonly period: number;
  readonly boot: number;
  readonly warmup: number;
}

/**
 * Says so where a load rises faster than a fleet follows: to 3.2 VMs' worth in a minute, a VM's worth every 19 s, while decisions
 * come every 10 s, a VM boots in 7 s and is no evidence for two periods, and one period is not enough to see a load: 40 s for one more.
 */
export function outrunText({ duration, vms, period, boot, warmup }: Rise): string | undefined {
  const oneMore = (Math.ceil(boot / period) + warmup + 1) * period;
  const worth = duration / vms;
  if (worth >= oneMore) return undefined;
  const enough = Math.ceil((oneMore * vms) / HALF_MINUTE) * HALF_MINUTE;
  return (
    `The load rises by what a VM answers every ${Math.round(worth / 1000)} s, and the fleet takes ${Math.round(oneMore / 1000)} s for one more: ` +
    `requests will wait, and may be lost. With --duration ${enough / 1000}s it follows.`
  );
}
const HALF_MINUTE = 30_000;
