// The end of a fleet: every VM is released, again and again until it is gone or the time is over.
import { messageOf } from '../errors.ts';
import type { Millis } from '../model.ts';
import type { Provider } from './provider.ts';

export interface ReleaseClock {
  readonly now: () => Millis;
  readonly sleep: (ms: Millis) => Promise<void>;
}

/** What is left when the time is over. */
export interface Remains {
  /** VMs that were last seen, each with what is in the way. */
  readonly vms: readonly { readonly id: string; readonly why: string; readonly stage?: string }[];
  /** VMs that a person has kept: they are left as they are. */
  readonly kept: readonly string[];
  /** Why the provider does not list its VMs; there may be others then. */
  readonly unlisted?: string;
  /** A VM was asked for, and nobody knows whether it comes. */
  readonly mayCome?: true;
}

/** The second look comes after so long, each further one after twice as long, up to the latter. */
const LOOK_AGAIN_MS = [50, 500] as const;
const RELEASE_AGAIN_MS = 5_000;

export interface Leaving {
  /** VMs that a person wants to look at, and that nobody else gives back. */
  readonly kept?: ReadonlySet<string>;
  /** VMs that were there when the provider was heard last; they are what remains if it is never heard again. */
  readonly known?: readonly string[];
  /** Whether a VM may still come of what was asked for: an empty list is no end then. */
  readonly isAsking?: () => boolean;
  /** Told after each look what is still there. */
  readonly tell?: (remains: Remains) => void;
}

/** What remains where the provider says nothing. */
export const unasked = ({ kept = new Set(), known = [] }: Leaving): Remains => ({
  vms: known.filter((id) => !kept.has(id)).map((id) => ({ id, why: 'nobody could ask for its release' })),
  kept: known.filter((id) => kept.has(id)),
});

export async function releaseAll(
  provider: Provider,
  withinMs: Millis,
  clock: ReleaseClock,
  { kept = new Set(), known = [], isAsking = () => false, tell = () => undefined }: Leaving = {},
): Promise<Remains> {
  const deadline = clock.now() + withinMs;
  let pause: Millis = LOOK_AGAIN_MS[0];
  const asked = new Map<string, { readonly again: Millis; readonly problem?: string }>();
  let remains = unasked({ kept, known });

  async function release(id: string): Promise<void> {
    const again = clock.now() + RELEASE_AGAIN_MS;
    const problem = await provider.release(id).then(() => undefined, messageOf);
    // what was taken is on its way, and not for us to hurry
    asked.set(id, problem === undefined ? { again: Infinity } : { again, problem });
  }

  for (;;) {
    try {
      const mayCome = isAsking() || (provider.mayCome?.() ?? false); // before the list is: what came of it meanwhile is on it
      const listed = await provider.list();
      const vms = listed.filter(({ id }) => !kept.has(id));
      await Promise.all(
        vms.filter(({ id }) => (asked.get(id)?.again ?? 0) <= clock.now()).map(({ id }) => release(id)),
      );
      remains = {
        kept: listed.filter(({ id }) => kept.has(id)).map(({ id }) => id),
        vms: vms.map(({ id, note, stage, state }) => ({
          ...{ id, why: asked.get(id)?.problem ?? note ?? stage ?? state },
          ...(stage !== undefined && { stage }),
        })),
        ...(mayCome && { mayCome }),
      };
      if (vms.length === 0 && !mayCome) return remains;
    } catch (error) {
      remains = { ...remains, unlisted: messageOf(error) };
    }
    if (clock.now() >= deadline) return remains;
    tell(remains);
    await clock.sleep(pause);
    pause = Math.min(2 * pause, LOOK_AGAIN_MS[1]);
  }
}
