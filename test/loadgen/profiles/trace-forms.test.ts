// One load, written in every form that people have sent it in.
import { expect } from 'chai';
import { parseTrace } from '../../../loadgen/profiles/trace-file.ts';

describe('trace files', () => {
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
});
