// What a node answers, read strictly: one that was taken over, or is of another version, must not keep all others from being heard.
import { REFUSALS, type NodeReport, type ReportedWorker } from './orders.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Undefined: it is none. */
export function readReport(given: unknown): NodeReport | undefined {
  if (!isFields(given)) return undefined;
  const { at, workers, refused, log } = given;
  if (!isNumber(at) || !Array.isArray(workers) || !workers.every(isWorker)) return undefined;
  if (!isFields(refused) || !REFUSALS.every((one) => isNumber(refused[one]))) return undefined;
  if (log !== undefined && typeof log !== 'string') return undefined;
  return given as unknown as NodeReport;
}

const STATES: readonly unknown[] = ['pending', 'running', 'failed', 'releasing'] satisfies ReportedWorker['state'][];

function isWorker(given: unknown): given is ReportedWorker {
  if (!isFields(given)) return false;
  const { mark, id, size, state, createdAt, port, note, monitoring } = given;
  if (!isText(mark) || !isText(id) || !STATES.includes(state) || !isNumber(createdAt)) return false;
  if (!isFields(size) || !(isNumber(size['cpu']) && size['cpu'] > 0) || !isNumber(size['memoryBytes'])) return false;
  if (port !== undefined && !(Number.isInteger(port) && Number(port) > 0 && Number(port) <= 65_535)) return false;
  if (note !== undefined && typeof note !== 'string') return false;
  return (
    monitoring === undefined || (isFields(monitoring) && isNumber(monitoring['at']) && isNumber(monitoring['cpu']))
  );
}

const isFields = (given: unknown): given is Fields => typeof given === 'object' && given !== null;
const isText = (given: unknown): given is string => typeof given === 'string' && given !== '';
const isNumber = (given: unknown): given is number => typeof given === 'number' && Number.isFinite(given) && given >= 0;
