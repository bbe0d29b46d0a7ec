// A short form of `npm run fuzz`, without coverage: the samples of each target and some mutations of them.
import { expect } from 'chai';
import { fuzz, type Target } from './fuzz.ts';
import { TARGETS } from './targets.ts';

describe('parsers stand whatever is sent to them', () => {
  for (const target of TARGETS) {
    it(target.name, async () => {
      const { finding } = await fuzz(target, {
        seed: 18,
        enough: (inputs) => inputs >= (target.unhurried ? 100 : 400),
      });
      if (finding) expect.fail(`${JSON.stringify(finding.input.toString('latin1'))}: ${String(finding.why)}`);
    }).timeout(60_000);
  }

  it('and it is seen where one does not', async () => {
    const weak: Target = {
      name: 'weak',
      samples: ['aaa'],
      words: ['!'],
      take: (input) => {
        if (input.includes('!')) throw new Error('fell');
      },
    };
    const { finding } = await fuzz(weak, { seed: 1, enough: (inputs) => inputs >= 10_000 });
    expect(String(finding?.why)).to.equal('Error: fell');
  });
});
