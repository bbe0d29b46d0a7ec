// A program of this folder again, in another part and a process of its own.
import { fork } from 'node:child_process';

export interface Part<T> {
  readonly pid: number;
  /** The first thing that it tells. */
  readonly says: Promise<T>;
  kill(): Promise<void>;
}

/** `node`: options of Node.js, beside our own. */
export function startPart<T = number>(file: string, args: readonly string[], node: readonly string[] = []): Part<T> {
  const child = fork(file, args, { execArgv: [...process.execArgv, ...node] });
  const says = new Promise<T>((resolve) => child.once('message', (told) => resolve(told as T)));
  const kill = async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  };
  return { pid: child.pid ?? 0, says, kill };
}
