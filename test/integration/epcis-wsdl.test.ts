// A client generated from our WSDL calls every operation.
import { expect } from 'chai';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { createClientAsync, type Client } from 'soap';
import { EpcisException } from '../../epcis/domain/exceptions.ts';
import type { Services } from '../../epcis/bindings/http/doors.ts';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { schemas } from '../../epcis/bindings/soap/schema.ts';
import type { StoredEvent } from '../../epcis/service/services.ts';
import { serveScripted, type ScriptedServer } from '../helpers/epcis-doors.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { Bench } from '../helpers/gateway.ts';
import { present } from '../helpers/present.ts';

const EVENT =
  '<ObjectEvent><eventTime>2024-01-01T00:00:00Z</eventTime><recordTime>2024-01-01T00:00:01Z</recordTime>' +
  '<eventTimeZoneOffset>+00:00</eventTimeZoneOffset><epcList><epc>urn:epc:id:sgtin:1.2.3</epc></epcList><action>ADD</action>' +
  '<readPoint><id>urn:rp</id></readPoint><ex:color xmlns:ex="http://ex.example/">red</ex:color></ObjectEvent>';

interface Outcome {
  readonly [name: string]: unknown;
}

/** What the client throws where the answer is a fault. */
interface Failure {
  readonly root?: { Envelope: { Body: { Fault: { detail: Record<string, { reason: string }> } } } };
}

async function callOf(client: Client, operation: string, message: object): Promise<Outcome> {
  const methods = client as unknown as Record<string, (message: object) => Promise<[Outcome | null]>>;
  const [result] = (await methods[`${operation}Async`]?.(message)) ?? [null];
  return result ?? {};
}

