/** Seconds before the next try after so many failures: 1, 2, 4 … up to `max`. Worked: after 3 failures 8 s. */
export const backOff = (failures: number, max: number): number => Math.min(max, 2 ** Math.min(failures, 20));
