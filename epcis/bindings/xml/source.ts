// The text of one event as it stood in its document, made to stand alone.
import { mayCarry, tooLarge } from '../../domain/document-limits.ts';

/**
 * Adds to an element's start tag the declarations of prefixes that it uses but its ancestors declared. A prefix counts
 * as used wherever `prefix:` stands in the text, since values (gs1:Temperature, xsi:type="xsd:int") use them too.
 */
export function selfContained(text: string, inherited: Pick<ReadonlyMap<string, string>, 'get'>): string {
  const tag = /^<[^\s/>]+/.exec(text)?.[0] ?? '';
  const own = new Set([...startTag(text).matchAll(/\sxmlns:([^\s=]+)/g)].map(([, prefix]) => prefix));
  let declarations = '';
  for (const prefix of prefixesIn(text)) {
    const uri = inherited.get(prefix);
    if (uri === undefined || prefix === 'xml' || prefix === 'xmlns' || own.has(prefix)) continue;
    declarations += ` xmlns:${prefix}="${escapeXml(uri)}"`;
  }
  if (declarations.length > mayCarry(text.length))
    throw tooLarge('what stands here is short, and its namespaces stand for more than allowed', mayCarry(text.length));
  return tag + declarations + text.slice(tag.length);
}

/** Whatever stands before a colon. Each character is looked at twice at most, however long a word is. */
function prefixesIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  let end = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let start = at;
    while (start > end && isNameCharacter(text.charCodeAt(start - 1))) start--;
    found.add(text.slice(start, at));
    end = at + 1;
  }
  return found;
}

/** Letters, digits and `_.-` by their codes: this is asked of most characters of a document. */
const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 46 ||
  code === 45 ||
  code > 127;

/** The first tag, up to the `>` that is not inside an attribute's value. */
const startTag = (text: string): string => /^<(?:"[^"]*"|'[^']*'|[^'">])*>/.exec(text)?.[0] ?? text;

const UNWRITABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** For text and attribute values alike. What XML cannot hold at all (JSON can) becomes the replacement character. */
export function escapeXml(text: string): string {
  return text.replace(UNWRITABLE, '\uFFFD').replace(/[&<>"\t\n\r]/g, (char) => {
    switch (char) {
      case '&':
        return '&amp;';
      case '<':
        return '&lt;';
      case '>':
        return '&gt;';
      case '"':
        return '&quot;';
      default:
        return `&#${char.charCodeAt(0)};`;
    }
  });
}

/** In an element's text, line breaks and quotes may stay as they are. */
export const escapeText = (text: string): string => text.replace(UNWRITABLE, '\uFFFD').replace(/[&<>\r]/g, escapeXml);
