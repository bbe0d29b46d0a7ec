// What an operator can set about the database, each setting declared once.

export const repositorySettings = {
  url: {
    type: 'text',
    default: '',
    doc: 'sqlite:<file> or mysql://user:password@host:port/database (by TLS with ?ssl-ca=<file>); empty: SQLite in dataDir',
  },
  readUrl: { type: 'text', default: '', doc: 'replica to read from (MySQL only); empty: read from url' },
  poolSize: {
    type: 'whole',
    default: 8,
    min: 1,
    doc: 'connections of each VM, for each of its service processes (MySQL only)',
  },
} as const;
