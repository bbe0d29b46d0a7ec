import { expect } from 'chai';
import { strokeOf } from '../../../loadgen/report/figure.ts';

describe('the lines of a figure', () => {
  it('are told apart in black and white: eight of them, each with strokes of its own', () => {
    const dashes = Array.from({ length: 8 }, (_, i) => strokeOf(i).dash.join(' '));
    expect(new Set(dashes).size).to.equal(8);
  });
});
