// The wait for the first VM, told to who waits.
import type { Clock } from '../../loop/clock.ts';
import type { LoopState } from '../../loop/loop-state.ts';

/** A VM that doesn't come up must not keep the addresses of everything back. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 50;
/** Who waits for longer than that is told what for, and then every so often how it stands. */
const TELL_EVERY_MS = 5_000;

/** Whether a request would be answered; false: none within the patience. */
export async function firstVm(
  state: () => Pick<LoopState, 'fleet' | 'problems'>,
  clock: Clock,
  tell: (line: string) => void,
): Promise<boolean> {
  const begun = clock.now();
  let told = begun;
  for (;;) {
    const { fleet, problems } = state();
    if (fleet.some((vm) => vm.state === 'ready')) return true;
    const now = clock.now();
    if (now - begun >= PATIENCE_MS) return false;
    if (now - told >= TELL_EVERY_MS) {
      told = now;
      const [problem = 'it boots.'] = problems;
      tell(`Waiting for the first VM, ${Math.round((now - begun) / 1_000)} s so far: ${problem}`);
    }
    await clock.sleep(LOOK_EVERY_MS);
  }
}
