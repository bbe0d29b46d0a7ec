// The text of one event as it stood in its document, made to stand alone.

/**
 * Adds to an element's start tag the declarations of prefixes that it uses but its ancestors declared. A prefix counts
 * as used wherever `prefix:` stands in the text, since values (gs1:Temperature, xsi:type="xsd:int") use them too.
 */
export function selfContained(text: string, inherited: ReadonlyMap<string, string>): string {
  const tag = /^<[^\s/>]+/.exec(text)?.[0] ?? '';
  const own = startTag(text);
  let declarations = '';
  for (const [prefix, uri] of inherited) {
    if (prefix === '' || prefix === 'xml' || prefix === 'xmlns' || !uses(text, prefix)) continue;
    if (!new RegExp(`\\sxmlns:${escapeRegExp(prefix)}\\s*=`).test(own))
      declarations += ` xmlns:${prefix}="${escapeXml(uri)}"`;
  }
  return tag + declarations + text.slice(tag.length);
}

/** The first tag, up to the `>` that is not inside an attribute's value. */
export const startTag = (text: string): string => /^<(?:"[^"]*"|'[^']*'|[^'">])*>/.exec(text)?.[0] ?? text;

const uses = (text: string, prefix: string): boolean => {
  for (let at = text.indexOf(`${prefix}:`); at >= 0; at = text.indexOf(`${prefix}:`, at + 1)) {
    if (!/[\w.-]/.test(text[at - 1] ?? ' ')) return true;
  }
  return false;
};

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

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
