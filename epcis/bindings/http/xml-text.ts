// The one escape function of the doors' own XML: safe in text and in quoted attributes.
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
};

export function xmlText(text: string): string {
  return (
    text
      .replace(/[&<>"'\r]/g, (character) => ESCAPES[character] ?? character)
      // what XML 1.0 cannot hold at all
      .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
  );
}
