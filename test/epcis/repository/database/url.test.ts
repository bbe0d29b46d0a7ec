import { expect } from 'chai';
import { parseRepositoryUrl } from '../../../../epcis/repository/database/url.ts';

describe('repository URLs', () => {
  it('name a file or a database, on one host or several', () => {
    expect(parseRepositoryUrl('sqlite:///var/lib/epcis.db')).to.deep.equal({
      kind: 'sqlite',
      file: '/var/lib/epcis.db',
    });
    expect(parseRepositoryUrl('sqlite:data/epcis.db')).to.deep.equal({ kind: 'sqlite', file: 'data/epcis.db' });
    expect(parseRepositoryUrl('mysql://u:p%40ss@db.example:3307/epcis')).to.deep.equal({
      kind: 'mysql',
      hosts: [{ host: 'db.example', port: 3307 }],
      user: 'u',
      password: 'p@ss',
      database: 'epcis',
    });
    expect(parseRepositoryUrl('mysql://a,[::1]:3307/epcis')).to.deep.include({
      hosts: [
        { host: 'a', port: 3306 },
        { host: '::1', port: 3307 },
      ],
    });
  });

  it('say whether TLS is spoken, and by which certificates', () => {
    const tlsOf = (query: string) => {
      const parsed = parseRepositoryUrl(`mysql://u@h/d${query}`);
      return parsed.kind === 'mysql' ? parsed.tls : undefined;
    };
    expect(tlsOf('')).to.equal(undefined);
    expect(tlsOf('?ssl=false')).to.equal(undefined);
    expect(tlsOf('?ssl=true')).to.deep.equal({ verify: true });
    expect(tlsOf('?ssl-ca=/a%20b/c+d.pem&ssl-verify=false')).to.deep.equal({ ca: '/a b/c+d.pem', verify: false });
    expect(tlsOf('?ssl-ca=/a&ssl-cert=/b&ssl-key=/c')).to.deep.equal({ ca: '/a', cert: '/b', key: '/c', verify: true });
  });

  it('say what they should be, and nothing of the password', () => {
    const wrong = [
      '',
      'sqlite:',
      'postgres://u:secret@h/d',
      'mysql://u:secret@h',
      'mysql://u:secret@h/a`b',
      'mysql://u:secret@h:x/d',
      'mysql://u:secret%@h/d',
      'mysql://u:secret@h/d?ssl-mode=required',
      'mysql://u:secret@h/d?ssl-verify=maybe',
      'mysql://u:secret@h/d?ssl-cert=/b',
    ];
    for (const url of wrong)
      expect(() => parseRepositoryUrl(url), url)
        .to.throw()
        .that.satisfies(
          ({ code, message }: { code: string; message: string }) =>
            code === 'REPOSITORY_URL' && !message.includes('secret'),
        );
  });
});
