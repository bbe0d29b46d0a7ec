// What bench:epcis prints.
export interface Measured {
  readonly kind: string;
  readonly size: number;
  /** Events per second. */
  readonly documents: number;
  readonly single: number;
  /** Milliseconds. */
  readonly questions: ReadonlyMap<string, { readonly p50: number; readonly p99: number; readonly rows: number }>;
  readonly bytes: number;
  readonly memory: number;
  readonly cpu: number;
  /** The rate of documents of 500 that business rules check, to that of those that none check. */
  readonly checks: number;
  /** Of a page of 1000 events: with gzip to without. */
  readonly gzip: { readonly time: number; readonly bytes: number };
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

export function printSizes(results: readonly Measured[]): void {
  for (const { kind, size, documents, single, questions, bytes, memory, cpu, checks, gzip } of results) {
    print(`\n${kind}, ${size.toLocaleString('en')} events`);
    print(`  capture, documents of 500  ${documents.toFixed(0).padStart(8)} events/s`);
    print(`  capture, single events     ${single.toFixed(0).padStart(8)} events/s`);
    print(`  stored                     ${bytes.toFixed(0).padStart(8)} bytes/event`);
    print(`  memory of this process     ${(memory / 2 ** 20).toFixed(0).padStart(8)} MB`);
    print(`  CPU of a trace             ${cpu.toFixed(2).padStart(8)} × bare driver`);
    print(`  capture with two rules     ${checks.toFixed(2).padStart(8)} × its rate without`);
    print(
      `  a page with gzip           ${gzip.time.toFixed(2).padStart(8)} × its time, ${gzip.bytes.toFixed(2)} × its bytes without`,
    );
    print(`  ${'question'.padEnd(30)} ${'p50 ms'.padStart(8)} ${'p99 ms'.padStart(8)} ${'rows'.padStart(8)}`);
    for (const [name, { p50, p99, rows }] of questions)
      print(
        `  ${name.padEnd(30)} ${p50.toFixed(2).padStart(8)} ${p99.toFixed(2).padStart(8)} ${rows.toFixed(1).padStart(8)}`,
      );
  }
}

interface Target {
  readonly name: string;
  readonly value: number;
  readonly most?: number;
  readonly least?: number;
}

/** True if every ratio meets its target. Ratios between sizes compare the largest with the smallest. */
export function printRatios(results: readonly Measured[]): boolean {
  let isMet = true;
  print('\nRatios of the largest to the smallest size');
  for (const kind of new Set(results.map((result) => result.kind))) {
    const of = results.filter((result) => result.kind === kind).sort((a, b) => a.size - b.size);
    const [small, large] = [of[0], of.at(-1)];
    if (!small || !large) continue;
    for (const { name, value, most = Infinity, least = 0 } of targets(small, large)) {
      const meets = value <= most && value >= least;
      isMet &&= meets;
      const target = most < Infinity ? `at most ${most}` : `at least ${least}`;
      print(
        `  ${kind.padEnd(7)} ${name.padEnd(44)} ${value.toFixed(2).padStart(6)}  ${target}  ${meets ? '' : 'MISSED'}`,
      );
    }
  }
  return isMet;
}

function targets(small: Measured, large: Measured): readonly Target[] {
  const trace = 'trace of an EPC';
  return [
    {
      name: 'trace of an EPC, median',
      value: (large.questions.get(trace)?.p50 ?? NaN) / (small.questions.get(trace)?.p50 ?? NaN),
      most: 2,
    },
    { name: 'capture of documents, rate', value: large.documents / small.documents, least: 0.7 },
    { name: 'documents against single events, rate', value: large.documents / large.single, least: 10 },
    { name: 'CPU of a trace against the bare driver', value: large.cpu, most: 2 },
  ];
}
