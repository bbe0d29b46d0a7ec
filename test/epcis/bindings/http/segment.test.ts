import { expect } from 'chai';
import fc from 'fast-check';
import { nameOf, segmentOf } from '../../../../epcis/bindings/http/segment.ts';

/** What a client asks for when it follows a link, as the router then decodes it. */
function asked(segment: string): string {
  const { pathname } = new URL(`/queries/${segment}`, 'http://service.example');
  return decodeURIComponent(pathname.slice('/queries/'.length));
}

describe('names in a path', () => {
  it('come back as they were from clients that normalise paths, names of dots too', () => {
    expect(segmentOf('..')).to.equal('%252E%252E');
    for (const name of ['.', '..', '...', '%2E', '%2e%2E', '.%2e', '%252E%252E', 'a b', 'é/%', '%', '.a'])
      expect(nameOf(asked(segmentOf(name))), name).to.equal(name);
    const parts = fc.array(fc.constantFrom('.', '%', '2E', '2e', '25', 'a'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(parts, (some) => {
        const name = some.join('');
        expect(nameOf(asked(segmentOf(name)))).to.equal(name);
      }),
    );
  });

  it('are what they say where a client sends dots as they are', () => {
    for (const name of ['.', '..', 'name']) expect(nameOf(decodeURIComponent(encodeURIComponent(name)))).to.equal(name);
  });
});
