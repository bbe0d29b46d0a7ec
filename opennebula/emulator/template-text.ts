// Reads OpenNebula's template language: NAME="value", NAME=value, NAME=[ A="1", B="2" ], # comments.

/** One attribute of that name, or several; a vector attribute is a Map. */
export type Value = string | ReadonlyMap<string, string>;
export type Attributes = Map<string, Value[]>;

/** Undefined when the text is no template. */
export function parseTemplate(source: string): Attributes | undefined {
  const attributes: Attributes = new Map();
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const sticky = new RegExp(pattern.source, 'y');
    sticky.lastIndex = at;
    const match = sticky.exec(source) ?? undefined;
    if (match) at = sticky.lastIndex;
    return match;
  };
  const blank = (): void => {
    while (take(/\s+|#[^\n]*\n?/));
  };
  const scalar = (): string | undefined => {
    const quoted = take(/"((?:\\"|[^"])*)"/);
    return quoted ? quoted[1]?.replaceAll('\\"', '"') : take(/[^=#\s,[\]"]+/)?.[0];
  };
  const name = (): string | undefined => take(/(\w+)[ \t]*=[ \t]*/)?.[1]?.toUpperCase();
  const vector = (): Map<string, string> | undefined => {
    const values = new Map<string, string>();
    for (;;) {
      blank();
      const key = name();
      const value = key === undefined ? undefined : scalar();
      if (key === undefined || value === undefined) return undefined;
      values.set(key, value);
      blank();
      if (take(/\]/)) return values;
      if (!take(/,/)) return undefined;
    }
  };

  for (blank(); at < source.length; blank()) {
    const key = name();
    if (key === undefined) return undefined;
    const value = take(/\[/) ? vector() : (scalar() ?? '');
    if (value === undefined) return undefined;
    attributes.set(key, [...(attributes.get(key) ?? []), value]);
  }
  return attributes;
}
