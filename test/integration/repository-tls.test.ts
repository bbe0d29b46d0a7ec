// TLS to the database: its certificate has to be good, unless somebody says that it need not.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { Authority } from '../helpers/certificates.ts';
import { startMariaDb, type MariaDb } from '../helpers/mariadb.ts';

describe('a database that speaks TLS', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-db-tls-'));
  let server: MariaDb;
  let authority: Authority;
  before(async () => {
    authority = new Authority(folder);
    const { certificate, key } = authority.issue('db');
    server = await startMariaDb([`--ssl-cert=${certificate}`, `--ssl-key=${key}`, `--ssl-ca=${authority.file}`]);
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const spoken = async (query: string, host = '127.0.0.1'): Promise<string> => {
    const url = server.url('tls').replace('127.0.0.1', host) + query;
    const database = await openDatabase({ url });
    try {
      const [row] = await database.all("SHOW SESSION STATUS LIKE 'Ssl_version'");
      return String(row?.['Value']);
    } finally {
      await database.close();
    }
  };
  const refusal = (query: string, host?: string) =>
    spoken(query, host).then(
      (version) => `spoke ${version}`,
      (error: Error) => error.message,
    );

  it('is spoken to by TLS where its URL says so', async () => {
    expect(await spoken('')).to.equal('');
    expect(await spoken(`?ssl-ca=${authority.file}`)).to.match(/^TLSv1\.[23]$/);
    expect(await spoken('?ssl-verify=false')).to.match(/^TLSv1\.[23]$/);
    const own = authority.issue('client');
    const query = `?ssl-ca=${authority.file}&ssl-cert=${own.certificate}&ssl-key=${own.key}`;
    expect(await spoken(query)).to.match(/^TLSv1\.[23]$/);
  });

  it('is not spoken to where its certificate is not good, or not its own', async () => {
    const stranger = new Authority(folder, 'stranger');
    expect(await refusal(`?ssl-ca=${stranger.file}`)).to.include('cannot be reached');
    expect(await refusal('?ssl=true')).to.include('cannot be reached');
    // the certificate names 127.0.0.1 and localhost
    expect(await refusal(`?ssl-ca=${authority.file}`, '127.0.0.2')).to.include('cannot be reached');
    for (const [file, why] of [
      ['/nowhere/ca.pem', 'cannot be read (ENOENT)'],
      ['/dev/zero', 'has more than 8 MiB'],
    ] as const)
      expect(await refusal(`?ssl-ca=${file}`)).to.equal(`${file}, which the repository URL names, ${why}.`);
  });
});
