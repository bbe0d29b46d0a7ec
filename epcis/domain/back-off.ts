/** The pause after so many failures in a row: `first`, twice that, four times that … up to `longest`. Worked: backOff(3, 1, 60) is 4. */
export const backOff = (failures: number, first: number, longest: number): number =>
  failures <= 0 ? 0 : Math.min(longest, first * 2 ** (failures - 1));
