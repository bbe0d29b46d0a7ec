// How many VMs React and Reg want, whoever asks: the policies of that name, and the shadow tournament of `adaptive`.
import { whole } from './demand.ts';
import { show } from './policy.ts';

/** As published: factors on what is added and kept, and the per cent that must be to spare before it shrinks. */
export const REACT = { headroom: 1.2, spare: 10 } as const;
/** As published: factors on what the load needs, going out, and on what the curve needs, going in; samples of the curve. */
export const REG = { headroom: 1.05, kept: 1.2, samples: 60 } as const;

/** The whole VMs that React wants, of `needed` servers (not rounded) where `vms` are there. */
export function reactSize(needed: number, vms: number, headroom: number, spare: number): number {
  const short = whole(needed) - vms;
  if (short > 0) return vms + Math.floor(headroom * short + 1e-9);
  return needed * (1 + spare / 100) < vms ? Math.max(1, whole(headroom * whole(needed))) : vms;
}

interface Headroom {
  readonly headroom: number;
  readonly kept: number;
}

/** The VMs that Reg wants, and why, of `needs` (servers, not rounded, newest first) where `vms` are there; none: it holds. */
export function regSize(needs: readonly number[], vms: number, { headroom, kept }: Headroom) {
  const [needed = 0] = needs;
  if (needed > vms) return { size: whole(headroom * needed), why: `the load needs ${show(needed)} VMs` };
  if (whole(needed) >= vms) return { why: `reg: the load needs ${show(needed)} VMs, all that there are.` };
  const fitted = endOfCurve(needs.map(whole).reverse());
  if (fitted === undefined) return { why: `Three samples are needed for a curve, ${needs.length} are there.` };
  if (whole(fitted) <= 0) return { why: 'reg: the curve ends below zero.' };
  const size = Math.min(vms, whole(kept * whole(fitted)));
  return { size, why: `the curve through the last loads needs ${show(fitted)} VMs` };
}

/** The least-squares quadratic through values at −(n − 1) … 0, at 0. Undefined for fewer than three. */
export function endOfCurve(values: readonly number[]): number | undefined {
  const n = values.length;
  if (n < 3) return undefined;
  let [s1, s2, s3, s4, m0, m1, m2] = [0, 0, 0, 0, 0, 0, 0];
  for (const [i, y] of values.entries()) {
    const x = i - (n - 1);
    const square = x * x;
    s1 += x;
    s2 += square;
    s3 += square * x;
    s4 += square * square;
    m0 += y;
    m1 += y * x;
    m2 += y * square;
  }
  return determinant([m0, s1, s2], [m1, s2, s3], [m2, s3, s4]) / determinant([n, s1, s2], [s1, s2, s3], [s2, s3, s4]);
}

type Row = readonly [number, number, number];

const determinant = ([a, b, c]: Row, [d, e, f]: Row, [g, h, i]: Row): number =>
  a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
