import { expect } from 'chai';
import { traceDuration, tracePeakRate, traceText } from '../../../loadgen/profiles/trace.ts';
import { parseTrace } from '../../../loadgen/profiles/trace-file.ts';

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

  it('hold days and hours in two columns', () => {
    const text = 'date,hour,requests\n2024-03-01,22,5\n2024-03-01,23,6\n2024-03-02,0,7\n';
    expect(parseTrace(text, 'x.csv')).to.eql({ interval: 3_600_000, counts: [5, 6, 7] });
  });

  it('hold days, hours and minutes in three columns', () => {
    const text = 'date,hour,minute,requests\n2024-03-01,23,55,5\n2024-03-02,0,0,6\n2024-03-02,0,5,7\n';
    expect(parseTrace(text, 'x.csv')).to.eql({ interval: 300_000, counts: [5, 6, 7] });
  });

  it('go by their times, not by numbers of rows or parts of a time beside them', () => {
    for (const beside of ['index', 'step', 'bin', 'period', 'hour', 'minute']) {
      const text = `${beside},timestamp,requests\n0,2024-03-01 00:00,5\n1,2024-03-01 00:05,6\n2,2024-03-01 00:10,7\n`;
      expect(parseTrace(text, 'x.csv'), beside).to.eql({ interval: 300_000, counts: [5, 6, 7] });
    }
  });

  it('hold days and hours of the day in two columns', () => {
    const text = 'date,hour_of_day,requests\n2024-03-01,22,5\n2024-03-01,23,6\n2024-03-02,0,7\n';
    expect(parseTrace(text, 'x.csv')).to.eql({ interval: 3_600_000, counts: [5, 6, 7] });
  });

  it('count arrivals by what their times are told to: minutes, hours or days', () => {
    const minutes = 'timestamp,user\n2024-03-01 00:01,a\n2024-03-01 00:01,b\n2024-03-01 00:03,a\n';
    expect(parseTrace(minutes, 'x.csv')).to.eql({ interval: 60_000, counts: [2, 0, 1] });
    const days = 'date,user\n2024-03-01,a\n2024-03-01,b\n2024-03-02,a\n';
    expect(parseTrace(days, 'x.csv')).to.eql({ interval: 86_400_000, counts: [2, 1] });
  });

  it('hold arrivals at even times, each with what it was', () => {
    for (const column of ['user_id', 'status', 'request_length', 'port'])
      expect(parseTrace(`timestamp,${column}\n2024-03-01 00:00:01,7\n2024-03-01 00:00:02,9\n`, 'x.csv'), column).to.eql(
        { interval: 1000, counts: [1, 1] },
      );
    const tokens = 'Timestamp[s],Model,Request tokens,Total tokens\n5,a,472,490\n45,a,1087,1317\n118,b,417,693\n';
    expect(parseTrace(tokens, 'x.csv').counts.length, 'tokens').to.equal(114);
    const lengths = '{"time_local":"2024-03-01T00:00:01Z","request_length":"512","status":"200"}\n'.repeat(3);
    expect(parseTrace(lengths, 'access.json')).to.eql({ interval: 1000, counts: [3] });
  });

  it('hold hours and days of digits, also over the end of a month', () => {
    const days = 'date,requests\n20240228,5\n20240229,6\n20240301,7\n';
    expect(parseTrace(days, 'x.csv')).to.eql({ interval: 86_400_000, counts: [5, 6, 7] });
    const hours = 'timestamp,views\n2024022922,5\n2024022923,6\n2024030100,7\n';
    expect(parseTrace(hours, 'x.csv')).to.eql({ interval: 3_600_000, counts: [5, 6, 7] });
    expect(parseTrace('20240228\n20240999\n', 'x.csv').counts, 'counts').to.eql([20_240_228, 20_240_999]);
    expect(parseTrace('time_ms,requests\n20240228,5\n20241228,6\n', 'x.csv').interval).to.equal(1000);
  });

  it('hold arrivals whose columns say what they were, not how many', () => {
    const lines = ['00:00:00.5', '00:00:00.9', '00:00:02'].map(
      (time) => `2024-03-01 ${time},GET /a HTTP/1.1,f00${time.length}`,
    );
    const text = ['time,request,AnonInvocationId', ...lines].join('\n');
    expect(parseTrace(text, 'x.csv')).to.eql({ interval: 1000, counts: [2, 1] });
  });

  it('may count with three decimals, where one of them shows it', () => {
    expect(parseTrace('time;rps\n0;0,500\n1;1,250\n', 'x.csv').counts).to.eql([30, 75]);
    expect(parseTrace('0;12.125\n1;1.5\n', 'x.csv').counts).to.eql([12.125, 1.5]);
    expect(parseTrace('time,count\n0,12.125\n1,1.250\n', 'x.csv').counts).to.eql([12.125, 1.25]);
  });

  it('may be in steps of any unit that the name of the file says', () => {
    expect(parseTrace('t,requests\n0,5\n15,6\n30,7\n', 'load-15min.csv')).to.eql({
      interval: 900_000,
      counts: [5, 6, 7],
    });
  });

  it('hold a line of a log for each arrival', () => {
    const line = (time: string) => `host.example.org - - [${time}] "GET /a HTTP/1.0" 200 6245`;
    const times = ['01/Jul/1995:00:00:01 -0400', '01/Jul/1995:00:00:01 -0400', '01/Jul/1995:04:00:03 +0000'];
    expect(parseTrace(`${times.map(line).join('\n')}\n`, 'access.log')).to.eql({ interval: 1000, counts: [2, 0, 1] });
    const broken = [line('01/Jul/1995:00:00:01 -0400'), 'host.example.org - -'].join('\n');
    expect(() => parseTrace(`${broken}\n`, 'access.log')).to.throw('Line 2 of the log access.log has no time like');
    expect(parseTrace(`${times.map(line).join('\n')}\nhost.exam`, 'cut.log').counts, 'cut at its end').to.eql([
      2, 0, 1,
    ]);
  });

  it('hold arrivals whose times count from their beginning', () => {
    const text = 'app,func,end_timestamp,duration\na,f,0.079,0.07\na,g,0.9,0.1\nb,f,2.5,0.1\n';
    expect(parseTrace(text, 'x.csv')).to.eql({ interval: 1000, counts: [2, 0, 1] });
  });

  it('have the interval that most of their times are apart, not that of a clock that was late', () => {
    const late = [0, 303, 600, 901, 1200, 1200 + 298, 1800].map((s) => `${1398902400 + s},1`).join('\n');
    expect(parseTrace(late, 'x.csv')).to.eql({ interval: 300_000, counts: [1, 1, 1, 1, 1, 1, 1] });
    const finer = [0, 60, 120, 180, 3600, 7200].map((s) => `${1398902400 + s},1`).join('\n');
    expect(parseTrace(finer, 'x.csv').interval).to.equal(60_000);
  });

  it('have no hole, and no two in one, where a clock is always a little slow or fast', () => {
    for (const apart of [60.5, 59.5, 61]) {
      const times = Array.from({ length: 400 }, (_, i) => 1_398_902_400 + Math.round(apart * i));
      const text = (left: number): string =>
        times
          .filter((_, i) => i !== left)
          .map((at) => `${at},1`)
          .join('\n');
      expect(parseTrace(text(-1), 'x.csv'), `${apart} s`).to.eql({ interval: 60_000, counts: times.map(() => 1) });
      const holed = times.map((_, i) => (i === 300 ? 0 : 1));
      expect(parseTrace(text(300), 'x.csv').counts, `${apart} s, one left out`).to.eql(holed);
    }
  });

  it('leave out what had no request, also where one came every five minutes for a while', () => {
    const times = Array.from({ length: 40 }, (_, i) => (i < 20 ? 60 * i : 1200 + 300 * (i - 20)));
    const { counts } = parseTrace(times.map((at) => `${1709251200 + at},2`).join('\n'), 'x.csv');
    expect(counts.slice(19, 27)).to.deep.equal([2, 2, 0, 0, 0, 0, 2, 0]);
  });

  it('take the length of a step from their own name, not from their folder', () => {
    expect(parseTrace('1,5;\n2,6;', '/data/15min study/load.txt').interval).to.equal(60_000);
    expect(parseTrace('1,5;\n2,6;', '/data/my load 30s.txt').interval).to.equal(30_000);
    expect(parseTrace('1,5;\n2,6;', 'visits-2h.txt').interval).to.equal(7_200_000);
  });

  it('say how they were read, so that whoever knows them sees a wrong reading', () => {
    expect(traceText({ interval: 60_000, counts: [60, 600, 0, 7.5] })).to.equal(
      '4 intervals of 60 s (0.1 h), 668 requests, at most 600 in one; 1 without any',
    );
    expect(traceText({ interval: 60_000, counts: [1, 0, 0, 1, 0, 0, 0, 1, 0] })).to.contain(
      '; 6 without any, up to 3 on end',
    );
    expect(traceText({ interval: 3_600_000, counts: [5] })).to.equal(
      '1 interval of 3600 s (1 h), 5 requests, at most 5 in one',
    );
    expect(traceText({ interval: 1000, counts: [0.25, 0.5] })).to.contain('0.75 requests, at most 0.5 in one');
  });

  it('know their own length and peak', () => {
    const trace = { interval: 60_000, counts: [60, 600, 0] };
    expect(traceDuration(trace)).to.equal(180_000);
    expect(tracePeakRate(trace)).to.equal(10);
  });
});
