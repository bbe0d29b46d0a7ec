// Aging: aged(x) = sum of x[i] / 2^(i+1), i = 0 the newest. The sum starts from 0 each time.
// Worked: newest first 81, 70, 72, 68, 60 → 40.5 + 17.5 + 9 + 4.25 + 1.875 = 73.125.
// A window that isn't full yet counts as filled up with zeros. The weights of a full window of 7 sum to
// 127/128, so the largest LP is 99.22.
import type { Predictor } from './predictor.ts';

export const aging: Predictor = (samples, window) => {
  let sum = 0;
  let weight = 0.5;
  for (const sample of samples.slice(0, window)) {
    sum += sample * weight;
    weight /= 2;
  }
  return sum;
};
