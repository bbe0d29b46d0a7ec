import { expect } from 'chai';
import fc from 'fast-check';
import { createSecrets } from '../../src/secrets.ts';

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

describe('secrets', () => {
  it('are hidden as they are, escaped, and in base64', () => {
    const secret = `a"b'c<d>&e\\f é`;
    const { hide } = createSecrets(secret);
    const written = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      secret.replaceAll('"', '\\"'),
      encodeURIComponent(secret),
      'a"b\'c&lt;d&gt;&amp;e\\f é',
      'a&quot;b&apos;c&lt;d&gt;&amp;e\\f é',
      'a&quot;b&#39;c&lt;d&gt;&amp;e\\f é',
      base64(secret),
    ];
    for (const form of written) expect(hide(`x [${form}] y`), form).to.equal('x [***] y');
  });

  it('are hidden in the base64 of a longer text, which goes as a whole', () => {
    const { hide } = createSecrets('hunter2-hunter2');
    for (const before of ['', 'm', 'my', 'mys', 'mysql://epcis:'])
      expect(hide(`URL_BASE64="${base64(`${before}hunter2-hunter2@db/epcis`)}"`)).to.equal('URL_BASE64="***"');
  });

  it('are hidden wherever and however often they stand, the longer one first', () => {
    const { hide } = createSecrets('pass', 'passport');
    expect(hide('passport pass passpass')).to.equal('*** *** ******');
  });

  it('may become more, and empty ones hide nothing', () => {
    const secrets = createSecrets('');
    expect(secrets.hide('new: n3w-token')).to.equal('new: n3w-token');
    secrets.add('n3w-token');
    expect(secrets.hide('new: n3w-token')).to.equal('new: ***');
  });

  it('never come through, whatever they are and whatever stands around them', () => {
    const secret = fc.string({ minLength: 7, unit: 'grapheme' });
    fc.assert(
      fc.property(secret, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (hidden, before, after) => {
        fc.pre(!before.includes(hidden) && !after.includes(hidden) && !hidden.includes('*'));
        const { hide } = createSecrets(hidden);
        expect(hide(`${before}${hidden}${after}`)).not.to.include(hidden);
        const decoded = Buffer.from(hide(base64(`${before}${hidden}${after}`)), 'base64').toString('utf8');
        expect(decoded).not.to.include(hidden);
      }),
    );
  });
});
