// What others say to us may quote what we sent them. Here every secret is taken out of such a sentence, in whatever
// way it is written there.

/**
 * A shorter one is hidden only where it stands apart from letters and digits: within words it would make sentences
 * unreadable, and they would tell it.
 */
const SHORTEST_IN_WORDS = 4;
const REMOVED = '***';
/** What stands before a password in a URL, and the password: to the last @ that may belong to it. */
export const LOGIN_IN_URL = /(:\/\/[^:/@]*):([^/?#]*|[^@]*)@/;

export interface Secrets {
  /** One more that is never to be shown. Empty ones count for nothing. */
  readonly add: (secret: string) => void;
  /** The text with *** for each of the secrets, be it as it is, escaped or in base64. */
  readonly hide: (text: string) => string;
}

export function createSecrets(...initial: readonly string[]): Secrets {
  const known = new Set<string>();
  let spelled: readonly string[] = [];
  let patterns: readonly (string | RegExp)[] = [];
  const secrets: Secrets = {
    add(secret) {
      if (secret === '' || known.has(secret)) return;
      known.add(secret);
      spelled = longestFirst([...spelled, ...spellings(secret)]);
      patterns = spelled.map((one) => (one.length < SHORTEST_IN_WORDS ? apart(one) : one));
    },
    hide(text) {
      const withoutEncoded = withoutBase64(text, [...known]);
      return patterns.reduce<string>((clean, one) => clean.replaceAll(one, REMOVED), withoutEncoded);
    },
  };
  for (const secret of initial) secrets.add(secret);
  return secrets;
}

/** The password of a URL, as it is written there and as it is meant. */
export function passwordIn(url: string): readonly string[] {
  const written = LOGIN_IN_URL.exec(url)?.[2];
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

/** The secret with no letter or digit beside it; the n of a quoted "\\n" is none. */
function apart(secret: string): RegExp {
  const literally = [...secret].map((character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`).join('');
  return new RegExp(`(?:(?<![\\p{L}\\p{N}])|(?<=\\\\[bfnrt]))${literally}(?![\\p{L}\\p{N}])`, 'gu');
}

/** Whatever is the base64 of something with a secret in it goes as a whole. */
function withoutBase64(text: string, secrets: readonly string[]): string {
  const shortest = Math.min(...secrets.map((secret) => secret.length));
  return text.replace(/[A-Za-z0-9+/]{2,}=*/g, (word) => {
    if ((word.length * 6) / 8 < shortest) return word;
    const meanings = [0, 1, 2, 3].map((cut) => Buffer.from(word.slice(cut), 'base64')); // its beginning may be lost
    return secrets.some((secret) => tells(secret, meanings)) ? REMOVED : word;
  });
}

/** A few bytes stand anywhere by chance: a short secret counts only in what is text as a whole. */
function tells(secret: string, meanings: readonly Buffer[]): boolean {
  if (secret.length >= SHORTEST_IN_WORDS) return meanings.some((meaning) => meaning.includes(secret));
  const [whole] = meanings;
  if (whole?.includes(secret) !== true) return false;
  const text = whole.toString('utf8');
  if (!whole.equals(Buffer.from(text, 'utf8'))) return false;
  return apart(secret).test(text) && !/[^\P{Cc}\s]/u.test(text);
}
