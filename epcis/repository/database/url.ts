import { parseHost } from '../../domain/address.ts';
import { RepositoryError } from './errors.ts';

export type RepositoryUrl =
  | { readonly kind: 'sqlite'; readonly file: string }
  | {
      readonly kind: 'mysql';
      readonly hosts: readonly { readonly host: string; readonly port: number }[];
      readonly user: string;
      readonly password: string;
      readonly database: string;
      /** Undefined: by plain TCP. */
      readonly tls?: DatabaseTls;
    };

/** Files in PEM, on whichever machine connects. */
export interface DatabaseTls {
  /** Roots of the server's certificate; undefined: those that the machine knows. */
  readonly ca?: string;
  /** What this client shows. */
  readonly cert?: string;
  readonly key?: string;
  /** Whether the server's certificate has to be good, and the host's own. */
  readonly verify: boolean;
}

const FORMS =
  'use sqlite:///absolute/file.db, sqlite:relative.db or mysql://user:password@host:port/database (several hosts: host:port,host:port; TLS: ?ssl-ca=/file, ssl-cert, ssl-key, ssl-verify=false, or ssl=true)';

/** The hosts of one URL are equal members of one cluster: the first that answers is used until it fails. */
export function parseRepositoryUrl(url: string): RepositoryUrl {
  const sqlite = /^sqlite:(?:\/\/)?(.+)$/.exec(url);
  if (sqlite?.[1]) return { kind: 'sqlite', file: decode(sqlite[1]) };
  const mysql = /^(?:mysql|mariadb):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/]+)\/([^/?#]+)(?:\?([^#]*))?$/.exec(url);
  if (!mysql) throw new RepositoryError('REPOSITORY_URL', `The repository URL is not understood: ${FORMS}.`);
  const [, user = '', password = '', hosts = '', database = '', query] = mysql;
  const tls = query === undefined ? undefined : tlsIn(query);
  if (!/^[\w$-]{1,64}$/.test(database))
    throw new RepositoryError(
      'REPOSITORY_URL',
      `The database name in the repository URL may hold letters, digits, _, $ and - only: ${FORMS}.`,
    );
  return {
    kind: 'mysql',
    hosts: hosts.split(',').map(addressIn),
    user: decode(user),
    password: decode(password),
    database,
    ...(tls && { tls }),
  };
}

const TLS_WORDS = ['ssl', 'ssl-ca', 'ssl-cert', 'ssl-key', 'ssl-verify'];

/** As the clients of MySQL and MariaDB call it; any of it means TLS. */
function tlsIn(query: string): DatabaseTls | undefined {
  const given = new URLSearchParams(query.replaceAll('+', '%2B'));
  const unknown = [...given.keys()].find((name) => !TLS_WORDS.includes(name));
  if (unknown !== undefined)
    throw new RepositoryError(
      'REPOSITORY_URL',
      `The repository URL has an option "${unknown}" that there isn't: ${FORMS}.`,
    );
  const isOn = (name: string, otherwise: boolean): boolean => {
    const value = given.get(name) ?? String(otherwise);
    if (value === 'true' || value === 'false') return value === 'true';
    throw new RepositoryError('REPOSITORY_URL', `${name} in the repository URL is neither true nor false: ${FORMS}.`);
  };
  const verify = isOn('ssl-verify', true);
  if (!isOn('ssl', true)) return undefined;
  const [ca, cert, key] = ['ssl-ca', 'ssl-cert', 'ssl-key'].map((name) => given.get(name) ?? undefined);
  if ((cert === undefined) !== (key === undefined))
    throw new RepositoryError(
      'REPOSITORY_URL',
      'ssl-cert and ssl-key stand together in the repository URL, or neither.',
    );
  return { verify, ...(ca !== undefined && { ca }), ...(cert !== undefined && key !== undefined && { cert, key }) };
}

function addressIn(text: string): { host: string; port: number } {
  const address = parseHost(text);
  if (!address) throw new RepositoryError('REPOSITORY_URL', `The repository URL has a host that is none: ${FORMS}.`);
  return { port: 3306, ...address };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RepositoryError('REPOSITORY_URL', `The repository URL has a % that escapes nothing: ${FORMS}.`);
  }
}
