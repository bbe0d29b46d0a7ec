import { expect } from 'chai';
import fc from 'fast-check';
import { hint } from '../../../src/settings/nearest.ts';
import { DURATION, parseQuantity, refuseQuantity, showQuantity, SIZE } from '../../../epcis/domain/quantity.ts';

describe('durations and sizes', () => {
  it('are read with their units', () => {
    const read = ['500ms', '10s', '2m', '1.5h', '1h30m', '7d', '1.001s'].map((text) => parseQuantity(DURATION, text));
    expect(read).to.deep.equal([500, 10_000, 120_000, 5_400_000, 5_400_000, 604_800_000, 1001]);
    expect(['64kB', '8MiB'].map((text) => parseQuantity(SIZE, text))).to.deep.equal([64_000, 8_388_608]);
  });

  it('are written as they are read', () => {
    fc.assert(
      fc.property(fc.nat(), (value) => {
        for (const quantity of [DURATION, SIZE])
          expect(parseQuantity(quantity, showQuantity(quantity, value))).to.equal(value);
      }),
    );
  });

  for (const text of ['', '10', '-1s', '10 s', 's', '1s x', '1y', '1constructor', '1S'])
    it(`are none: "${text}"`, () => {
      expect(parseQuantity(DURATION, text)).to.equal(undefined);
    });

  it('are none where millions of digits have no unit, and that is seen at once', () => {
    expect(parseQuantity(DURATION, `${'1'.repeat(2_000_000)} s`)).to.equal(undefined);
  });

  it('ask for the unit that was meant', () => {
    expect(refuseQuantity(DURATION, 10)).to.equal('it has no unit; did you mean 10s?');
    expect(refuseQuantity(DURATION, '15000')).to.equal('it has no unit; did you mean 15s?');
    expect(refuseQuantity(SIZE, 134_217_728)).to.equal('it has no unit; did you mean 128MiB?');
    expect(refuseQuantity(DURATION, 'soon')).to.contain('a duration such as');
  });
});

describe('a wrong name', () => {
  it('brings the nearest one to mind, or all of them', () => {
    expect(hint('hihg', ['high', 'low'])).to.equal('; did you mean high?');
    expect(hint('Low', ['high', 'low'])).to.equal('; did you mean low?');
    expect(hint('weather', ['high', 'low'])).to.equal('; there are: high, low');
  });
});
