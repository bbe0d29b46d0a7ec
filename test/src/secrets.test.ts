import { expect } from 'chai';
import fc from 'fast-check';
import { createSecrets, passwordIn } from '../../src/secrets.ts';

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

  it('are hidden however short they are, also in the base64 of a longer text', () => {
    const { hide } = createSecrets('a$b', 'abcd', 'x', '7');
    for (const secret of ['a$b', 'abcd', 'x', '7']) {
      for (const before of ['', 'm=', 'my=', 'mysql://epcis:'])
        for (const cut of secret === 'abcd' ? [0, 1, 2, 3] : [0]) {
          const written = base64(`url=${before}${secret}@db/epcis`).slice(cut);
          expect(hide(`login ${secret}, URL_BASE64="${written}"`)).to.equal('login ***, URL_BASE64="***"');
        }
      expect(hide(base64(secret)), secret).to.equal('***');
      expect(hide(base64(`\uFFFD "${secret}"`)), 'beside what was no text once').to.equal('***');
      expect(hide(JSON.stringify(`CONTEXT=[\n${secret},\t${secret} ]`))).to.equal('"CONTEXT=[\\n***,\\t*** ]"');
    }
  });

  it('leave sentences readable, however short they are', () => {
    const { hide } = createSecrets('a', 'on', 'e', 'one', '-', '1');
    const sentence = 'Template mmeliot-21 of oneadmin in /var/lib/one_d needs 10 times the capacity: no host';
    expect(hide(sentence)).to.equal(sentence.replace('/one_', '/***_'));
    expect(createSecrets('q').hide(sentence)).to.equal(sentence);
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
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), text, text, (hidden, before, after) => {
        fc.pre(!before.includes(hidden) && !after.includes(hidden) && !/[*"]/.test(hidden));
        const { hide } = createSecrets(hidden);
        const quoted = hidden.length < 4 ? `${before}"${hidden}"${after}` : `${before}${hidden}${after}`;
        expect(hide(quoted)).not.to.include(hidden);
        expect(Buffer.from(hide(base64(quoted)), 'base64').toString('utf8')).not.to.include(hidden);
      }),
    );
  });

  it('of a URL are its whole password, also where it holds what should have been escaped', () => {
    expect(passwordIn('mysql://u:p%40ss@db/epcis')).to.deep.equal(['p%40ss', 'p@ss']);
    expect(passwordIn('https://u:p@ss@host/x?to=a@b')).to.deep.equal(['p@ss', 'p@ss']);
    expect(passwordIn('mysql://u:a/b@db/epcis')).to.deep.equal(['a/b', 'a/b']);
    expect(passwordIn('https://host/x')).to.deep.equal([]);
  });
});
