// A certificate authority of a test's own, by openssl.
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export interface Issued {
  readonly certificate: string;
  readonly key: string;
}

export class Authority {
  readonly #folder: string;
  readonly #name: string;

  constructor(folder: string, name = 'ca') {
    this.#folder = folder;
    this.#name = name;
    this.#openssl(
      'req',
      '-x509',
      ...EC,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
    );
  }

  get file(): string {
    return join(this.#folder, `${this.#name}.pem`);
  }

  get pem(): string {
    return readFileSync(this.file, 'utf8');
  }

  /** Replaces what was issued under that name whole, as certbot does. `subject` as openssl takes it: `/O=Acme/CN=scanner`. */
  issue(name: string, subject = `/CN=${name}`, days = 2): Issued {
    const [ca, draft] = [this.#name, `${name}.new`];
    writeFileSync(join(this.#folder, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
    this.#openssl('req', '-new', '-utf8', ...EC, '-keyout', `${draft}.key`, '-out', `${draft}.csr`, '-subj', subject);
    const signing = [
      '-CA',
      `${ca}.pem`,
      '-CAkey',
      `${ca}.key`,
      '-CAcreateserial',
      '-days',
      String(days),
      '-extfile',
      'names',
    ];
    this.#openssl('x509', '-req', '-in', `${draft}.csr`, '-out', `${draft}.pem`, ...signing);
    const issued = { certificate: join(this.#folder, `${name}.pem`), key: join(this.#folder, `${name}.key`) };
    renameSync(join(this.#folder, `${draft}.key`), issued.key);
    renameSync(join(this.#folder, `${draft}.pem`), issued.certificate);
    return issued;
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#folder, stdio: 'pipe' });
  }
}
