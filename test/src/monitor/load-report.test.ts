import { expect } from 'chai';
import fc from 'fast-check';
import { decodeReport, encodeReport } from '../../../src/monitor/load-report.ts';

const report = {
  group: 'shop',
  vm: 'vm-3',
  sequence: 17,
  sample: { at: 1_700_000_000_000, cpu: 42.5, memory: 61, networkIn: 1200, networkOut: 88_000 },
};

describe('load report', () => {
  it('is one plain line', () => {
    expect(encodeReport(report)).to.equal('mmeliot1 shop vm-3 17 1700000000000 42.5 61 1200 88000 -');
    expect(encodeReport(report, () => 'abc')).to.match(/ 88000 abc$/);
  });

  it('comes back as it went', () => {
    const percent = fc.integer({ min: 0, max: 10_000 }).map((value) => value / 100);
    const bytes = fc.nat(2 ** 31);
    const sample = fc.record({ at: fc.nat(2e12), cpu: percent, memory: percent, networkIn: bytes, networkOut: bytes });
    fc.assert(
      fc.property(sample, fc.nat(), (sample, sequence) => {
        const decoded = decodeReport(encodeReport({ ...report, sequence, sample }));
        expect(decoded).to.deep.include({ group: 'shop', vm: 'vm-3', sequence, sample, signature: '-' });
      }),
    );
  });

  it('is signed without its signature', () => {
    expect(decodeReport(encodeReport(report, () => '00'))?.signed).to.equal(
      'mmeliot1 shop vm-3 17 1700000000000 42.5 61 1200 88000',
    );
  });

  it('may say when the cloud takes the VM away', () => {
    const noticed = encodeReport({ ...report, interruptAt: 1_700_000_120_000 }, () => '00');
    expect(noticed).to.equal('mmeliot1 shop vm-3 17 1700000000000 42.5 61 1200 88000 1700000120000 00');
    expect(decodeReport(noticed)).to.deep.include({ interruptAt: 1_700_000_120_000, sample: report.sample });
    expect(decodeReport(encodeReport(report))).not.to.have.property('interruptAt');
  });

  it('may end in a newline, as shells write it', () => {
    expect(decodeReport(`${encodeReport(report)}\n`)?.vm).to.equal('vm-3');
  });

  for (const [what, line] of [
    ['another version', 'mmeliot2 shop vm-3 17 1700000000000 42.5 61 1 1 -'],
    ['a field too few', 'mmeliot1 shop vm-3 17 1700000000000 42.5 61 1 -'],
    ['a field too many', 'mmeliot1 shop vm-3 17 1700000000000 42.5 61 1 1 1 1 -'],
    ['more than 100 %', 'mmeliot1 shop vm-3 17 1700000000000 101 61 1 1 -'],
    ['a negative number', 'mmeliot1 shop vm-3 17 1700000000000 -1 61 1 1 -'],
    ['NaN', 'mmeliot1 shop vm-3 17 1700000000000 NaN 61 1 1 -'],
    ['an exponent', 'mmeliot1 shop vm-3 17 1700000000000 1e1 61 1 1 -'],
    ['a name with strange characters', 'mmeliot1 shop vm/../3 17 1700000000000 1 61 1 1 -'],
    ['nothing', ''],
  ] as const)
    it(`with ${what} is none`, () => {
      expect(decodeReport(line)).to.equal(undefined);
    });
});
