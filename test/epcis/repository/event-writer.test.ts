import { expect } from 'chai';
import type { CapturedEvent } from '../../../epcis/domain/event.ts';
import type { Connection } from '../../../epcis/repository/database/database.ts';
import { insertEvents, portions } from '../../../epcis/repository/event-writer.ts';
import { KnownTerms, TermWriter } from '../../../epcis/repository/terms.ts';
import { objectXml, readEvents, xml2 } from '../../helpers/epcis-documents.ts';

describe('events that are written', () => {
  const event = (characters: number): CapturedEvent =>
    ({ source: { text: 'x'.repeat(characters) } }) as unknown as CapturedEvent;
  const counts = (...sizes: readonly number[]): readonly number[] =>
    [...portions(sizes.map(event))].map(({ length }) => length);

  it('are made into rows by portions of 64 Ki characters, in their order, and each is in one', () => {
    expect(counts()).to.deep.equal([]);
    expect(counts(1, 1, 1)).to.deep.equal([3]);
    expect(counts(...new Array<number>(130).fill(1024))).to.deep.equal([64, 64, 2]);
    expect(counts(1, 1_000_000, 1, 1)).to.deep.equal([2, 2]);
    const events = [event(40_000), event(40_000), event(1)];
    expect([...portions(events)].flat()).to.deep.equal(events);
  });

  /** Statements, and before how many rows others were let in. */
  async function written(document: string): Promise<readonly string[]> {
    const happened: string[] = [];
    const told = (sql: string): void => void happened.push(sql.replace(/^(\w+) .*?(?:FROM|INTO) (\w+).*$/s, '$1 $2'));
    const connection: Connection = {
      dialect: 'sqlite',
      run: async (sql) => (told(sql), 1),
      all: async (sql) => (told(sql), sql.includes('term') ? [{ value: 'x'.repeat(1000) }] : []),
    };
    const before = (rows: number): undefined => void happened.push(String(rows));
    await insertEvents(connection, await readEvents(document, 'xml'), 0, new TermWriter(new KnownTerms()), before);
    return happened;
  }

  it('let others in before each of them, each 64 rows of their index, each new term and each statement', async () => {
    const fields = Array.from({ length: 200 }, (_, i) => `<e:f${i} xmlns:e="http://example.org/">${i}</e:f${i}>`);
    const document = xml2(objectXml(`<bizStep>urn:x:step</bizStep>${fields.join('')}`, { epc: 'urn:x:1' }));
    const text = (await written(document)).join(', ');
    expect(text).to.match(/^SELECT event, 0, 1, INSERT event, 1, INSERT event_epc, (?:0, ){6}128, INSERT event_text, /);
    expect(text).to.match(
      /, (?:0, ){3}128, INSERT event_number, (?:\d+, INSERT event_number, )+1, SELECT term(?:, 1, SELECT term)*$/,
    );
  });

  it('let others in within a large one before it has any row: each piece of it counts as a hundred', async () => {
    const epcs = Array.from({ length: 2_100 }, (_, i) => `urn:x:${i}`).join('</epc><epc>');
    const happened = await written(xml2(objectXml('', { epc: epcs })));
    expect(happened.slice(0, 9)).to.deep.equal([
      'SELECT event',
      '0',
      ...Array<string>(5).fill('100'),
      '1',
      'INSERT event',
    ]);
  });
});
