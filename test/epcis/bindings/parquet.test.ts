// Parquet files as a reader that others wrote reads them.
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { createWriteExport } from '../../../epcis/bindings/delivery/write-export.ts';
import type { ExportRequest } from '../../../epcis/service/exports.ts';
import type { StoredEvent } from '../../../epcis/service/services.ts';

interface Event {
  readonly eventID?: string;
  readonly eventTime: string;
  readonly bizStep?: string;
  readonly readPoint?: { readonly id: string };
  readonly epcList?: readonly string[];
  readonly childEPCs?: readonly string[];
}

const asked: ExportRequest = { queryName: 'q', parameters: [], format: 'parquet', version: '2.0' };
/** Each page by another VM, which knows only what the one before left. */
function fileOf(pages: readonly (readonly Event[])[]): Buffer {
  let known: string | undefined;
  const written = pages.map((events, n) => {
    const made = createWriteExport({ event: (event) => JSON.stringify(event) }, () => new Date())(asked);
    const page = made.page(
      events.map((event) => made.event(event as unknown as StoredEvent)),
      {
        ...{ isFirst: n === 0, isLast: n === pages.length - 1, isBehind: n > 0 },
        ...(known !== undefined && { known }),
      },
    );
    known = page.known;
    return page.bytes ?? new Uint8Array();
  });
  return Buffer.concat(written);
}

/** In memory of its own: a Buffer's may hold more. */
const read = (file: Buffer): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({
    file: new Uint8Array(file).buffer,
    compressors: { GZIP: (bytes) => new Uint8Array(gunzipSync(bytes)) },
  });

const known = (row: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined));

const text = fc.string({ unit: 'binary', maxLength: 20 });
const list = fc.array(text, { maxLength: 4 });
const event: fc.Arbitrary<Event> = fc.record(
  {
    eventID: text,
    eventTime: fc
      .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((at) => at.toISOString()),
    ...{ bizStep: text, readPoint: fc.record({ id: text }), epcList: list, childEPCs: list },
  },
  { requiredKeys: ['eventTime'] },
);

describe('a Parquet file', function () {
  this.timeout(60_000);

  it('holds what the events hold, however they come in pages', async () => {
    const pages = fc.array(fc.array(event, { minLength: 1, maxLength: 40 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(pages, fc.boolean(), async (some, endsEmpty) => {
        const all = some.flat();
        const rows = await read(fileOf(endsEmpty || some.length === 0 ? [...some, []] : some));
        expect(rows).to.have.length(all.length);
        for (const [n, row] of rows.entries()) {
          const { eventTime = '', readPoint, ...same } = all[n] ?? {};
          const place = readPoint && { readPoint: readPoint.id };
          expect(known(row)).to.deep.equal({
            ...{ ...same, ...place, eventTime: new Date(eventTime), event: JSON.stringify(all[n]) },
          });
        }
      }),
      { numRuns: 100 },
    );
  });

  it('is one without rows where there are no events', async () => {
    expect(await read(fileOf([[]]))).to.deep.equal([]);
  });

  it('has times in UTC to the millisecond, wherever they were told', async () => {
    const rows = await read(fileOf([[{ eventTime: '2026-03-01T00:30:00.1239+02:00' }]]));
    expect(rows[0]?.['eventTime']).to.deep.equal(new Date('2026-02-28T22:30:00.123Z'));
  });

  it('has columns of many runs and of long ones', async () => {
    const events = Array.from({ length: 20_000 }, (_, n) => ({
      eventTime: '2026-01-01T00:00:00Z',
      ...(n < 300 ? n % 2 === 0 && { bizStep: `${n}` } : { bizStep: 'shipping' }),
      epcList: Array.from({ length: n % 300 === 0 ? 300 : 1 }, (_, k) => `${n}:${k}`),
    }));
    const rows = await read(fileOf([events]));
    expect(rows.map(({ bizStep }) => bizStep)).to.deep.equal(
      events.map((one) => ('bizStep' in one ? one.bizStep : null)),
    );
    expect(rows.map(({ epcList }) => epcList)).to.deep.equal(events.map(({ epcList }) => epcList));
  });
});
