import { expect } from 'chai';
import { variantOf } from '../../../epcis/repository/keys.ts';
import { json2, objectJson, readOne } from '../../helpers/epcis-documents.ts';

const DECLARED = { declarationTime: '2030-05-07T00:00:00Z', reason: 'did_not_occur', correctiveEventIDs: ['urn:x:1'] };

async function variant(errorDeclaration: object): Promise<bigint> {
  const contexts = '{"x":"urn:x:","y":"urn:x:"}';
  const { event } = await readOne(json2(objectJson({ errorDeclaration }), contexts), 'json');
  return variantOf('urn:x:id', event.errorDeclaration);
}

describe('what makes two events of one hash two', () => {
  it('is what an error declaration says, not in which order and by which prefixes', async () => {
    const { declarationTime, reason, correctiveEventIDs } = DECLARED;
    const one = await variant(DECLARED);
    expect(await variant({ correctiveEventIDs, reason, declarationTime })).to.equal(one);
    expect(await variant({ declarationTime, reason })).to.not.equal(one);
    expect(await variant({ ...DECLARED, reason: 'incorrect_data' })).to.not.equal(one);
    const extended = await variant({ ...DECLARED, 'x:a': '1', 'x:b': { 'x:c': 2 } });
    expect(extended).to.not.equal(one);
    expect(await variant({ 'y:b': { 'y:c': 2 }, 'y:a': '1', ...DECLARED })).to.equal(extended);
    expect(await variant({ ...DECLARED, 'x:a': '1', 'x:b': { 'x:c': 3 } })).to.not.equal(extended);
  });

  it('is for the usual order what it always was: repositories hold it', () => {
    const declaration = {
      declarationTime: '2030-05-07T00:00:00Z',
      reason: 'urn:x:wrong',
      correctiveEventIDs: ['urn:x:1'],
    };
    expect(variantOf('urn:x:id', declaration)).to.equal(BEFORE);
    expect(variantOf(undefined, undefined)).to.equal(0n);
  });
});

/** Of the text ["urn:x:id",{"declarationTime":"2030-05-07T00:00:00Z","reason":"urn:x:wrong","correctiveEventIDs":["urn:x:1"]}]. */
const BEFORE = 43001302836932745n;
