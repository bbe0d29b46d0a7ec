// What others say to us may quote what we sent them. Here every secret is taken out of such a sentence, in whatever
// way it is written there.

/** Shorter pieces of base64 stand in many a text by chance. */
const SHORTEST_BASE64 = 6;
const BASE64 = /[A-Za-z0-9+/]/;
const REMOVED = '***';

export interface Secrets {
  /** One more that is never to be shown. Empty ones count for nothing. */
  readonly add: (secret: string) => void;
  /** The text with *** for each of the secrets, be it as it is, escaped or in base64. */
  readonly hide: (text: string) => string;
}

export function createSecrets(...initial: readonly string[]): Secrets {
  const known = new Set<string>();
  let plain: readonly string[] = [];
  let encoded: readonly string[] = [];
  const secrets: Secrets = {
    add(secret) {
      if (secret === '' || known.has(secret)) return;
      known.add(secret);
      plain = longestFirst([...plain, ...spellings(secret)]);
      encoded = longestFirst([...encoded, ...base64Cores(secret)]);
    },
    hide(text) {
      const withoutEncoded = encoded.reduce(withoutBase64, text);
      return plain.reduce((clean, one) => clean.replaceAll(one, REMOVED), withoutEncoded);
    },
  };
  for (const secret of initial) secrets.add(secret);
  return secrets;
}

/** The password of a URL, as it is written there and as it is meant. */
export function passwordIn(url: string): readonly string[] {
  const written = /:\/\/[^:/@]*:([^@]*)@/.exec(url)?.[1];
  if (written === undefined) return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}

const longestFirst = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].sort((a, b) => b.length - a.length);

/** As it is, and as XML, JSON, OpenNebula's template language and a URL write it. */
function spellings(secret: string): readonly string[] {
  const xml = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const inAttribute = xml.replaceAll('"', '&quot;');
  return [
    secret,
    xml,
    ...["'", '&apos;', '&#39;'].map((apostrophe) => inAttribute.replaceAll("'", apostrophe)),
    secret.replaceAll('"', '\\"'),
    JSON.stringify(secret).slice(1, -1),
    ...(secret.isWellFormed() ? [encodeURIComponent(secret), encodeURI(secret)] : []),
  ];
}

/**
 * What of the base64 of any text that holds the secret is the secret's alone; its place among groups of three bytes
 * makes three of them. Worked: "secret" is c2VjcmV0; after one other byte it is ..NlY3JldA==, of which NlY3Jld is its own.
 */
function base64Cores(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    // a letter is 6 bits: those that share bits with a neighbour don't count
    const core = whole.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
    return core.length < SHORTEST_BASE64 ? [] : [core];
  });
}

/** The whole value goes, not the core alone. */
function withoutBase64(text: string, core: string): string {
  let clean = '';
  let done = 0;
  for (let at = text.indexOf(core); at >= 0; at = text.indexOf(core, done)) {
    let from = at;
    let to = at + core.length;
    while (from > done && BASE64.test(text[from - 1] ?? '')) from -= 1;
    while (BASE64.test(text[to] ?? '') || text[to] === '=') to += 1;
    clean += `${text.slice(done, from)}${REMOVED}`;
    done = to;
  }
  return clean + text.slice(done);
}
