// The subject of a certificate, as RFC 2253 writes it, but with letters of any language as they are: `CN=Küche,O=Acme`.

/** Of Node's, which has a line for each part, the outermost first. */
export const subjectIn = (lines: string): string =>
  lines
    .split('\n')
    .map((part) => part.split(' + ').reverse().join('+'))
    .reverse()
    .join(',');

/** HAProxy, as `openssl x509 -nameopt RFC2253`, writes `K\C3\BCche`. */
export const readableSubject = (subject: string): string =>
  subject.replace(/\\\\|(?:\\[89A-F][0-9A-F])+/gi, (escaped) =>
    escaped === '\\\\' ? escaped : Buffer.from(escaped.replaceAll('\\', ''), 'hex').toString(),
  );