describe('a client generated from the WSDL', () => {
  let server: ScriptedServer;
  let client: Client;
  const calls: unknown[] = [];
  const stored: StoredEvent = {
    event: { type: 'ObjectEvent', eventTime: '', eventTimeZoneOffset: '' },
    hash: '',
    source: { format: 'xml', text: '' },
    recordTime: '',
  };

  before(async () => {
    async function* events() {
      yield stored;
    }
    const subscriptions: Partial<Services['subscriptions']> = {
      subscribe: async (request) => {
        calls.push(request);
        const { id = '', initialRecordTime = '', reportIfEmpty = false } = request;
        return { ...request, id, initialRecordTime, reportIfEmpty, createdAt: '', minRecordTime: '' };
      },
      unsubscribe: async (id) => {
        calls.push(id);
        if (id !== 'S1') throw new EpcisException('NoSuchSubscriptionException', `There is no subscription '${id}'.`);
      },
      list: async (queryName) => {
        calls.push(queryName);
        return [];
      },
    };
    server = await serveScripted({
      services: {
        query: {
          events: async (parameters) => {
            calls.push(parameters);
            return events();
          },
        },
        queries: {
          get: async (name) => {
            if (name !== 'SimpleEventQuery')
              throw new EpcisException('NoSuchNameException', `There is no query '${name}'.`);
            return { name, kind: 'events', parameters: [] };
          },
          names: async () => ['SimpleEventQuery'],
        },
        subscriptions,
      },
      documents: { event: () => EVENT },
    });
    client = await createClientAsync(`${server.url}/epcis-repository/query?wsdl`);
  });
  after(() => server.close());
  beforeEach(() => calls.splice(0));

  const call = (operation: string, message: object): Promise<Outcome> => callOf(client, operation, message);

  it('finds the seven operations of one service', () => {
    const service = client.describe() as Record<string, Record<string, object>>;
    const operations = Object.keys(service['EPCglobalEPCISService']?.['EPCglobalEPCISServicePort'] ?? {});
    expect(operations).to.have.members([
      'getQueryNames',
      'subscribe',
      'unsubscribe',
      'getSubscriptionIDs',
      'poll',
      'getStandardVersion',
      'getVendorVersion',
    ]);
  });

  it('asks for the query names and the versions', async () => {
    expect(await call('getQueryNames', {})).to.deep.equal({ string: ['SimpleEventQuery'] });
    expect(await call('getStandardVersion', {})).to.equal('1.2');
    await call('getVendorVersion', {});
  });

  it('polls and reads typed events', async () => {
    const params = { param: [{ name: 'EQ_action', value: { string: ['ADD'] } }] };
    const result = await call('poll', { queryName: 'SimpleEventQuery', params });
    expect(calls).to.deep.equal([[{ name: 'EQ_action', values: ['ADD'] }]]);
    const { EventList } = result['resultsBody'] as {
      EventList: { ObjectEvent: { action: string; eventTime: Date }[] };
    };
    expect(EventList.ObjectEvent[0]?.action).to.equal('ADD');
    expect(EventList.ObjectEvent[0]?.eventTime).to.deep.equal(new Date('2024-01-01T00:00:00Z'));
  });

  it('subscribes, lists and unsubscribes', async () => {
    await call('subscribe', {
      queryName: 'SimpleEventQuery',
      params: {},
      dest: 'http://client.example/',
      controls: { schedule: { second: '0' }, reportIfEmpty: false },
      subscriptionID: 'S1',
    });
    await call('getSubscriptionIDs', { queryName: 'SimpleEventQuery' });
    await call('unsubscribe', { subscriptionID: 'S1' });
    const [subscribed, ...others] = calls;
    expect(subscribed).to.deep.include({ id: 'S1', destination: 'http://client.example/', result: { form: 'soap' } });
    expect(others).to.deep.equal(['SimpleEventQuery', 'S1']);
  });

  it('gets the standard exceptions as faults', async () => {
    for (const [operation, message, name] of [
      ['poll', { queryName: 'None', params: {} }, 'NoSuchNameException'],
      ['unsubscribe', { subscriptionID: 'S2' }, 'NoSuchSubscriptionException'],
    ] as const) {
      const failure = (await call(operation, message).catch((error: unknown) => error)) as Failure;
      expect(failure.root?.Envelope.Body.Fault.detail[name]?.reason).to.match(/^There is no/);
    }
  });

  it('could validate the answers: the types compile and fit an event, also one that names its type as the standard does', () => {
    const [epcis = ''] =
      schemas().match(/<xsd:schema[^>]*targetNamespace="urn:epcglobal:epcis:xsd:1"[^]*?<\/xsd:schema>/) ?? [];
    const list = '<xsd:element name="List" type="epcis:EventListType"/></xsd:schema>';
    // libxml2 finds no schema by its namespace alone: the imported type is a string
    const alone = epcis.replace(/<xsd:import[^>]*>/, '').replaceAll('epcglobal:EPC', 'xsd:string');
    const schema = XmlDocument.fromString(alone.replace('</xsd:schema>', list));
    const validator = XsdValidator.fromDoc(schema);
    const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
    const typed = (type: string): string => EVENT.replace('<ObjectEvent>', `<ObjectEvent xsi:type="e:${type}">`);
    const document = (event: string): XmlDocument =>
      XmlDocument.fromString(`<e:List xmlns:e="urn:epcglobal:epcis:xsd:1" ${xsi}>${event}</e:List>`);
    const good = [EVENT, typed('ObjectEventType')].map(document);
    const bad = [EVENT.replace('ADD', 'SUB'), typed('QuantityEventType'), typed('ObjectEvent')].map(document);
    for (const each of good) expect(() => validator.validate(each)).not.to.throw();
    for (const each of bad) expect(() => validator.validate(each)).to.throw();
    for (const part of [...good, ...bad, validator, schema]) part.dispose();
  });
});

