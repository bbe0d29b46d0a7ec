import { expect } from 'chai';
import { parseLimit } from '../../loadgen/limits.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';

const SUMMARY = {
  ...{ ok: 297, lost: 3, elapsed: 10_000 },
  latency: { mean: 120, p10: 50, p50: 100, p90: 400, p95: 480, p99: 800, max: 1200 },
};

describe('a limit of a load', () => {
  const verdicts: Readonly<Record<string, string | undefined>> = {
    'p95>500ms': undefined,
    'p95>480ms': undefined,
    'p95>0.4s': 'Failed by p95>0.4s: it is 480 ms.',
    'p99 > 500ms': 'Failed by p99>500ms: it is 800 ms.',
    'max>1s': 'Failed by max>1s: it is 1.2 s.',
    'lost>0': 'Failed by lost>0: it is 3.',
    'lost>3': undefined,
    'lost>1%': undefined,
    'lost>0.5%': 'Failed by lost>0.5%: it is 1.00%.',
    'ok<300': 'Failed by ok<300: it is 297.',
    'rate<50': 'Failed by rate<50: it is 29.7.',
    'rate<29': undefined,
  };
  for (const [text, verdict] of Object.entries(verdicts))
    it(`${text} ${verdict === undefined ? 'holds' : 'fails, and says by what'}`, () => {
      expect(parseLimit(text).failure(SUMMARY)).to.equal(verdict);
    });

  it('is about nothing lost where nothing was sent', () => {
    expect(parseLimit('lost>0%').failure({ ...SUMMARY, ok: 0, lost: 0 })).to.equal(undefined);
  });

  for (const text of ['', 'p95', 'p95>500', 'p95=500ms', 'p94>1s', 'lost>many', 'lost>-1', 'rate<50%', 'toString>1'])
    it(`cannot be "${text}", and the sentence says what can`, () => {
      expect(() => parseLimit(text)).to.throw(OptionError, /^--fail-if .*'p95>500ms'/);
    });
});
