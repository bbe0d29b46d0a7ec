// A setting is declared once, as data: its type, default, bounds, and a line for people. This is what code has of it.

type Value<T> = T extends number ? number : T extends boolean ? boolean : T extends string ? string : T;

/** The values of what is declared. */
export type Values<S> = { readonly [K in keyof S]: S[K] extends { default: infer T } ? Value<T> : Values<S[K]> };

export const defaultsOf = <S extends object>(settings: S): Values<S> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, entry]: [string, object]) => [
      name,
      'default' in entry ? entry.default : defaultsOf(entry),
    ]),
  ) as Values<S>;
