import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareMarkets, marketOf } from '../../../src/cli/compare-markets.ts';

describe('mmeliot compare --markets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-markets-'));
  after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, ...points: readonly string[]) => {
    writeFileSync(join(folder, name), ['time,price', ...points, ''].join('\r\n'));
  };
  const refusal = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => expect.fail('it worked'),
      (error: unknown) => (error as Error).message,
    );
  const compare = (span?: string, subsets = '0'): Promise<string> => {
    const load = join(folder, 'load.txt');
    writeFileSync(load, '0.5,1;\n1.5,2;\n');
    const rest = {
      notice: '120s',
      spread: '3',
      subsets,
      period: '2m',
      policy: 'adaptive',
      boot: '60s',
      objective: '95%:500ms',
    };
    const more = { max: '4', seed: '1', out: folder, vm: { serviceMs: 50, parallel: 1, variation: 1 } };
    return refusal(compareMarkets([load], { markets: folder, ...rest, ...more, ...(span !== undefined && { span }) }));
  };

  it('refuses prices that have no time in common', async () => {
    write('m3.medium-us-west-2a.csv', '2015-01-01T00:00:00Z,0.01', '2015-01-02T00:00:00Z,0.02');
    write('m1.small-us-west-2b.csv', '2015-03-01T00:00:00Z,0.01', '2015-03-02T00:00:00Z,0.02');
    expect(await refusal(marketOf(folder, undefined, '120s'))).to.match(
      /have no time in common: us-west-2b\/m1\.small from 2015-03-01 to 2015-03-02, us-west-2a\/m3\.medium from 2015-01-01 to 2015-01-02\.$/,
    );
  });

  it('asks for the on-demand price of a type that it does not know', async () => {
    write('m1.small-us-west-2b.csv', '2015-01-01T12:00:00Z,0.01');
    expect((await marketOf(folder, undefined, '120s')).prices).to.have.length(2);
    write('x9.huge-us-west-2b.csv', '2015-01-01T12:00:00Z,0.01');
    expect(await refusal(marketOf(folder, undefined, '120s'))).to.match(/^What does x9\.huge cost an hour on demand\?/);
    rmSync(join(folder, 'x9.huge-us-west-2b.csv'));
  });

  it('plays no longer than there are prices, and no sets of more pools than there are', async () => {
    expect(await compare()).to.equal('The price traces have no more than one moment in common.');
    write('m1.small-us-west-2b.csv', '2015-01-01T12:00:00Z,0.01', '2015-01-04T00:00:00Z,0.01');
    expect(await compare('2d')).to.match(/^--span 2d: the price traces have 0\.5 days in common/);
    expect(await compare('1h', '3')).to.match(/^--subsets 3: a whole number up to 2/);
    const many = Array.from({ length: 40 }, (_, i) =>
      `us-west-2b,m1.small,2015-01-01T12:00:00Z,0.01`.replace('2b', `${i}a`),
    );
    const rows = many.flatMap((row) => [row, row.replace('01T', '03T')]);
    writeFileSync(join(folder, 'many.csv'), ['zone,type,time,price', ...rows].join('\n'));
    expect(await compare('1h', '4')).to.equal('--subsets 4 of 42 pools are 111930 sets, each a run: 1000 at most.');
  });
});
