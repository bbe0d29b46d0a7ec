// An event that is written anew (in another form, or without what its client may not see) says the same, whatever contexts it had, and where.
import { expect } from 'chai';
import { writeEvent } from '../../../epcis/bindings/write.ts';
import type { EpcisEvent, Field } from '../../../epcis/domain/event.ts';
import { createRandom, type Random } from '../../../loadgen/workload/random.ts';
import { json2, objectJson, readOne, xml2 } from '../../helpers/epcis-documents.ts';

const STYLE = { form: 'json', version: '2.0' } as const;
const HOW_IT_IS_SAID = ['prefix', 'curies', 'recordTime', 'eventID'];

/** JSON has what is of one name in one place. */
function sorted(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const isFields = value.every((one) => typeof one === 'object' && one !== null && 'namespace' in one);
  const nameOf = ({ namespace, name }: Field) => `${namespace} ${name}`;
  return isFields
    ? (value as Field[]).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0))
    : value;
}

const saidBy = (event: EpcisEvent): unknown =>
  JSON.parse(
    JSON.stringify(event, (key, value: unknown) => (HOW_IT_IS_SAID.includes(key) ? undefined : sorted(value))),
  );

/** As it was captured, and as it is read from JSON and from XML that are written anew. */
async function anew(members: Record<string, unknown>, context: object) {
  const captured = await readOne(json2(objectJson(members), JSON.stringify(context)), 'json');
  const stored = { ...captured, recordTime: '2031-01-01T00:00:00Z', isPartial: true as const };
  const json = writeEvent(stored, STYLE);
  const xml = writeEvent(stored, { ...STYLE, form: 'xml' });
  return {
    was: saidBy(captured.event),
    json: { text: json, says: saidBy((await readOne(json2(json), 'json')).event) },
    xml: { text: xml, says: saidBy((await readOne(xml2(xml), 'xml')).event) },
  };
}

const PREFIXES = ['a', 'b', 'ns1'];
/** Some begin as if with a prefix, which may be declared or not. */
const NAMESPACES = ['urn:a:', 'http://b.example/', 'a:', 'b:of:', 'ns1:x#', 'a:b:'];
const NAMES = ['n', 'type', 'a'];
const oneOf = (random: Random, list: readonly string[]): string => list[random.below(list.length)] ?? '';

const randomContext = (random: Random): Record<string, string> =>
  Object.fromEntries(PREFIXES.filter(() => random.below(2) === 0).map((prefix) => [prefix, oneOf(random, NAMESPACES)]));

function randomMembers(random: Random, depth: number): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (let n = 1 + random.below(3); n > 0; n--) {
    const name = `${random.below(4) === 0 ? 'urn:' : ''}${oneOf(random, PREFIXES)}:${oneOf(random, NAMES)}`;
    members[name] = depth > 0 && random.below(2) === 0 ? randomMembers(random, depth - 1) : 'a:value';
  }
  return depth > 0 && random.below(2) === 0 ? { '@context': randomContext(random), ...members } : members;
}

describe('an event that is written anew', () => {
  it('says the same, by whatever names and contexts', async () => {
    const random = createRandom(7);
    const uri = () => `${oneOf(random, PREFIXES)}:${oneOf(random, NAMES)}`;
    for (let n = 0; n < 300; n++) {
      const places = { bizStep: uri(), readPoint: { id: uri(), ...randomMembers(random, 0) } };
      const [members, context] = [{ ...randomMembers(random, 2), ...places }, randomContext(random)];
      const { was, json, xml } = await anew(members, context);
      for (const { text, says } of [json, xml])
        expect(says, `${JSON.stringify(context)}, ${JSON.stringify(members)}: ${text}`).to.deep.equal(was);
    }
  });

  it('has no prefix that its document did not have where it stands, and keeps those that it had', async () => {
    const { was, json, xml } = await anew(
      { 'x:out': { '@context': { x: 'urn:in:' }, 'x:in': 'x:y' }, bizStep: 'x:step' },
      {},
    );
    expect(was).to.have.nested.property('extensions[0].namespace', 'x:');
    expect(was).to.have.property('bizStep', 'x:step');
    expect(JSON.parse(json.text)).to.deep.include({ '@context': [{ ns1: 'x:' }, { ns2: 'urn:in:' }] });
    expect(json.says).to.deep.equal(was);
    expect(xml.says).to.deep.equal(was);
    const usual = await anew({ 'x:out': 'x:y' }, { x: 'urn:in:' });
    expect(JSON.parse(usual.json.text)).to.deep.include({ '@context': [{ x: 'urn:in:' }], 'x:out': 'x:y' });
  });
});
