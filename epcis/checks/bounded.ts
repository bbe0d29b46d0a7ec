// A schema is an operator's, what it is tried on a client's: a pattern that takes for ever on some text must not take the VM
// along. Node can end any JavaScript after a time, a regular expression and WebAssembly included, at 50 µs a call.
import { createContext, Script } from 'node:vm';

const MOST_MS = 250;

const context = createContext({ run: undefined as (() => void) | undefined });
const script = new Script('run()');

/** What `run` returns, or undefined where it took longer than any check should. */
export function bounded<T>(run: () => T): { readonly result: T } | undefined {
  let result: { readonly result: T } | undefined;
  context['run'] = () => (result = { result: run() });
  try {
    script.runInContext(context, { timeout: MOST_MS });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return undefined;
  } finally {
    context['run'] = undefined;
  }
  return result;
}
