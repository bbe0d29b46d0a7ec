// CONTRIBUTING's example, walked: a declaration is all that a setting needs.
import { expect } from 'chai';
import { z } from 'zod';
import { sectionOf } from '../../../src/config/section.ts';
import { defaultsOf, type Sections } from '../../../src/settings/declaration.ts';

const sections = {
  releaseAfter: { type: 'duration', default: 0, min: 0, max: 3_600_000, doc: 'time before the first release' },
  retry: { pauseMs: { type: 'duration', default: 500, doc: 'pause between two attempts' } },
} as const satisfies Sections;

describe('one declaration', () => {
  const schema = sectionOf(sections, {});

  it('gives a setting its default and its unit, in code and in a file', () => {
    expect(defaultsOf(sections)).to.deep.equal({ releaseAfter: 0, retry: { pauseMs: 500 } });
    expect(schema.parse({})).to.deep.equal(defaultsOf(sections));
    expect(schema.parse({ releaseAfter: '5m', retry: { pause: '2s' } })).to.deep.equal({
      releaseAfter: 300_000,
      retry: { pauseMs: 2_000 },
    });
    expect(z.encode(schema, { releaseAfter: 300_000, retry: { pauseMs: 2_000 } })).to.deep.equal({
      releaseAfter: '5m',
      retry: { pause: '2s' },
    });
  });

  it('refuses what it may not be, and names what it does not know', () => {
    const messages = (input: unknown) => schema.safeParse(input).error?.issues.map(({ message }) => message);
    expect(messages({ releaseAfter: 5 })).to.deep.equal(['is 5: it has no unit; did you mean 5s?']);
    expect(messages({ releaseAfter: '2h' })).to.deep.equal(['is 2h: a duration from 0ms to 1h is expected']);
    expect(messages({ retry: { pauseMs: '2s' } })).to.have.length(1);
  });

  it('is described in the JSON schema', () => {
    expect(z.toJSONSchema(schema, { io: 'input' })).to.have.nested.property(
      'properties.releaseAfter.description',
      'time before the first release',
    );
  });
});
