// Where others capture what clients' VMs take in, the rest of a long document is looked at by its job.
import { expect } from 'chai';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument } from '../helpers/work-faults.ts';

const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
/** Of 1 MB and a half. */
const EVENTS = 1500;
const LONG = eventsDocument('long', EVENTS, 1000)
  .replace('schemaVersion="1.2"', 'schemaVersion="2.0"')
  .replace('urn:epcglobal:epcis:xsd:1', 'urn:epcglobal:epcis:xsd:2');
const CUT_OFF = LONG.slice(0, -1);

interface Job {
  readonly running: boolean;
  readonly success: boolean;
  readonly errors: readonly { readonly type: string; readonly title: string; readonly detail?: string }[];
}

for (const [kind, freshUrl] of KINDS) {
  describe(`long documents on ${kind}`, function () {
    this.timeout(60_000);
    let front: EpcisServer;
    let worker: EpcisServer;
    let alone: EpcisServer;

    before(async () => {
      const work = { pollMs: 50, partBytes: 300_000 };
      const repository = { url: await freshUrl() };
      front = await startEpcisServer({ repository, port: 0, work, log, role: 'query' });
      worker = await startEpcisServer({ repository, port: 0, work, log, role: 'work' });
      alone = await startEpcisServer({ repository: { url: await freshUrl() }, port: 0, work, log });
    });
    after(() => Promise.all([front, worker, alone].map((server) => server.close())));

    const send = (to: EpcisServer, body: string, behaviour: string): Promise<Response> =>
      fetch(`${to.address}/capture`, {
        ...{ method: 'POST', body },
        headers: { 'content-type': 'application/xml', 'GS1-Capture-Error-Behaviour': behaviour },
      });
    const done = async (answer: Response): Promise<Job> => {
      expect(answer.status).to.equal(202);
      const job = new URL(answer.headers.get('location') ?? '', front.address);
      return until('the job is done', async () => {
        const told = (await (await fetch(job)).json()) as Job;
        return told.running ? undefined : told;
      });
    };
    const stored = async (): Promise<number> => {
      const answer = await fetch(`${front.address}/events?perPage=1`);
      const { epcisBody } = (await answer.json()) as {
        readonly epcisBody: {
          readonly queryResults: { readonly resultsBody: { readonly eventList: readonly object[] } };
        };
      };
      return epcisBody.queryResults.resultsBody.eventList.length;
    };

    it('that are cut off are told of by their job, and nothing of them is there', async () => {
      const { success, errors } = await done(await send(front, CUT_OFF, 'rollback'));
      expect(success).to.equal(false);
      expect(JSON.stringify(errors)).to.match(/ValidationException.*not well-formed XML/);
      expect(await stored()).to.equal(0);
    });

    it('that are cut off and proceed past errors are not cut in parts: what is wrong is told once', async () => {
      const { success, errors } = await done(await send(front, CUT_OFF, 'proceed'));
      expect(success).to.equal(false);
      expect(errors).to.have.lengthOf(1);
    });

    it('are refused at once where they are wrong at their beginning, or where the VM does the work itself', async () => {
      const wrong = LONG.replace('<EPCISBody>', '<EPCISBody');
      expect((await send(front, wrong, 'rollback')).status).to.equal(400);
      expect((await send(alone, CUT_OFF, 'rollback')).status).to.equal(400);
    });
  });
}
