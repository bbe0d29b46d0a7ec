// The waits of a start, told to who waits: for its parts, and for the first VM.
import type { Clock } from '../../loop/clock.ts';
import type { LoopState } from '../../loop/loop-state.ts';

/** A VM that doesn't come up must not keep the addresses of everything back. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 50;
/** Who waits for longer than that is told what for, and then every so often how it stands. */
const TELL_EVERY_MS = 5_000;

/** Somebody may set the clock meanwhile. */
const timeOf = (clock: Clock) => (): number => clock.steady?.() ?? clock.now();

/** Who waits for longer than usual is told what for. */
export async function tellWhile<T>(
  work: Promise<T>,
  waitsFor: () => string,
  clock: Clock,
  tell: (line: string) => void,
  doing = 'Starting',
): Promise<T> {
  const done = new AbortController();
  const over = (): void => done.abort('done');
  work.then(over, over);
  const now = timeOf(clock);
  const begun = now();
  for (;;) {
    await clock.sleep(TELL_EVERY_MS, done.signal);
    if (done.signal.aborted) return work;
    tell(`${doing}, ${Math.round((now() - begun) / 1_000)} s so far: it waits for ${waitsFor()}.`);
  }
}

/** Whether a request would be answered; false: none within the patience, or before nobody waits any more. */
export async function firstVm(
  state: () => Pick<LoopState, 'fleet' | 'problems' | 'parameters' | 'providerAnswered'>,
  clock: Clock,
  tell: (line: string) => void,
  isOver: () => boolean = () => false,
): Promise<boolean> {
  const now = timeOf(clock);
  const begun = now();
  let told = begun;
  for (;;) {
    const { fleet, problems, parameters, providerAnswered } = state();
    if (fleet.some((vm) => vm.state === 'ready')) return true;
    // none boots, and none will
    if (providerAnswered && fleet.length === 0 && parameters.dryRun) return false;
    const at = now();
    if (isOver() || at - begun >= PATIENCE_MS) return false;
    if (at - told >= TELL_EVERY_MS) {
      told = at;
      const [problem = 'it boots.'] = problems;
      tell(`Waiting for the first VM, ${Math.round((at - begun) / 1_000)} s so far: ${problem}`);
    }
    await clock.sleep(LOOK_EVERY_MS);
  }
}
