import { expect } from 'chai';
import { SaxesParser } from 'saxes';
import {
  createRequest,
  DEFAULT_MIX,
  pickClass,
  REQUEST_CLASSES,
  type LoadRequest,
} from '../../loadgen/workload/mix.ts';
import { parseMix } from '../../loadgen/workload/parse-mix.ts';
import { createRandom } from '../../loadgen/workload/random.ts';
import { reader, SUPPLY_CHAIN_DEFAULTS, tag } from '../../loadgen/workload/supply-chain.ts';

const OPTIONS = { ...SUPPLY_CHAIN_DEFAULTS, eventsPerCapture: 20, queryLimit: 100 };
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

const requests = (seed: number): LoadRequest[] => {
  const random = createRandom(seed);
  return Array.from({ length: 200 }, () => createRequest(pickClass(DEFAULT_MIX, random), OPTIONS, random, NOW));
};

/** Names and texts of a well-formed document; throws where it isn't one. */
function parse(xml: string): { names: string[]; texts: string[] } {
  const [names, texts]: [string[], string[]] = [[], []];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', (tag) => void names.push(tag.uri === '' ? tag.local : `{${tag.uri}}${tag.local}`));
  parser.on('text', (text) => void texts.push(text));
  parser.write(xml).close();
  return { names, texts };
}

describe('workload', () => {
  it('is the same for the same seed and another for another', () => {
    expect(requests(1)).to.eql(requests(1)).and.not.to.eql(requests(2));
  });

  it('mixes the classes by their weights', () => {
    const random = createRandom(5);
    const picked = Array.from({ length: 10_000 }, () => pickClass({ poll: 3, rest: 1, event: 0 }, random));
    expect(picked.filter((name) => name === 'poll').length).to.be.within(7_300, 7_700);
    expect(picked).not.to.include('event');
  });

  it('captures Fosstrak-style XML', () => {
    const { path, headers, body = '' } = createRequest('capture-xml', OPTIONS, createRandom(1), NOW);
    expect([path, headers['content-type']]).to.eql(['/epcis-repository/capture', 'text/xml; charset=utf-8']);
    const { names, texts } = parse(body);
    expect(names[0]).to.equal('{urn:epcglobal:epcis:xsd:1}EPCISDocument');
    expect(names.filter((name) => /Event$/.test(name))).to.have.length(20);
    expect(names).to.include('ObjectEvent').and.to.include('AggregationEvent');
    expect(texts).to.include('2026-01-02T03:04:05.000Z');
    expect(texts.some((text) => /^urn:epc:id:sgtin:\d{7}[.]\d{6}[.]\d+$/.test(text))).to.equal(true);
    expect(texts.some((text) => /^urn:epc:id:sscc:\d{7}[.]\d{10}$/.test(text))).to.equal(true);
  });

  it('captures JSON-LD documents and single events', () => {
    const document = createRequest('capture-json', OPTIONS, createRandom(1), NOW);
    const { epcisBody, schemaVersion } = JSON.parse(document.body ?? '') as {
      schemaVersion: string;
      epcisBody: { eventList: { type: string; readPoint: { id: string } }[] };
    };
    expect([document.path, schemaVersion, epcisBody.eventList.length]).to.eql(['/capture', '2.0', 20]);
    expect(epcisBody.eventList[0]?.readPoint.id).to.match(/^urn:epc:id:sgln:\d{7}[.]\d{5}[.]\d+$/);
    const single = createRequest('event', OPTIONS, createRandom(1), NOW);
    expect(single.path).to.equal('/events');
    expect(JSON.parse(single.body ?? '')).to.include.keys('@context', 'type', 'eventTime', 'eventTimeZoneOffset');
  });

  it('asks by SOAP and by REST for what is captured', () => {
    const random = createRandom(2);
    const polls = Array.from({ length: 30 }, () => createRequest('poll', OPTIONS, random, NOW));
    const names = polls.map((poll) => parse(poll.body ?? ''));
    expect(names.every((poll) => poll.names.includes('{urn:epcglobal:epcis-query:xsd:1}Poll'))).to.equal(true);
    expect(new Set(names.flatMap((poll) => poll.texts)))
      .to.include('MATCH_epc')
      .and.include('EQ_readPoint')
      .and.include('EQ_bizLocation');
    const rest = Array.from({ length: 30 }, () => createRequest('rest', OPTIONS, random, NOW));
    const query = rest.map(({ path }) => new URL(path, 'http://vm').searchParams);
    expect(query.every((search) => search.get('perPage') === '100')).to.equal(true);
    const readers = Array.from({ length: OPTIONS.readers }, (_, i) => reader(i, OPTIONS.locations));
    const tags = Array.from({ length: OPTIONS.tags }, (_, i) => tag(i));
    for (const search of query) {
      if (search.has('EQ_readPoint')) expect(readers).to.include(search.get('EQ_readPoint'));
      if (search.has('MATCH_epc')) expect(tags).to.include(search.get('MATCH_epc'));
    }
  });

  it('reads a mix from text, and says in one sentence what is wrong with it', () => {
    expect(parseMix('poll=50, rest=30,event')).to.eql({ poll: 50, rest: 30, event: 1 });
    expect(() => parseMix('pool=1')).to.throw(
      `unknown class of requests, "pool"; there are: ${REQUEST_CLASSES.join(', ')}`,
    );
    expect(() => parseMix('poll=-1')).to.throw('the weight "-1"');
    expect(() => parseMix('poll=0')).to.throw('every class the weight 0');
  });
});
