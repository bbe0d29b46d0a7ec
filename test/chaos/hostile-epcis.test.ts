// What is refused at once costs nobody anything: a hostile client has to be answered.
import { expect } from 'chai';
import { startEpcisServer } from '../../epcis/server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { EVENTS, QUERIES, send } from './hostile-epcis.ts';

/** Of a request's head, on HAProxy. */
const MOST_HEAD = 16_384;

it('queries at every limit are within it, events of many values are not', async () => {
  const folder = temporaryFolder();
  const log = { error: () => {}, warn: () => {}, info: () => {} };
  const server = await startEpcisServer({ repository: { url: `sqlite://${folder.path}/events.db` }, port: 0, log });
  try {
    for (const event of EVENTS) expect(await send(server.port, event())).to.equal(413);
    for (const query of QUERIES) {
      expect(query.path.length).to.be.below(MOST_HEAD - 1_000);
      expect(await send(server.port, query), query.path.slice(0, 40)).to.equal(200);
    }
  } finally {
    await server.close();
    folder.remove();
  }
});
