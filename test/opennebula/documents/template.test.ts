import { expect } from 'chai';
import fc from 'fast-check';
import { parseTemplate } from '../../../opennebula/emulator/template-text.ts';
import {
  attribute,
  contextVariable,
  literalsOf,
  mergeContext,
  vector,
} from '../../../opennebula/documents/template.ts';
import { parseXml } from '../../../opennebula/xml-parser.ts';
import { MmeliotError } from '../../../src/errors.ts';
import { withinSeconds } from '../../helpers/within-seconds.ts';

const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,9}$/);
const carried = fc.string().filter((value) => !value.endsWith('\\') && !value.includes(']]>'));

describe('OpenNebula template language', () => {
  it('brings every value through that it accepts', () => {
    fc.assert(
      fc.property(name, carried, (key, value) => {
        expect(parseTemplate(attribute(key, value))?.get(key)).to.deep.equal([value]);
      }),
    );
  });

  it('brings vectors through', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, carried), { minLength: 1 }), (entries) => {
        const values = new Map(entries);
        const read = parseTemplate(`A="1"\n${vector('CONTEXT', values)}\nB="2"`);
        expect(read?.get('CONTEXT')).to.deep.equal([values]);
        expect([read?.get('A'), read?.get('B')]).to.deep.equal([['1'], ['2']]);
      }),
    );
  });

  it('refuses what the language cannot carry, naming the attribute and not its value', () => {
    for (const value of ['secret\\', 'secret]]>']) {
      expect(() => attribute('KEY', value)).to.throw(MmeliotError, /KEY/);
      expect(() => attribute('KEY', value)).not.to.throw(/secret/);
    }
    for (const bad of ['', 'a', 'A-B', 'A B', 'Ä']) expect(() => attribute(bad, 'x'), bad).to.throw(MmeliotError);
  });

  it('hides a context value that parser, $-substitution or shell would change behind base64', () => {
    expect(contextVariable('URL', 'mysql://epcis:pw@db.example.org:3306/epcis?ssl=true')).to.deep.equal([
      'URL',
      'mysql://epcis:pw@db.example.org:3306/epcis?ssl=true',
    ]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const [key, sent] = contextVariable('SECRET', value);
        const read = parseTemplate(attribute(key, sent))?.get(key)?.[0];
        expect(read)
          .to.be.a('string')
          .and.not.match(/[$'"`\\\n]/);
        const back = key === 'SECRET' ? read : Buffer.from(String(read as string), 'base64').toString('utf8');
        expect(back).to.equal(value.toWellFormed());
      }),
    );
  });

  it('tells what of a CONTEXT may be a secret, and not what it refers to', () => {
    const context = parseXml(
      `<CONTEXT><NETWORK>YES</NETWORK><SSH_KEY>$USER[SSH_PUBLIC_KEY] $USER[MORE]</SSH_KEY><TOKEN>YES</TOKEN><ETH0_IP>10.10.0.10</ETH0_IP><MMELIOT_GROUP>tracking</MMELIOT_GROUP><MMELIOT_NODE>its-key</MMELIOT_NODE><DB_PASS>a$bc</DB_PASS><PIN>1234</PIN>
      <LICENCE>abc-def</LICENCE><PROXY>http://u:pw@proxy https://u:p%40@proxy</PROXY><BAD>before-it$USER[]after-it</BAD></CONTEXT>`,
    );
    expect(literalsOf(context)).to.deep.equal([
      'NETWORK=YES',
      'NETWORK="YES"',
      'YES',
      'its-key',
      'a$bc',
      'PIN=1234',
      'PIN="1234"',
      'abc-def',
      'http://u:pw@proxy https://u:p%40@proxy',
      'pw',
      'p%40',
      'before-it',
      'after-it',
    ]);
    expect(literalsOf(undefined)).to.deep.equal([]);
    const long = parseXml(`<CONTEXT><A>${'://a:'.repeat(100_000)}</A><B>${'a:'.repeat(100_000)}//u:pw@</B></CONTEXT>`);
    expect(withinSeconds(() => literalsOf(long)).at(-1)).to.equal('pw');
  });

  it('adds our variables to the template’s own CONTEXT, and leaves its $-references', () => {
    const own = parseXml(
      '<CONTEXT><NETWORK>YES</NETWORK><SSH>$USER[SSH]</SSH><MMELIOT_GROUP>old</MMELIOT_GROUP></CONTEXT>',
    );
    const merged = mergeContext(own, { MMELIOT_GROUP: 'demo', MMELIOT_SECRET: 'a$b' }, { MMELIOT_VM_ID: '$VMID' });
    expect(Object.fromEntries(merged)).to.deep.equal({
      NETWORK: 'YES',
      SSH: '$USER[SSH]',
      MMELIOT_GROUP: 'demo',
      MMELIOT_SECRET_BASE64: 'YSRi',
      MMELIOT_VM_ID: '$VMID',
    });
    expect([...mergeContext(undefined, { A: '1' }, {})]).to.deep.equal([['A', '1']]);
  });
});
