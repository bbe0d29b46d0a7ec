// A recorded load from its file; how it was read is said at once, before anything is made of it.
import { readTrace } from '../../../loadgen/read-trace.ts';
import { traceText, type Trace } from '../../../loadgen/profiles/trace.ts';

export async function toldTrace(path: string): Promise<Trace> {
  const trace = await readTrace(path);
  process.stderr.write(`${path}: ${traceText(trace)}\n`);
  return trace;
}