describe('a client generated from the WSDL of a real server behind the gateway', function () {
  this.timeout(60_000);
  const bench = new Bench();
  let server: EpcisServer;
  let gateway: string;
  let client: Client;

  before(async () => {
    const [, freshUrl] = present(KINDS[0]);
    const log = { error: () => {}, warn: () => {}, info: () => {} };
    const subscriptionTargets = ['127.0.0.1'];
    server = await startEpcisServer({ repository: { url: await freshUrl() }, port: 0, subscriptionTargets, log });
    const balancer = await bench.gateway();
    await balancer.add('vm', { host: '127.0.0.1', port: server.port });
    gateway = `http://127.0.0.1:${balancer.address.port}/epcis-repository`;
    client = await createClientAsync(`${gateway}/query?wsdl`);
  });
  after(async () => {
    await bench.close();
    await server.close();
  });

  const call = (operation: string, message: object): Promise<Outcome> => callOf(client, operation, message);
  const poll = (name: string, value: string): Promise<Outcome> =>
    call('poll', { queryName: 'SimpleEventQuery', params: { param: [{ name, value: { string: [value] } }] } });

  it('is told to go by the gateway', async () => {
    const wsdl = await (await fetch(`${gateway}/query?wsdl`)).text();
    expect(/<soap:address location="([^"]*)"/.exec(wsdl)?.[1]).to.equal(`${gateway}/query`);
  });

  it('polls what was captured, and nothing else', async () => {
    const document =
      '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:1" schemaVersion="1.2" creationDate="2024-01-01T00:00:00Z">' +
      `<EPCISBody><EventList>${EVENT}</EventList></EPCISBody></e:EPCISDocument>`;
    const headers = { 'Content-Type': 'text/xml' };
    expect((await fetch(`${gateway}/capture`, { method: 'POST', headers, body: document })).status).to.equal(200);
    const found = (await poll('MATCH_epc', 'urn:epc:id:sgtin:1.2.3')) as {
      queryName?: string;
      resultsBody?: { EventList: { ObjectEvent: { epcList: { epc: string[] }; eventTime: Date }[] } };
    };
    expect(found.queryName).to.equal('SimpleEventQuery');
    const events = found.resultsBody?.EventList.ObjectEvent ?? [];
    expect(events.map(({ epcList, eventTime }) => [epcList.epc, eventTime.toISOString()])).to.deep.equal([
      [['urn:epc:id:sgtin:1.2.3'], '2024-01-01T00:00:00.000Z'],
    ]);
    const none = (await poll('MATCH_epc', 'urn:epc:id:sgtin:1.2.4')) as { resultsBody?: { EventList: unknown } };
    expect(none.resultsBody?.EventList ?? null).to.equal(null);
  });

  it('names the queries, and subscribes, lists and unsubscribes', async () => {
    expect(await call('getQueryNames', {})).to.deep.equal({ string: ['SimpleEventQuery', 'SimpleMasterDataQuery'] });
    await call('subscribe', {
      queryName: 'SimpleEventQuery',
      params: {},
      dest: 'http://127.0.0.1:9/',
      controls: { schedule: { dayOfMonth: '1' }, reportIfEmpty: false },
      subscriptionID: 'S1',
    });
    const ids = (): Promise<Outcome> => call('getSubscriptionIDs', { queryName: 'SimpleEventQuery' });
    expect(await ids()).to.deep.equal({ string: ['S1'] });
    await call('unsubscribe', { subscriptionID: 'S1' });
    expect(await ids()).to.deep.equal({});
  });

  it('hears a fault as a fault', async () => {
    for (const [asked, name] of [
      [() => call('poll', { queryName: 'None', params: {} }), 'NoSuchNameException'],
      [() => poll('EQ_nothing', 'x'), 'QueryParameterException'],
      [() => call('unsubscribe', { subscriptionID: 'S2' }), 'NoSuchSubscriptionException'],
    ] as const) {
      const failure = (await asked().catch((error: unknown) => error)) as Failure;
      expect(Object.keys(failure.root?.Envelope.Body.Fault.detail ?? {})).to.deep.equal([name]);
    }
  });
});
