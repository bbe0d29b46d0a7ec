import { expect } from 'chai';
import { fault, readEnvelope } from '../../../../epcis/bindings/soap/envelope.ts';
import { readControls, readParameters } from '../../../../epcis/bindings/soap/parameters.ts';
import { EpcisException } from '../../../../epcis/domain/exceptions.ts';

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';

function envelope(body: string, attributes = ''): string {
  return `<s:Envelope xmlns:s="${SOAP}" ${attributes}><s:Header/><s:Body>${body}</s:Body></s:Envelope>`;
}

function poll(params: string, attributes = ''): string {
  return envelope(
    `<q:Poll xmlns:q="urn:epcglobal:epcis-query:xsd:1"><queryName>Q</queryName><params>${params}</params></q:Poll>`,
    attributes,
  );
}

function param(name: string, value: string): string {
  return `<param><name>${name}</name>${value}</param>`;
}

describe('SOAP envelopes', () => {
  it('reads an operation of either generation', async () => {
    expect((await readEnvelope(poll(''))).generation).to.equal(1);
    const { operation, generation } = await readEnvelope(
      envelope('<GetQueryNames xmlns="urn:epcglobal:epcis-query:xsd:2"/>'),
    );
    expect([operation.name, generation]).to.deep.equal(['GetQueryNames', 2]);
  });

  it('reads values with and without xsi:type', async () => {
    const types = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';
    const list = '<string>a</string> <string>b</string>';
    const params = [
      param('L', `<value>${list}</value>`),
      param('LT', `<value xsi:type="q:ArrayOfString">${list}</value>`),
      param('T', '<value> 2006-06-25T01:45:00Z <!-- note --></value>'),
      param('TT', '<value xsi:type="xsd:dateTime">2006-06-25T01:45:00Z</value>'),
      param('N', '<value xsi:type="xsd:int"><![CDATA[8]]></value>'),
      param('V', '<value xsi:type="q:VoidHolder"/>'),
      param('E', '<value/>'),
    ];
    const { operation } = await readEnvelope(poll(params.join('\n'), types));
    expect(readParameters(operation)).to.deep.equal([
      { name: 'L', values: ['a', 'b'] },
      { name: 'LT', values: ['a', 'b'] },
      { name: 'T', values: ['2006-06-25T01:45:00Z'] },
      { name: 'TT', values: ['2006-06-25T01:45:00Z'] },
      { name: 'N', values: ['8'] },
      { name: 'V', values: [] },
      { name: 'E', values: [] },
    ]);
  });

  it('reads a long one, whatever stands where it is cut', async () => {
    const values = Array.from({ length: 4_000 }, (_, at) => `${'é'.repeat(at % 7)}🏷${at}`);
    const list = values.map((value) => `<string>${value}</string>`).join('\r\n');
    const { operation } = await readEnvelope(poll(param('L', `<value>${list}</value>`)));
    expect(readParameters(operation)).to.deep.equal([{ name: 'L', values }]);
  });

  it('asks for pieces in 1.x, for amounts in 2.0', async () => {
    const { operation } = await readEnvelope(poll(param('GE_quantity', '<value>1.5</value>')));
    expect(() => readParameters(operation, 1)).to.throw("GE_quantity takes a whole number, not '1.5'");
    expect(readParameters(operation, 2)).to.deep.equal([{ name: 'GE_quantity', values: ['1.5'] }]);
  });

  it('refuses what is no SOAP 1.1 message, saying why', async () => {
    const soap12 = '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body/></s:Envelope>';
    const deep = '<a>'.repeat(100) + '</a>'.repeat(100);
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['', /./],
      ['not xml', /not well-formed|empty/],
      ['<a>', /not well-formed/],
      ['<a/>', /no SOAP 1.1 envelope/],
      [soap12, /speaks SOAP 1.1/],
      [envelope(''), /body is empty/],
      [envelope('<Poll/>'), /not in the namespace/],
      [envelope(deep), /nested more than 64/],
      [envelope(poll(''), Array.from({ length: 2000 }, (_, n) => `a${n}=""`).join(' ')), /more than 1000 attributes/],
      [`<!DOCTYPE a [<!ENTITY e "x">]>${poll('')}`, /document type declaration/],
    ];
    for (const [text, reason] of wrong) {
      const refused: unknown = await readEnvelope(text).catch((error: unknown) => error);
      expect(refused, text).to.be.instanceOf(EpcisException).with.property('name', 'ValidationException');
      expect((refused as EpcisException).message, text).to.match(reason);
    }
  });

  it('tells by the code of the fault what is wrong with the envelope, without a detail', async () => {
    const answer = async (text: string) => {
      try {
        await readEnvelope(text);
        return 'understood';
      } catch (error) {
        const told = fault({ exception: error as EpcisException }, { generation: 1 });
        return `${/<faultcode>soap:(\w+)/.exec(told)?.[1]}${told.includes('<detail>') ? ' with detail' : ''}`;
      }
    };
    const header = (attributes: string) =>
      poll('').replace('<s:Header/>', `<s:Header><w:Security xmlns:w="urn:w" ${attributes}/></s:Header>`);
    expect(await answer(poll('').replaceAll(SOAP, 'http://www.w3.org/2003/05/soap-envelope'))).to.equal(
      'VersionMismatch',
    );
    for (const must of [
      's:mustUnderstand="1"',
      's:mustUnderstand="1" s:actor="http://schemas.xmlsoap.org/soap/actor/next"',
    ])
      expect(await answer(header(must)), must).to.equal('MustUnderstand');
    for (const may of ['', 's:mustUnderstand="0"', 'mustUnderstand="1"', 's:mustUnderstand="1" s:actor="urn:another"'])
      expect(await answer(header(may)), may).to.equal('understood');
    for (const other of ['<a/>', envelope(''), 'not xml']) expect(await answer(other)).to.equal('Client with detail');
  });

  it('reads subscription controls', async () => {
    const controls =
      '<controls><schedule><second>0,10</second><minute>[1-5]</minute></schedule>' +
      '<initialRecordTime>2006-07-25T09:00:00Z</initialRecordTime><reportIfEmpty>1</reportIfEmpty></controls>';
    const { operation } = await readEnvelope(
      envelope(`<q:Subscribe xmlns:q="urn:epcglobal:epcis-query:xsd:1">${controls}</q:Subscribe>`),
    );
    expect(readControls(operation)).to.deep.equal({
      schedule: { second: '0,10', minute: '[1-5]' },
      initialRecordTime: '2006-07-25T09:00:00Z',
      reportIfEmpty: true,
    });
  });

  it('writes faults with the exception in the detail', () => {
    const text = fault({ exception: new EpcisException('QueryParameterException', 'a <b') }, { generation: 1 });
    expect(text).to.contain(
      '<detail><epcisq:QueryParameterException xmlns:epcisq="urn:epcglobal:epcis-query:xsd:1"><reason>a &lt;b</reason>',
    );
    expect(text).to.contain('<faultcode>soap:Client</faultcode>');
  });

  it('tells exceptions that the SOAP schema lacks by the nearest it has', () => {
    const text = fault({ exception: new EpcisException('QueryValidationException', 'x') }, { generation: 2 });
    expect(text).to.contain('<epcisq:ValidationException xmlns:epcisq="urn:epcglobal:epcis-query:xsd:2">');
  });

  it('names the query in the exceptions that have room for it', () => {
    const context = { generation: 1, queryName: 'Q', subscriptionID: 'S' } as const;
    const tooLarge = fault({ exception: new EpcisException('QueryTooLargeException', 'x') }, context);
    expect(tooLarge).to.contain('<reason>x</reason><queryName>Q</queryName><subscriptionID>S</subscriptionID>');
    const ours = fault({ exception: new EpcisException('ImplementationException', 'x'), id: '1' }, context);
    expect(ours).to.contain('<severity>ERROR</severity><queryName>Q</queryName>').and.contain('soap:Server');
  });
});
