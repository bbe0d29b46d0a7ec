import { expect } from 'chai';
import { parsePriceTraces, priceReader } from '../../../src/simulate/price-trace.ts';

const NAME = 'm3.medium-us-east-1a.csv';
const AT = Date.parse('2015-03-11T16:54:38Z');
const read = (text: string, name = NAME) => parsePriceTraces([{ name, text }]);
const ONE = [{ pool: 'us-east-1a/m3.medium', points: [{ at: AT, price: 0.0324 }] }];

describe('recorded prices', () => {
  it('hold until the next, in whatever order they stand', () => {
    const [trace] = read(
      'time,price\n2015-03-11T16:58:12Z,0.0321\n2015-03-11T16:54:38Z,0.0324\n',
      'c3.xlarge-us-east-1a.csv',
    );
    expect(trace?.pool).to.equal('us-east-1a/c3.xlarge');
    if (trace === undefined) return;
    const price = priceReader(trace);
    const at = (time: string) => price(Date.parse(`2015-03-11T${time}Z`));
    expect([at('16:00:00'), at('16:58:11'), at('16:58:12'), at('23:00:00')]).to.deep.equal([
      ...[0.0324, 0.0324, 0.0321, 0.0321],
    ]);
    expect(at('16:55:00'), 'also asked backwards').to.equal(0.0324);
  });

  const AWS = { AvailabilityZone: 'us-east-1a', InstanceType: 'm3.medium', ProductDescription: 'Linux/UNIX' };
  for (const [what, text, name] of [
    ['columns in another order', 'price,time\n0.0324,2015-03-11T16:54:38Z'],
    ['columns that nobody needs', 'id,time,price,note\n7,2015-03-11T16:54:38Z,0.0324,"so, so"'],
    ['the names of another export', 'Timestamp;Spot Price (USD)\n2015-03-11 16:54:38+00:00;"$0.0324"'],
    [
      'zone and type in the rows',
      'timestamp\tInstanceType\tAvailabilityZone\tSpotPrice\n1426092878\tm3.medium\tus-east-1a\t0.0324',
      'all.tsv',
    ],
    ['CRLF, a byte order mark and empty lines', '\uFEFFtime,price\r\n\r\n2015-03-11T16:54:38Z,0.0324\r\n\r\n'],
    ['a time zone', 'time,price\n2015-03-11T18:54:38+02:00,0.0324'],
    ['a time zone in words', 'time,price\n2015-03-11 16:54:38.000 UTC,3.24e-2 USD'],
    ['milliseconds since 1970', 'time,price\n1426092878000,0.0324'],
    ['a line twice', 'time,price\n2015-03-11T16:54:38Z,0.0324\n2015-03-11T16:54:38Z,0.0324'],
    [
      "AWS CLI's JSON",
      JSON.stringify({ SpotPriceHistory: [{ ...AWS, SpotPrice: '0.032400', Timestamp: '2015-03-11T16:54:38+00:00' }] }),
      'x.json',
    ],
    [
      'other systems in the same answer',
      JSON.stringify([
        { ...AWS, ProductDescription: 'Windows', SpotPrice: '0.5', Timestamp: '2015-03-11T16:54:38Z' },
        { ...AWS, SpotPrice: 0.0324, Timestamp: '2015-03-11T16:54:38Z' },
      ]),
      'x.json',
    ],
    [
      'a zone for a region, as some exports call it',
      'datetime,instance_type,os,region,price\n2015-03-11 16:54:38+00,m3.medium,Linux/UNIX,us-east-1a,0.0324',
      'all.csv',
    ],
    [
      'region and zone',
      'region,zone,type,time,price\nus-east-1,us-east-1a,m3.medium,1426092878.0,0.0324 USD/hour',
      'all.csv',
    ],
    ['UTC said in the head', 'Time (UTC),Price ($/hour)\n2015-03-11 16:54:38.000,$0.0324'],
    ['only the hour of the zone', 'time,price\n2015-03-11 18:54:38.000000+02,0.0324'],
    [
      'Linux by its short name',
      'time,price,os\n1426092878,0.0324,Linux\n1426092878,0.07,SUSE Linux\n1426092878,0.09,Windows',
    ],
    [
      'prices for a VPC beside those of EC2-Classic, which is gone',
      'time,price,product\n1426092878,0.5,Linux/UNIX\n1426092878,0.0324,Linux/UNIX (Amazon VPC)\n1426092800,0.6,Linux/UNIX',
    ],
    [
      "pages of AWS CLI's JSON, one after the other",
      Array.from({ length: 2 }, () =>
        JSON.stringify(
          { SpotPriceHistory: [{ ...AWS, SpotPrice: '0.0324', Timestamp: '2015-03-11T16:54:38Z' }], NextToken: 'x' },
          null,
          4,
        ),
      ).join('\n'),
      'x.json',
    ],
    [
      'pages in a list',
      JSON.stringify([
        { SpotPriceHistory: [] },
        { SpotPriceHistory: [{ ...AWS, SpotPrice: '0.0324', Timestamp: '2015-03-11T16:54:38Z' }] },
      ]),
      'x.json',
    ],
    [
      'an entry a line',
      ['2015-03-11T16:54:38Z', 1426092878]
        .map((Timestamp) => JSON.stringify({ ...AWS, SpotPrice: 0.0324, Timestamp }))
        .join('\n'),
      'x.json',
    ],
    [
      "AWS CLI's text of today, which has the zone's id, too, and says where it would go on",
      'SPOTPRICEHISTORY\tus-east-1a\tuse1-az4\tm3.medium\tLinux/UNIX\t0.032400\t2015-03-11T16:54:38+00:00\nNEXTTOKEN\teyJOZXh0\n',
      'x.txt',
    ],
    [
      "AWS CLI's text",
      'SPOTPRICEHISTORY\tus-east-1a\tm3.medium\tLinux/UNIX (Amazon VPC)\t0.032400\t2015-03-11T16:54:38.000Z\n',
      'x.txt',
    ],
  ] as const)
    it(`are read with ${what}`, () => expect(read(text, name)).to.deep.equal(ONE));

  it('of many pools may be in one file, and of one pool in many', () => {
    const head = 'zone,type,time,price\n';
    const rows = Array.from({ length: 3000 }, (_, i) => `us-east-1a,t${i},2015-03-11T16:54:38Z,${(i + 1) / 1e5}\n`);
    expect(read(head + rows.join(''), 'all.csv')).to.have.length(3000);
    const later = `${head}us-east-1a,m3.medium,2015-03-12T00:00:00Z,0.04\n`;
    const merged = parsePriceTraces([
      { name: 'later.csv', text: later },
      { name: NAME, text: 'time,price\n2015-03-11T16:54:38Z,0.0324\n' },
    ]);
    expect(merged.map(({ points }) => points.map(({ price }) => price))).to.deep.equal([[0.0324, 0.04]]);
    expect(read('time,price\n1426092878,1', 'g5g.metal-us-west-2-lax-1a.csv.gz')[0]?.pool).to.equal(
      'us-west-2-lax-1a/g5g.metal',
    );
  });

  it('hold to the newest time of their file, since who asked for one pool asked for all of them until then', () => {
    const rows = ['us-east-1a,m3.medium,1426092000,0.01', 'us-east-1b,m3.medium,1426092878,0.02'];
    const [still, moving] = read(`zone,type,time,price\n${rows.join('\n')}`, 'all.csv');
    expect(still?.points).to.deep.equal([
      { at: 1426092000_000, price: 0.01 },
      { at: 1426092878_000, price: 0.01 },
    ]);
    expect(moving?.points).to.have.length(1);
  });

  const line = (time: string, price: string) => `time,price\n2015-03-10T00:00:00Z,0.01\n${time},${price}`;
  const TIME = '2015-03-11T16:54:38Z';
  for (const [what, text, sentence, name] of [
    [
      'a name without a zone',
      line(TIME, '1'),
      'must be named type-zone, as m3.medium-us-east-1a.csv, or have the columns zone and type.',
      'prices.csv',
    ],
    [
      'no head',
      `${TIME},0.01`,
      'must have a head line with one column time, such as time,price: it begins with 2015-03-11T16:54:38Z,0.01.',
    ],
    [
      'another head',
      'when,price\n',
      'must have a head line with one column time, such as time,price: it begins with when,price.',
    ],
    [
      'two prices',
      'time,price,spotprice\n',
      'must have a head line with one column price, such as time,price: it begins with time,price,spotprice.',
    ],
    ['nothing at all', '', 'must have a head line with one column time, such as time,price: it begins with nothing.'],
    ['no line', 'time,price\n', 'has no price.'],
    ['a word for a price', line(TIME, 'dear'), 'has no price in line 3: dear.'],
    ['no price', line(TIME, ''), 'has no price in line 3: nothing.'],
    ['NaN', line(TIME, 'NaN'), 'has no price in line 3: NaN.'],
    ['too much', line(TIME, '1e999'), 'has no price in line 3: 1e999.'],
    ['0', line(TIME, '0.0000'), 'has the price 0.0000 in line 3: no cloud gives VMs away, so leave that line out.'],
    [
      'a negative price',
      line(TIME, '-0.01'),
      'has the price -0.01 in line 3: no cloud gives VMs away, so leave that line out.',
    ],
    [
      'another currency',
      line(TIME, '€ 0.01'),
      'has a price in € in line 3 (€ 0.01): all are to be in USD, as those on demand.',
    ],
    ['a decimal comma', line(TIME, '"0,01"'), 'has a comma in the price 0,01 in line 3: write it with a point.'],
    ['a cell too many', line(TIME, '0,01'), 'has 3 cells in line 3 where its head has 2: 2015-03-11T16:54:38Z,0,01.'],
    [
      'no time zone',
      line('2015-03-11 16:54', '1'),
      'does not say in which time zone 2015-03-11 16:54 in line 3 is: write 2015-03-11T16:54Z or 2015-03-11T16:54+02:00.',
    ],
    [
      'a day that is none',
      line('2015-02-30T00:00:00Z', '1'),
      'has no time in line 3: 2015-02-30T00:00:00Z (2015-03-11T16:54:38Z is one).',
    ],
    ['a time that is none', line('yesterday', '1'), 'has no time in line 3: yesterday (2015-03-11T16:54:38Z is one).'],
    [
      'two prices at one time',
      line('2015-03-10T01:00+01:00', '0.02'),
      'has in line 3 another price of us-east-1a/m3.medium (0.02) than before for the same time (0.01).',
    ],
    [
      'another system only',
      '[{"Timestamp":"1426092878","SpotPrice":"1","ProductDescription":"Windows"}]',
      'has prices of Windows only: those of Linux/UNIX are compared.',
    ],
    ['an entry without a time', '[{"SpotPrice":"1"}]', 'has no Timestamp and SpotPrice in entry 1: {"SpotPrice":"1"}.'],
    [
      'JSON of something else',
      '{"Reservations":[]}',
      'has no list SpotPriceHistory, as aws ec2 describe-spot-price-history answers.',
    ],
    [
      'a region and no zone',
      'time,price,type,region\n1426092878,1,m3.medium,us-east-1',
      'names a region and no zone in line 2: us-east-1.',
    ],
    [
      'zones of two columns',
      'time,price,az,zone\n',
      'must have a head line with no more than one column zone: it begins with time,price,az,zone.',
    ],
    [
      'something that is no text',
      '\u0000\u0001PK\uFFFD\uFFFD\n',
      'is no text: CSV, TSV, or JSON of AWS CLI are read, also zipped by gzip.',
    ],
    [
      'a list of something else',
      `[${JSON.stringify({ much: 'x'.repeat(500) })}]`,
      `has no Timestamp and SpotPrice in entry 1: {"much":"${'x'.repeat(91)}….`,
    ],
    ['a type without a zone', 'time,price,type\n1426092878,1,m3.medium', 'names no zone and type in line 2.'],
    [
      'half a line',
      'SPOTPRICEHISTORY\tus-east-1a\tm3.medium',
      'has in line 1 no zone, type, product, price and time after SPOTPRICEHISTORY: SPOTPRICEHISTORY\tus-east-1a\tm3.medium.',
    ],
  ] as const)
    it(`with ${what} are refused in one sentence`, () => {
      expect(() => read(text, name)).to.throw(`The price trace ${name ?? NAME} ${sentence}`);
    });

  it('that are cut off in the middle are refused', () => {
    expect(() => read('{"SpotPriceHistory": [{', 'x.json')).to.throw(/^The price trace x\.json is no JSON: .*\.$/);
  });
});
