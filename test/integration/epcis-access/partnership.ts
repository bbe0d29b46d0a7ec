// The repository that partners share, and the one that beta has alone.
import { expect } from 'chai';
import type { ClientIdentity } from '../../../epcis/access/identity.ts';
import { readRules } from '../../../epcis/access/rules/read.ts';
import { applyRules } from '../../../epcis/repository/access-rules.ts';
import type { Database } from '../../../epcis/repository/database/database.ts';
import { openDatabase } from '../../../epcis/repository/database/open.ts';
import { migrate } from '../../../epcis/repository/migrate.ts';
import type { EpcisServer } from '../../../epcis/server.ts';
import { as, startGuarded } from '../../helpers/access.ts';
import {
  ACME,
  ALL,
  DOCK,
  event,
  EVERYTHING,
  json,
  OBSERVER,
  PILOT,
  PLACES,
  RULES,
  soap,
  VIEW,
} from '../../helpers/partners.ts';
import { startReceiver, type Receiver } from '../../helpers/receiver.ts';

export const SUBSCRIPTION = { stream: true };
export const documentOf = (events: readonly unknown[]) => ({
  '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'],
  type: 'EPCISDocument',
  schemaVersion: '2.0',
  creationDate: '2026-01-01T00:00:00Z',
  epcisBody: { eventList: events },
});
export const subscribe = (id: string, to: string) =>
  soap(
    `<q:Subscribe><queryName>SimpleEventQuery</queryName><params/><dest>${to}</dest><controls>` +
      '<trigger>urn:x:captured</trigger><reportIfEmpty>false</reportIfEmpty></controls>' +
      `<subscriptionID>${id}</subscriptionID></q:Subscribe>`,
  );

/** `freshUrl`: of an empty repository. */
export function openPartnership(freshUrl: () => Promise<string>) {
  let shared: EpcisServer;
  let alone: EpcisServer;
  let database: Database;
  let receiver: Receiver;
  const opened: Database[] = [];

  const openRepository = async (
    rules: unknown,
    places?: string,
    events: readonly object[] = [],
  ): Promise<[EpcisServer, Database]> => {
    const url = await freshUrl();
    const made = await openDatabase({ url });
    opened.push(made);
    await migrate(made);
    await apply(made, rules);
    const server = await startGuarded(url, { subscriptionTargets: ['127.0.0.0/8'] });
    if (places !== undefined) {
      const master = { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: places };
      expect((await as(server, OBSERVER, '/epcis/capture', master)).status).to.equal(200);
    }
    for (const each of events) expect((await as(server, OBSERVER, '/events', json(each))).status).to.equal(201);
    return [server, made];
  };
  const apply = (to: Database, rules: unknown): Promise<number> => {
    readRules(rules);
    const text = JSON.stringify(rules);
    return applyRules(to, { source: text, rules: text, appliedBy: 'test', appliedFrom: 'here' });
  };

  const ask = (who: ClientIdentity, path: string, init?: RequestInit) => as(shared, who, path, init);
  const eventsOf = async (who: ClientIdentity, path = '/events'): Promise<string[]> => {
    const response = await ask(who, path);
    const body = (await response.json()) as {
      epcisBody: { queryResults: { resultsBody: { eventList: { eventID?: string }[] } } };
    };
    // what was captured without an ID has none where its hash would tell what is hidden
    return body.epcisBody.queryResults.resultsBody.eventList.map(({ eventID = '-' }) => eventID.slice(-1)).sort();
  };
  return {
    /** The repository that they share; the questions of `ask` and `eventsOf` go to it. */
    ...{ shared: () => shared, database: () => database, ask, eventsOf },
    /** What beta would have if nobody else had anything. */
    alone: () => alone,
    /** Where subscriptions deliver to. */
    receiver: () => receiver,
    /** Another repository; other rules for one. */
    ...{ openRepository, apply },
    async open() {
      receiver = await startReceiver();
      [shared, database] = await openRepository(RULES, PLACES([DOCK, PILOT], true), ALL.map(event));
      [alone] = await openRepository(EVERYTHING, PLACES([DOCK], false), VIEW);
      // of which beta may not know
      const named = json({ name: 'theirs', query: { EQ_bizStep: ['shipping'] } });
      expect((await ask(ACME, '/queries', named)).status).to.equal(201);
      const subscription = { ...SUBSCRIPTION, dest: receiver.url };
      expect((await ask(ACME, '/queries/theirs/subscriptions', json(subscription))).status).to.equal(201);
      const soapSubscription = subscribe('S-1', receiver.url);
      expect((await ask(ACME, '/epcis/query', soapSubscription)).status).to.equal(200);
      expect((await ask(ACME, '/capture', json(documentOf([])))).status).to.equal(202);
    },
    async close() {
      await Promise.all([shared.close(), alone.close()]);
      await Promise.all(opened.map((each) => each.close()));
      receiver.close();
    },
  };
}

export type Partnership = ReturnType<typeof openPartnership>;
