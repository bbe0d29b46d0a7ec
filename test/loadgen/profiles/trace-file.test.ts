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

  for (const [what, text] of [
    [
      'a byte order mark and CRLF',
      '\uFEFFperiod,count\r\n1998-04-30 21:30:00,2\r\n1998-04-30 21:32:00,3\r\n1998-04-30 21:33:00,4\r\n',
    ],
    [
      'semicolons and decimal commas',
      'time;requests\n1998-04-30 21:30:00;2,0\n1998-04-30 21:32:00;3,0\n1998-04-30 21:33:00;4\n',
    ],
    ['tabs and quotes', '"ds"\t"y"\n"1998-04-30 21:30"\t"2"\n"1998-04-30 21:32"\t"3"\n"1998-04-30 21:33"\t"4"\n'],
    ['no header', '1998-04-30T21:30:00Z,2\n1998-04-30T21:32:00Z,3\n1998-04-30T21:33:00Z,4'],
    ['offsets', 'time,count\n1998-04-30T23:30:00+02:00,2\n1998-04-30 17:32:00 -0400,3\n1998/04/30 21:33 UTC,4'],
    ['seconds since 1970', '1398902400,2\n1398902520,3\n1398902580,4'],
    ['microseconds since 1970', 'timestamp,value\n1398902400000000,2\n1398902520000000,3\n1398902580000000,4'],
    ['nanoseconds since 1970', '1398902400000000000,2\n1398902520000000000,3\n1398902580000000000,4'],
    ['seconds since 1970 with an exponent', 'time,value\n1.3989024e+09,2\n1.39890252e+09,3\n1.39890258e+09,4'],
    [
      'the separator that Excel is told',
      'sep=|\ntime|requests\n1998-04-30 21:30|2\n1998-04-30 21:32|3\n1998-04-30 21:33|4',
    ],
    [
      'days and times in two columns',
      'date,time,count\n1998-04-30,21:30:00,2\n1998-04-30,21:32:00,3\n1998-04-30,21:33:00,4',
    ],
    ['days and times without names', '1998-04-30;21:30;2\n1998-04-30;21:32;3\n1998-04-30;21:33;4'],
    ['milliseconds since 1970', 'timestamp,value\n1398902400000,2\n1398902520000,3\n1398902580000,4'],
    ['lines in any order', 'period,count\n1998-04-30 21:33:00,4\n1998-04-30 21:30:00,2\n1998-04-30 21:32:00,3'],
    ['steps that are left out', '0.5,2;\n2.5,3;\n3.5,4;'],
    ['steps counted in seconds', '0;2\n120;3\n180;4'],
    ['steps in a unit that their column names', 'minute,requests\n0,2\n2,3\n3,4'],
    ['counts alone', '2\n0\n3\n4\n'],
    ['counts alone under a name', 'requests\n2\n0\n3\n4'],
    ['spaces', '0 2\n1 0\n2 3\n3 4'],
    ['spaces and times', '1998-04-30 21:30:00 2\n1998-04-30 21:32:00 3\n1998-04-30 21:33:00 4'],
    ['remarks', '# of a Friday\n\ntime,count\n# the second is missing\n0,2\n2,3\n3,4'],
    [
      'another name of the counts',
      'Timestamp,RequestCount\n1998-04-30 21:30,2\n1998-04-30 21:32,3\n1998-04-30 21:33,4',
    ],
    ['a name that says nothing', 'timestamp,A\n1998-04-30 21:30,2\n1998-04-30 21:32,3\n1998-04-30 21:33,4'],
    ['the count before its time', 'num_requests,date\n2,1998-04-30 21:30\n3,1998-04-30 21:32\n4,1998-04-30 21:33'],
    ['numbered rows', ',timestamp,value\n0,1998-04-30 21:30,2\n1,1998-04-30 21:32,3\n2,1998-04-30 21:33,4'],
    [
      'several lines of a time, and other columns',
      'time,place,requests,bytes\n1998-04-30 21:30,"a, b",1,9\n1998-04-30 21:30,c,1,9\n1998-04-30 21:32,c,3,9\n1998-04-30 21:33,c,4,9',
    ],
    ['rates a minute', 'time,rpm\n0,2\n1,0\n2,3\n3,4'],
    ['rates per several minutes', 'time,requests/5 min\n0,10\n1,0\n2,15\n3,20'],
    ['counts per interval', 'time,requests per interval\n0,2\n1,0\n2,3\n3,4'],
    ['German names', 'Zeit;Anzahl Anfragen\n1998-04-30 21:30;2,0\n1998-04-30 21:32;3,0\n1998-04-30 21:33;4,0'],
    ['Portuguese names', 'data,requisições/min\n1998-04-30 21:30,2\n1998-04-30 21:32,3\n1998-04-30 21:33,4'],
    ['Spanish names', 'fecha;peticiones por minuto\n1998-04-30 21:30;2\n1998-04-30 21:32;3\n1998-04-30 21:33;4'],
    ['French names', 'heure\trequêtes\n1998-04-30 21:30\t2\n1998-04-30 21:32\t3\n1998-04-30 21:33\t4'],
    ['bars', 'time|count\n1998-04-30 21:30|2\n1998-04-30 21:32|3\n1998-04-30 21:33|4'],
    ['ISO times without marks', 'time,count\n19980430T213000Z,2\n19980430T2132Z,3\n19980430T233300.5+0200,4'],
    [
      'the name of a zone behind the offset',
      'time,count\n1998-04-30T23:30+02:00[Europe/Berlin],2\n1998-04-30T23:32+02:00[Europe/Berlin],3\n1998-04-30T21:33Z,4',
    ],
    [
      'an object a line',
      '{"time":"2014-05-01T00:00:00Z","count":2}\r\n{"count":3,"time":"2014-05-01T00:02:00Z"}\n\n{"time":1398902580,"count":"4"}\n',
    ],
    [
      'an array of objects',
      '\uFEFF [\n{"region":"a","ds":1398902400,"y":2},\n{"ds":1398902520,"y":3},{"region":null,"ds":1398902580,"y":4.0}]\n',
    ],
    ['an array a line', '[1398902400000, 2]\n[1398902520000, 3]\n[1398902580000, 4]'],
    ['an array of counts', '[2, 0, 3, 4]'],
    ['counts before their times, without names', '2,1398902400\n3,1398902520\n4,1398902580'],
    ['what pandas names 0', ',0\n1998-04-30 21:30:00,2\n1998-04-30 21:32:00,3\n1998-04-30 21:33:00,4'],
    ['times of digits', 'time,views\n199804302130,2\n199804302132,3\n19980430213300,4'],
    ['days of digits', 'date,time,views\n19980430,21:30,2\n19980430,21:32,3\n19980430,21:33,4'],
    ['days of digits and spaces', '19980430 21:30 2\n19980430 21:32 3\n19980430 21:33 4'],
    ['microseconds of its own', 'time_us,requests\n0,2\n120000000,3\n180000000,4'],
    ['short names', 'ts,cnt\n1398902400,2\n1398902520,3\n1398902580,4'],
    ['a rate by PromQL', `"Time","sum(rate(http_requests_total[1m]))"\n0,${2 / 60}\n1,0\n2,0.05\n3,${4 / 60}`],
    ['semicolons and tabs at once', 'Timestamp [ms];\trequests\n1398902400;\t2\n1398902520;\t3\n1398902580;\t4'],
    ['rates a second', `time,requests_per_second\n0,${2 / 60}\n1,0\n2,0.05\n3,${4 / 60}`],
  ] as const)
    it(`are the same with ${what}`, () => {
      expect(parseTrace(text, 'x.csv')).to.eql({ interval: 60_000, counts: [2, 0, 3, 4] });
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

  for (const [what, text, message] of [
    ['an unknown form', 'a;b;c\n1;2;3', 'none of the known forms'],
    ['no line', 'period,count\n', 'no line with a count'],
    ['a broken count', 'period,count\n1998-04-30 21:30:00,many', 'Line 2 of the trace x.csv has no count: "many"'],
    ['a negative count', '1,5;\n2,-3;', 'Line 2'],
    ['a broken time', 'period,count\nyesterday,1', 'Line 2 of the trace x.csv has no time'],
    ['a day that could be a month', 'time,count\n10.04.2014 00:04,1', 'Line 2 of the trace x.csv has no time'],
    ['a day that no month has', 'time,count\n2014-02-30 00:04,1', 'has no time'],
    [
      'two columns that can be counts',
      'time,visits,queries\n2014-02-20 00:04,1,2',
      'several columns that can be its counts (visits, queries)',
    ],
    [
      'columns of which none can be told to be the count',
      'time,a,b\n2014-02-20 00:04,1,2\n2014-02-20 00:05,1,2',
      'name it "count"',
    ],
    ['a comma in a number', 'time,count\n2014-02-20 00:04,"1,234"', 'no count: "1,234"'],
    [
      'thousands or decimals',
      'time;count\n0;100,000\n1;101,500',
      'Line 2 of the trace x.csv may mean thousands or three decimals ("100,000")',
    ],
    [
      'a number cut by its comma',
      'time,count\n0,5\n1,1,234',
      'Line 3 of the trace x.csv has 3 cells where its first line has 2',
    ],
    ['columns that nothing names', '2024-03-01 00:00,100,5\n2024-03-01 00:01,101,5', 'nothing says which is what'],
    [
      'a time that comes twice',
      'time,count\n2024-10-27 02:59,5\n2024-10-27 02:00,6\n2024-10-27 02:59,7',
      'Line 4 of the trace x.csv has the time of line 2',
    ],
    [
      'minutes that begin again',
      'minute,count\n58,5\n59,6\n0,7\n58,8',
      'Line 5 of the trace x.csv has the time of line 2, "58, 8"',
    ],
    ['steps of nobody knows what', 't,requests\n0,5\n10,6\n20,7', 'are 10 apart, and nothing says 10 of what'],
    ['days of a spreadsheet', 'time,count\n45352.25,5\n45352.5,6', 'look like days of a spreadsheet (45352.25)'],
    ['thousands', 'time,kreq/s\n0,5\n1,6', 'counts in thousands or more ("kreq/s")'],
    ['requests per what is no time', 'time,requests per user\n0,5\n1,6', 'says "requests per user"'],
    ['readings of a processor', 'timestamp,avg cpu\n0,5\n300,6', 'counts no requests: its numbers are "avg cpu"'],
    [
      'several metrics',
      'metric_name,timestamp,value\nhttp_reqs,1709251200,1\nhttp_req_duration,1709251200,12',
      'several metrics (http_reqs, http_req_duration)',
    ],
    [
      'a total',
      `time,count\n${Array.from({ length: 12 }, (_, i) => `${i},${i}`).join('\n')}\n12,66`,
      'is the sum of all others',
    ],
    [
      'a counter',
      `time,total requests\n${Array.from({ length: 12 }, (_, i) => `${i},${i * i}`).join('\n')}`,
      'never falls',
    ],
    [
      'a counter that began anew',
      `time,requests_total\n${Array.from({ length: 40 }, (_, i) => `${i},${(i % 30) * 7}`).join('\n')}`,
      'hardly ever falls',
    ],
    ['days of a spreadsheet by the day', 'time,count\n45352,5\n45353,6', 'look like days of a spreadsheet (45352)'],
    [
      'hours from 1 to 24',
      'date,hour,n\n2024-03-01,1,5\n2024-03-01,24,6',
      'has parts of its times in several columns (date, hour)',
    ],
    [
      'a year, a month and a day',
      'year,month,day,requests\n2024,3,1,5\n2024,4,1,6',
      'has parts of its times in several columns (year, month, day)',
    ],
    ['a day a row', 'date,1,2,3\n2024-03-01,5,6,7', "aren't the minutes of a function a row"],
    ['hours of a day a row', 'day,0,1,2\nMon,5,6,7', "aren't the minutes of a function a row"],
    [
      'arrivals in nobody knows what',
      'timestamp,um,rt\n0,a,9\n37,b,9\n75,c,9',
      'are whole numbers, and nothing says of what',
    ],
    ['times between arrivals', 'interarrival_time_ms\n37\n12', 'none of the known forms'],
    [
      'how long requests took',
      'timestamp,response_time\n0,5\n1,6',
      'counts no requests: its numbers are "response_time"',
    ],
    ['how large requests were', 'timestamp,RequestSize\n0,5\n1,6', 'counts no requests: its numbers are "RequestSize"'],
    [
      'a log between spaces',
      '1709251200.5  110 10.0.0.1 GET\n1709251201.1  90 10.0.0.1 GET',
      'has 4 columns and nothing says',
    ],
    ['thousands in other words', 'Zeit;Tausend Anfragen\n0;5\n1;6', 'counts in thousands or more ("Tausend Anfragen")'],
    ['a number of another kind', 'time,count\n0,0x10\n1,6', 'Line 2 of the trace x.csv has no count: "0x10"'],
    ['a number beyond all counting', 'time,count\n0,1e300\n1,6', 'Line 2 of the trace x.csv has no count: "1e300"'],
    [
      'files one behind the other',
      'HashFunction,1,2\na,5,6\nHashFunction,1,2\na,7,8',
      'Line 3 of the trace x.csv is its first line again',
    ],
    ['minutes in another order', 'HashFunction,1,10,2\na,5,6,7', "aren't the minutes of a function a row"],
    ['minutes and a sum', 'HashFunction,1,2,total\na,5,6,11', "aren't the minutes of a function a row"],
    [
      'a function whose row was cut',
      'HashFunction,1,2,3\na,5,6,7\nb,5',
      'Line 3 of the trace x.csv has 2 cells where its first line has 4',
    ],
    ...['minute_of_day', 'slot', 'period', 'half_hour', 'HourMinute', 'time_slot', 'Interval'].map(
      (part) =>
        [
          `days and their parts (${part})`,
          `date,${part},requests\n2024-03-01,0,5\n2024-03-01,1,6\n2024-03-02,0,7`,
          `has parts of its times in several columns (date, ${part})`,
        ] as const,
    ),
    [
      'days by number, and seconds of them',
      'day,time_s,requests\n1,0,5\n1,60,6\n2,0,7',
      'several columns (day, time_s)',
    ],
    ['days by number, and their slots', 'day,slot,requests\n1,0,5\n1,1,6\n2,0,7', 'several columns (day, slot)'],
    [
      'days by number, and their seconds',
      'day,time,0---0,1---0\n0,0,5,6\n0,60,5,6\n1,0,5,6',
      'several columns (day, time)',
    ],
    ...[
      'Internet traffic data (in bits)',
      'traffic (Mbit/s)',
      'throughput [KB/s]',
      'load (%)',
      'load average',
      'PJME_MW',
    ].map(
      (column) =>
        [
          `what is no request (${column})`,
          `time,${column}\n0,5\n1,6`,
          `counts no requests: its numbers are "${column}"`,
        ] as const,
    ),
    [
      'counts at any time',
      `time,count\n${Array.from({ length: 40 }, (_, i) => `${1709251200 + 60 * i + ((i * i * 7) % 50)},5`).join('\n')}`,
      'are no whole intervals apart',
    ],
    [
      'counts by another interval from some time on',
      `time,count\n${Array.from({ length: 40 }, (_, i) => (i < 20 ? `${1709251200 + 60 * i},5` : `${1709252400 + 300 * (i - 20)},25`)).join('\n')}`,
      'counts by 60 s, and in another part by 300 s',
    ],
    [
      'a number of each of what comes at any time',
      `id,pickup_time,passenger_count\n${Array.from({ length: 40 }, (_, i) => `${i},${1709251200 + ((i * i * 37) % 3600)},2`).join('\n')}`,
      'may be requests each or count them ("passenger_count")',
    ],
    ['several series', 'Series;Time;Value\na;1709251200;1\nlatency;1709251200;12', 'several metrics (a, latency)'],
    [
      'a counter that says only "Value"',
      `Time,Value\n${Array.from({ length: 12 }, (_, i) => `${i},${i * i}`).join('\n')}`,
      'never falls',
    ],
    [
      'times of arrivals, or counts',
      Array.from({ length: 12 }, (_, i) => `${i * i + 0.25}`).join('\n'),
      'are numbers alone that never fall',
    ],
    ['gaps between arrivals, or rates', '0.731\n0.25\n1.75', 'are numbers alone with fractions'],
    ['JSON that ends too early', '[{"time":0,"count":2},', 'is JSON of another form'],
    ['JSON within JSON', '{"time":0,"count":2}\n{"time":1,"count":{"sum":3}}', '(line 2)'],
    ['JSON of nothing', '[]', 'no line with a count'],
    ['nothing', '\uFEFF\r\n', 'no line with a count'],
    ['more lines than there is memory for', '5\n'.repeat(3_000_001), 'has more than 3 million lines'],
    ['more of JSON than there is memory for', `[${'[1,2],'.repeat(3_000_000)}[1,2]]`, 'has more than 3 million lines'],
    ['times ages apart', 'TIMESTAMP,A\n1998-04-30 21:30:00,1\n2026-04-30 21:30:00,1', 'more than a year'],
  ] as const) {
    it(`are refused with one sentence for ${what}`, () => {
      expect(() => parseTrace(text, 'x.csv')).to.throw(Error, message);
    });
  }
});
