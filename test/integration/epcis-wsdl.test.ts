// A client generated from our WSDL calls every operation.
import { expect } from 'chai';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { createClientAsync, type Client } from 'soap';
import { EpcisException } from '../../epcis/domain/exceptions.ts';
import type { Services } from '../../epcis/bindings/http/doors.ts';
import { schemas } from '../../epcis/bindings/soap/schema.ts';
import type { StoredEvent } from '../../epcis/service/services.ts';
import { serveScripted, type ScriptedServer } from '../helpers/epcis-doors.ts';

const EVENT =
  '<ObjectEvent><eventTime>2024-01-01T00:00:00Z</eventTime><recordTime>2024-01-01T00:00:01Z</recordTime>' +
  '<eventTimeZoneOffset>+00:00</eventTimeZoneOffset><epcList><epc>urn:epc:id:sgtin:1.2.3</epc></epcList><action>ADD</action>' +
  '<readPoint><id>urn:rp</id></readPoint><ex:color xmlns:ex="http://ex.example/">red</ex:color></ObjectEvent>';

interface Outcome {
  readonly [name: string]: unknown;
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
          list: async () => ({ queries: [{ name: 'SimpleEventQuery', kind: 'events', parameters: [] }] }),
        },
        subscriptions,
      },
      documents: { event: () => EVENT },
    });
    client = await createClientAsync(`${server.url}/epcis-repository/query?wsdl`);
  });
  after(() => server.close());
  beforeEach(() => calls.splice(0));

  const call = async (operation: string, message: object): Promise<Outcome> => {
    const methods = client as unknown as Record<string, (message: object) => Promise<[Outcome | null]>>;
    const [result] = (await methods[`${operation}Async`]?.(message)) ?? [null];
    return result ?? {};
  };

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
      const failure = (await call(operation, message).catch((error: unknown) => error)) as {
        root?: { Envelope: { Body: { Fault: { detail: Record<string, { reason: string }> } } } };
      };
      expect(failure.root?.Envelope.Body.Fault.detail[name]?.reason).to.match(/^There is no/);
    }
  });

  it('could validate the answers: the types compile and fit an event', () => {
    const [, types = ''] = /(<xsd:schema[^]*?<\/xsd:schema>)/.exec(schemas()) ?? [];
    const list = '<xsd:element name="List" type="epcis:EventList"/></xsd:schema>';
    const schema = XmlDocument.fromString(types.replace('</xsd:schema>', list));
    const validator = XsdValidator.fromDoc(schema);
    const good = XmlDocument.fromString(`<e:List xmlns:e="urn:epcglobal:epcis:xsd:1">${EVENT}</e:List>`);
    const bad = XmlDocument.fromString(
      `<e:List xmlns:e="urn:epcglobal:epcis:xsd:1">${EVENT.replace('ADD', 'SUB')}</e:List>`,
    );
    expect(() => validator.validate(good)).not.to.throw();
    expect(() => validator.validate(bad)).to.throw();
    for (const part of [good, bad, validator, schema]) part.dispose();
  });
});
