// What could be read in two ways, or is no load, is not guessed at.
import { expect } from 'chai';
import { parseTrace } from '../../../loadgen/profiles/trace-file.ts';

describe('trace files', () => {
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
