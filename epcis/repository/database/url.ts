import { RepositoryError } from './errors.ts';

export type RepositoryUrl =
  | { readonly kind: 'sqlite'; readonly file: string }
  | {
      readonly kind: 'mysql';
      readonly hosts: readonly { readonly host: string; readonly port: number }[];
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

const FORMS =
  'use sqlite:///absolute/file.db, sqlite:relative.db or mysql://user:password@host:port/database (several hosts: host:port,host:port)';

/** The hosts of one URL are equal members of one cluster: the first that answers is used until it fails. */
export function parseRepositoryUrl(url: string): RepositoryUrl {
  const sqlite = /^sqlite:(?:\/\/)?(.+)$/.exec(url);
  if (sqlite?.[1]) return { kind: 'sqlite', file: decode(sqlite[1]) };
  const mysql = /^(?:mysql|mariadb):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/]+)\/([^/?#]+)$/.exec(url);
  if (!mysql) throw new RepositoryError('REPOSITORY_URL', `The repository URL is not understood: ${FORMS}.`);
  const [, user = '', password = '', hosts = '', database = ''] = mysql;
  if (!/^[\w$-]{1,64}$/.test(database))
    throw new RepositoryError(
      'REPOSITORY_URL',
      `The database name in the repository URL may hold letters, digits, _, $ and - only: ${FORMS}.`,
    );
  return {
    kind: 'mysql',
    hosts: hosts.split(',').map(parseHost),
    user: decode(user),
    password: decode(password),
    database,
  };
}

function parseHost(text: string): { host: string; port: number } {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text);
  if (!match?.[1]) throw new RepositoryError('REPOSITORY_URL', `The repository URL has a host that is none: ${FORMS}.`);
  return { host: match[1].replace(/^\[|\]$/g, ''), port: Number(match[2] ?? 3306) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RepositoryError('REPOSITORY_URL', `The repository URL has a % that escapes nothing: ${FORMS}.`);
  }
}
