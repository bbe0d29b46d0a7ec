// What a message may hold: each case beside the one that is taken.
import { expect } from 'chai';
import { readEnvelope } from '../../../../epcis/bindings/soap/envelope.ts';
import { checkMessage } from '../../../../epcis/bindings/soap/structure.ts';

const NAMESPACE = 'urn:epcglobal:epcis-query:xsd:1';
const envelope = (body: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:q="${NAMESPACE}" xmlns:x="urn:x"><s:Body>${body}</s:Body></s:Envelope>`;
/** Why it is refused; '' where it is taken. */
const refusal = async (body: string): Promise<string> => {
  try {
    checkMessage((await readEnvelope(envelope(body))).operation);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

const param = (value: string) => `<param><name>EQ_bizStep</name><value>${value}</value></param>`;
const poll = (params: string, more = '') =>
  `<q:Poll><queryName>SimpleEventQuery</queryName><params>${params}</params>${more}</q:Poll>`;
const subscribe = (controls: string) =>
  `<q:Subscribe><queryName>SimpleEventQuery</queryName><params/><dest>http://e.example.org/</dest>` +
  `<controls>${controls}</controls><subscriptionID>1</subscriptionID></q:Subscribe>`;

describe('what a SOAP message holds', () => {
  for (const [what, body] of Object.entries({
    'a list of strings': poll(param('<string>urn:s:1</string><string>urn:s:2</string>')),
    'text for a value': poll(param('urn:s:1')),
    'a void value': poll(param('')),
    'two parameters': poll(param('urn:s:1') + param('urn:s:2')),
    'inner elements in the namespace': `<q:Poll><q:queryName>SimpleEventQuery</q:queryName><q:params/></q:Poll>`,
    'another order': '<q:Poll><params/><queryName>SimpleEventQuery</queryName></q:Poll>',
    'no parameters': '<q:Poll><queryName>SimpleEventQuery</queryName></q:Poll>',
    'controls that somebody extended': subscribe(
      '<schedule><second>0</second><x:more/></schedule><reportIfEmpty>true</reportIfEmpty><extension/><x:more><x:a/></x:more>',
    ),
  })) {
    it(`may be ${what}`, async () => expect(await refusal(body)).to.equal(''));
  }

  for (const [what, body, reason] of [
    ['parameters that are misspelt', '<q:Poll><queryName>a</queryName><parms/></q:Poll>', 'Poll holds parms'],
    ['a parameter that is misspelt', poll('<parameter><name>a</name><value/></parameter>'), 'params holds parameter'],
    ['values that are misspelt', poll(param('<text>urn:s:1</text>')), 'value holds text'],
    ['a value of both kinds', poll(param('urn:s:1<string>urn:s:2</string>')), 'value holds text'],
    ['two values', poll('<param><name>a</name><value/><value/></param>'), 'value stands twice in param'],
    ['parameters twice', poll(param('urn:s:1'), '<params/>'), 'params stands twice in Poll'],
    ['parameters of another namespace', `<q:Poll><queryName>a</queryName><x:params/></q:Poll>`, 'Poll holds params'],
    ['text between parameters', poll('EQ_bizStep'), 'params holds text'],
    ['elements in a name', poll('<param><name>a<b/></name><value/></param>'), 'name holds b, not text alone'],
    ['a time that is misspelt', subscribe('<schedule><seconds>0</seconds></schedule>'), 'schedule holds seconds'],
    ['arguments of what has none', '<q:GetQueryNames><a/></q:GetQueryNames>', 'GetQueryNames holds a'],
    ['two messages', '<q:GetQueryNames/><q:GetQueryNames/>', 'more than one message'],
  ] as const) {
    it(`may not be ${what}`, async () => expect(await refusal(body)).to.contain(reason));
  }
});
