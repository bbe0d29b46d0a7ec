import { expect } from 'chai';
import { traceDuration, tracePeakRate } from '../../loadgen/profiles/trace.ts';
import { parseTrace } from '../../loadgen/profiles/trace-file.ts';

describe('trace files', () => {
  it('hold a time and a count a line; intervals that are left out had no request', () => {
    const text = 'period,count\n1998-04-30 21:30:00,2\n1998-04-30 21:31:00,11\n1998-04-30 21:34:00,3\n';
    expect(parseTrace(text, 'x.csv')).to.eql({ interval: 60_000, counts: [2, 11, 0, 0, 3] });
    const five = 'timestamp,value\n2014-04-10 00:04:00,94.0\n2014-04-10 00:09:00,56.0\n';
    expect(parseTrace(five, 'x.csv')).to.eql({ interval: 300_000, counts: [94, 56] });
  });

  it('hold a step and a count a line; the name may say how long a step is', () => {
    const text = '0.5,306.0;\n1.5,369.0;\n2.5,621.0;';
    expect(parseTrace(text, 'load.txt')).to.eql({ interval: 60_000, counts: [306, 369, 621] });
    expect(parseTrace(text, 'ibm-transactions-15min.txt').interval).to.equal(900_000);
    expect(parseTrace(text, 'wikipedia-hourly.txt').interval).to.equal(3_600_000);
  });

  it('hold a function a row, whose minutes are added up', () => {
    const text = 'HashOwner,HashFunction,Trigger,1,2,3\na,b,http,1,0,2\nc,d,timer,5,5,5\n';
    expect(parseTrace(text, 'x.csv')).to.eql({ interval: 60_000, counts: [6, 5, 7] });
  });

  it('hold an arrival a line, counted by the second', () => {
    const text =
      'TIMESTAMP,ContextTokens\n2023-11-16 18:15:46.6805900,374\n2023-11-16 18:15:47.1,9\n2023-11-16 18:15:50.0,9\n';
    expect(parseTrace(text, 'x.csv')).to.eql({ interval: 1000, counts: [2, 0, 0, 1] });
  });

  it('know their own length and peak', () => {
    const trace = { interval: 60_000, counts: [60, 600, 0] };
    expect(traceDuration(trace)).to.equal(180_000);
    expect(tracePeakRate(trace)).to.equal(10);
  });

  for (const [what, text, message] of [
    ['an unknown form', 'a;b;c\n1;2;3', 'none of the known forms'],
    ['no line', 'period,count\n', 'no line with a count'],
    ['a broken count', 'period,count\n1998-04-30 21:30:00,many', 'Line 2 of the trace x.csv has no count: "many"'],
    ['a negative count', '1,5;\n2,-3;', 'Line 2'],
    ['a broken time', 'period,count\nyesterday,1', 'Line 2 of the trace x.csv has no time'],
    ['times ages apart', 'TIMESTAMP,A\n1998-04-30 21:30:00,1\n2026-04-30 21:30:00,1', 'more than a year'],
  ] as const) {
    it(`are refused with one sentence for ${what}`, () => {
      expect(() => parseTrace(text, 'x.csv')).to.throw(Error, message);
    });
  }
});
