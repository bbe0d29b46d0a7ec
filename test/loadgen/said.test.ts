import { expect } from 'chai';
import { sentenceIn } from '../../loadgen/said.ts';

describe('what an answer without success says', () => {
  for (const [form, body, said] of [
    ['problem details', '{"title":"No","detail":"It is away."}', 'It is away.'],
    [
      'problem details in XML',
      '<?xml version="1.0"?>\n<e:EPCISException xmlns:e="x"><title>No</title><detail>It is away.</detail></e:EPCISException>',
      'It is away.',
    ],
    [
      'a SOAP fault',
      '<s:Envelope><s:Body><s:Fault><faultcode>s:Server</faultcode><faultstring>It is away.</faultstring></s:Fault></s:Body></s:Envelope>',
      'It is away.',
    ],
    ['a line of text', 'It is away.\n', 'It is away.'],
    ['nothing', '', undefined],
    ['JSON that is none', '{"detail', undefined],
    ['a page', '<html><body>Oops</body></html>', undefined],
    ['much', 'x\ny', undefined],
  ] as const)
    it(`is told of ${form}`, () => expect(sentenceIn(body)).to.equal(said));
});
