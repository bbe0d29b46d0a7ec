/** Waits for a condition, with a deadline: what a test does instead of sleeping and hoping. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = 30_000,
): Promise<NonNullable<T> & (T extends false ? never : T)> {
  const deadline = performance.now() + deadlineMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(50, 1.5 * pauseMs)) {
    const value = await condition();
    if (value !== undefined && value !== null && value !== false)
      return value as NonNullable<T> & (T extends false ? never : T);
    if (performance.now() > deadline) throw new Error(`${what}: did not happen within ${deadlineMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
