// A setting is declared once, as data: its type, default, bounds, and a line for people. This is what code has of it.

type Kind<T> = T extends number ? number : T extends boolean ? boolean : T extends string ? string : T;

type ValueOf<D> = D extends { choices: readonly (infer C)[] }
  ? C
  : D extends { type: 'number' | 'whole'; or: infer Word }
    ? number | Word
    : D extends { type: 'name' }
      ? string | number
      : D extends { type: 'list' }
        ? readonly string[]
        : D extends { default: infer V }
          ? Kind<V>
          : never;

/** The values of what is declared, in sections or not. */
export type Values<S> = { readonly [K in keyof S]: S[K] extends { doc: string } ? ValueOf<S[K]> : Values<S[K]> };

export const defaultsOf = <S extends object>(sections: S): Values<S> =>
  Object.fromEntries(
    Object.entries(sections).map(([name, entry]: [string, object]) => [
      name,
      'default' in entry ? entry.default : defaultsOf(entry),
    ]),
  ) as Values<S>;
