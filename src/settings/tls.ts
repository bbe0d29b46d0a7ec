// What a listener with TLS is told: files in PEM.
const file = (doc: string) => ({ type: 'text', default: '', doc }) as const;

export const tlsSettings = {
  certificate: file('file with the certificate and those between it and the root (PEM); empty: no TLS'),
  key: file('file with its private key (PEM)'),
} as const;

/** Of a listener whose clients may show certificates, too. */
export const mutualTlsSettings = {
  ...tlsSettings,
  clientCa: file(
    'file with the roots of certificates that clients may show (PEM); who they are stands in identity.certificates',
  ),
} as const;

export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
  readonly clientCa?: string;
}

export const hasTls = ({ certificate }: Pick<TlsFiles, 'certificate'>): boolean => certificate !== '';

/** What is wrong with them, or undefined. */
export function tlsComplaint({ certificate, key, clientCa = '' }: TlsFiles): string | undefined {
  if (clientCa !== '' && certificate === '') return 'clientCa needs a certificate and a key of its own.';
  if ((certificate === '') === (key === '')) return undefined;
  return 'certificate and key are set together, or neither.';
}
