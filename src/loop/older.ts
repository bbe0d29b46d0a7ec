// What an older version wrote down: the parameters of the policy mmeliot stood among the common ones then.
import type { OwnParameters } from '../decide/parameters.ts';

const MOVED: ReadonlySet<string> = new Set(['preset', 'nearness', 'deltaTp', 'releaseTrigger']);

/** Settings, or changes of them, as they are written today; what is as today stays as it is. */
export function modern<T extends { readonly policy?: unknown; readonly policyParameters?: OwnParameters | null }>(
  written: T,
): T {
  const moved = Object.entries(written).filter(([name]) => MOVED.has(name));
  if (moved.length === 0) return written;
  const others = Object.fromEntries(Object.entries(written).filter(([name]) => !MOVED.has(name))) as T;
  const { policy = 'mmeliot', policyParameters } = others;
  const own = Object.fromEntries(moved.filter(([, value]) => value !== null)) as OwnParameters;
  return policy === 'mmeliot' ? { ...others, policyParameters: { ...own, ...policyParameters } } : others;
}
