import { expect } from 'chai';
import { queryIn, readQueryObject, readQueryString } from '../../../../epcis/bindings/rest/query-string.ts';

const extensions = new Map([['ex', 'http://ns.example.com/epcis/']]);

describe('REST query parameters', () => {
  it('splits lists at the pipe, escaped or not, and keeps paging out of the query', () => {
    const { parameters, controls } = readQueryString(
      '/events?EQ_bizStep=shipping|receiving%7Cpacking&perPage=5',
      extensions,
    );
    expect(parameters).to.deep.equal([{ name: 'EQ_bizStep', values: ['shipping', 'receiving', 'packing'] }]);
    expect(controls.get('perPage')).to.equal('5');
  });

  it('gives an empty value as no values, and every repetition of a name', () => {
    const { parameters } = readQueryString(
      '/events?EXISTS_errorDeclaration=&EQ_action=ADD&EQ_action=OBSERVE',
      extensions,
    );
    expect(parameters.map(({ name }) => name)).to.deep.equal(['EXISTS_errorDeclaration', 'EQ_action', 'EQ_action']);
    expect(parameters[0]?.values).to.deep.equal([]);
  });

  it('refuses what is no UTF-8, and a stray %', () => {
    for (const encoded of ['EQ_bizStep=%FF', 'EQ_bizStep=100%', '%C3=a', 'EQ_bizStep=%zz', 'perPage=%E2%82'])
      expect(() => readQueryString(`/events?${encoded}`, extensions), encoded).to.throw(/is not percent-encoded UTF-8/);
  });

  it('reads a time whose plus was not escaped', () => {
    const { parameters } = readQueryString('/events?GE_eventTime=2024-01-01T00:00:00.5+02:00', extensions);
    expect(parameters[0]?.values).to.deep.equal(['2024-01-01T00:00:00.5+02:00']);
  });

  it('resolves the prefixes of GS1-Extensions in names and values', () => {
    const url =
      '/events?EQ_ex:color=red&EQ_INNER_ILMD_ex:lot=1&EXISTS_SENSORREPORT_ex:x=&EQ_bizStep=ex:painting&EQ_eventID=urn:a';
    expect(readQueryString(url, extensions).parameters).to.deep.equal([
      { name: 'EQ_http://ns.example.com/epcis/#color', values: ['red'] },
      { name: 'EQ_INNER_ILMD_http://ns.example.com/epcis/#lot', values: ['1'] },
      { name: 'EXISTS_SENSORREPORT_http://ns.example.com/epcis/#x', values: [] },
      { name: 'EQ_bizStep', values: ['http://ns.example.com/epcis/painting'] },
      { name: 'EQ_eventID', values: ['urn:a'] },
    ]);
  });

  it("resolves the standard's own prefixes in names of fields, which no client declares", () => {
    const url = '/events?EQ_ILMD_cbvmda:lotNumber=A&GE_INNER_gs1:value=5&EXISTS_dcterms:creator=&orderBy=gs1:rank';
    const names = (known: ReadonlyMap<string, string>) =>
      readQueryString(url, known).parameters.map(({ name }) => name);
    expect(names(extensions)).to.deep.equal([
      'EQ_ILMD_urn:epcglobal:cbv:mda#lotNumber',
      'GE_INNER_https://gs1.org/voc/#value',
      'EXISTS_http://purl.org/dc/terms/#creator',
      'orderBy',
    ]);
    expect(readQueryString(url, extensions).parameters[3]?.values).to.deep.equal(['https://gs1.org/voc/#rank']);
    expect(names(new Map([['gs1', 'urn:mine:']]))[1]).to.equal('GE_INNER_urn:mine:#value');
  });

  it('resolves them in types, in attributes of master data and in the order, too', () => {
    const url =
      '/events?EQ_bizTransaction_ex:job=ex:1&EQ_source_ex:maker=a:b&EQ_destination_ex:taker=a:b&EQATTR_bizLocation_ex:kind=hall' +
      '&EQATTR_ex:place_ex:kind=ex:hall&HASATTR_readPoint=ex:kind&EQ_readPoint_ex:side=left&orderBy=ex:color&EQ_ex:color=ex:red&GE_ex:size=2';
    const ns = 'http://ns.example.com/epcis/';
    expect(readQueryString(url, extensions).parameters).to.deep.equal([
      { name: `EQ_bizTransaction_${ns}job`, values: [`${ns}1`] },
      { name: `EQ_source_${ns}maker`, values: ['a:b'] },
      { name: `EQ_destination_${ns}taker`, values: ['a:b'] },
      { name: `EQATTR_bizLocation_${ns}kind`, values: ['hall'] },
      { name: `EQATTR_${ns}#place_${ns}kind`, values: ['ex:hall', `${ns}hall`] },
      { name: 'HASATTR_readPoint', values: [`${ns}kind`] },
      { name: `EQ_readPoint_${ns}#side`, values: ['left'] },
      { name: 'orderBy', values: [`${ns}#color`] },
      { name: `EQ_${ns}#color`, values: ['ex:red', `${ns}red`] },
      { name: `GE_${ns}#size`, values: ['2'] },
    ]);
  });

  it("takes attributes of master data as the standard's text spells them, and as its schema does", () => {
    const [text, schema] = ['EQATTR', 'EQ_ATTR'].map((word) =>
      readQueryString(`/events?${word}_bizLocation_cbvmda:site=7&${word}_ex:place_ex:kind=a`, extensions),
    );
    expect(text?.parameters.map(({ name }) => name).join(' ')).to.match(/^EQATTR_bizLocation_urn:\S+ EQATTR_http:\S+$/);
    expect(schema).to.deep.equal(text);
    const named = readQueryObject({ EQ_ATTR_bizLocation_site: '7' }, extensions);
    expect(named).to.deep.equal([{ name: 'EQATTR_bizLocation_site', values: ['7'] }]);
  });

  it("expands the standard's own prefix of master data, declared or not", () => {
    for (const known of [extensions, new Map([...extensions, ['cbvmda', 'urn:epcglobal:cbv:mda']])])
      expect(
        readQueryString('/events?EQATTR_bizLocation_cbvmda:site=7&HASATTR_readPoint=cbvmda:site', known).parameters,
      ).to.deep.equal([
        { name: 'EQATTR_bizLocation_urn:epcglobal:cbv:mda:site', values: ['7'] },
        { name: 'HASATTR_readPoint', values: ['urn:epcglobal:cbv:mda:site'] },
      ]);
  });

  it('reads a very long name as any other: once for each of its words it would take minutes', () => {
    const extensions = new Map([['ex', 'https://ex.example.org/']]);
    for (const name of [`EQATTR_${'MATCH_'.repeat(200_000)}a`, `${'MATCH_'.repeat(200_000)}a b:c`]) {
      const { parameters } = readQueryString(`?${encodeURIComponent(name)}=b`, extensions);
      expect(parameters.map((each) => each.name === name)).to.deep.equal([true]);
    }
  });

  it('leaves full names as they are', () => {
    const name = 'EQ_http://schema.example.com/extension#temperature';
    expect(readQueryString(`/events?${encodeURIComponent(name)}=3`, extensions).parameters[0]?.name).to.equal(name);
  });

  it('reads a named query, with a context of its own', () => {
    const query = {
      '@context': { own: 'http://own.example.com/' },
      EQ_bizStep: ['shipping'],
      maxEventCount: 5,
      EXISTS_errorDeclaration: null,
      'EQ_own:x': 'y',
    };
    expect(readQueryObject(query, extensions)).to.deep.equal([
      { name: 'EQ_bizStep', values: ['shipping'] },
      { name: 'maxEventCount', values: ['5'] },
      { name: 'EXISTS_errorDeclaration', values: [] },
      { name: 'EQ_http://own.example.com/#x', values: ['y'] },
    ]);
  });

  it('reads the contexts of a named query as JSON-LD has them: around it, in a list, and with more than the URI of a prefix', () => {
    const outer = ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld', { a: 'urn:a:', b: 'urn:outer:' }];
    const inner = { b: { '@id': 'urn:b:', '@prefix': true }, c: { '@type': '@id' } };
    const names = (body: Readonly<Record<string, unknown>>) =>
      readQueryObject(queryIn(body), extensions).map(({ name }) => name);
    const query = { 'EQ_a:x': '1', 'EQ_b:x': '1', 'EQ_c:x': '1' };
    expect(names({ '@context': outer, query: { ...query, '@context': inner } })).to.deep.equal([
      'EQ_urn:a:#x',
      'EQ_urn:b:#x',
      'EQ_c:x',
    ]);
    expect(names({ '@context': outer, query })[1]).to.equal('EQ_urn:outer:#x');
    expect(names({ query: { ...query, '@context': [inner] } })[1]).to.equal('EQ_urn:b:#x');
  });

  it('refuses a query that is no object and a value that is no scalar', () => {
    for (const query of [undefined, null, 'x', ['x'], { EQ_bizStep: { a: 1 } }, { EQ_bizStep: [['a']] }]) {
      expect(() => readQueryObject(query, extensions), JSON.stringify(query)).to.throw();
    }
  });
});
