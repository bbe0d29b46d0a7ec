// Names of extension fields as XML writes them. JSON allows names that XML does not (`@type`, `1st`): characters that XML has
// not in a name are written as _xHHHH_, and read as what they stand for, so that a field is the same one in both forms.

const NAME = /^[\p{L}_][\p{L}\p{N}._-]*$/u;
export const isXmlName = (text: string): boolean => NAME.test(text);

/** JSON's own words, which no element may become. */
const RESERVED = new Set(['@context', '#text']);
/** No URI has these (RFC 3987), so no name in JSON either: they stay as other programs wrote them (`Expiry_x0020_Date`). */
const IN_NO_URI = /[\s<>"{}|\\^`\p{Cc}\p{Cs}]/u;

export function writeName(name: string): string {
  const told = name.replace(/_(?=x([0-9A-Fa-f]{4,6})_)/g, (_, hex: string) =>
    charOf(hex) === undefined ? '_' : '_x005F_',
  );
  if (isXmlName(told)) return told;
  return told.replace(
    /^[^\p{L}_]|[^\p{L}\p{N}._-]/gu,
    (char) => `_x${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}_`,
  );
}

export function readName(written: string): string {
  if (!written.includes('_x')) return written;
  const name = written.replace(/_x([0-9A-Fa-f]{4,6})_/g, (whole, hex: string) => charOf(hex) ?? whole);
  return RESERVED.has(name) ? written : name;
}

function charOf(hex: string): string | undefined {
  const code = Number.parseInt(hex, 16);
  const char = code > 0x10_ff_ff ? '' : String.fromCodePoint(code);
  return char === '' || IN_NO_URI.test(char) ? undefined : char;
}
