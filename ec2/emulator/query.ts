// The parameters of an EC2 call: a flat form in which lists and structures are numbered and dotted,
// `Filter.1.Name=vpc-id&Filter.1.Value.1=vpc-1`.
import { Refusal } from './refusal.ts';

export class Parameters {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  static ofForm(body: string): Parameters {
    return new Parameters(new Map(new URLSearchParams(body)));
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  need(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new Refusal('MissingParameter', `The request must contain the parameter ${name}`);
    return value;
  }

  number(name: string): number | undefined {
    const value = this.#values.get(name);
    return value === undefined ? undefined : Number(value);
  }

  /** Values of NAME.1, NAME.2, … */
  list(name: string): readonly string[] {
    return this.#numbers(name).flatMap((n) => this.#values.get(`${name}.${n}`) ?? []);
  }

  /** What is below NAME.1, NAME.2, … */
  structures(name: string): readonly Parameters[] {
    return this.#numbers(name).map((n) => this.structure(`${name}.${n}`));
  }

  structure(name: string): Parameters {
    const below = [...this.#values].filter(([key]) => key.startsWith(`${name}.`));
    return new Parameters(new Map(below.map(([key, value]) => [key.slice(name.length + 1), value])));
  }

  /** Everything but `names`, in an order of its own: two calls are the same when this is. */
  fingerprint(...names: readonly string[]): string {
    return JSON.stringify([...this.#values].filter(([key]) => !names.includes(key)).sort());
  }

  #numbers(name: string): readonly number[] {
    const numbers = [...this.#values.keys()]
      .filter((key) => key.startsWith(`${name}.`))
      .map((key) => Number(key.slice(name.length + 1).split('.')[0]))
      .filter((n) => Number.isInteger(n));
    return [...new Set(numbers)].sort((a, b) => a - b);
  }
}

/** Each filter's name must be one of `known`, which says the values that an item has there; any of the wanted ones will do. */
export function filtered<T>(
  items: readonly T[],
  parameters: Parameters,
  known: (item: T, name: string) => readonly string[] | undefined,
): readonly T[] {
  const filters = parameters
    .structures('Filter')
    .map((filter) => ({ name: filter.need('Name'), wanted: filter.list('Value') }));
  return items.filter((item) =>
    filters.every(({ name, wanted }) => {
      const values = known(item, name);
      if (values === undefined) throw new Refusal('InvalidParameterValue', `The filter '${name}' is invalid`);
      return values.some((value) => wanted.includes(value));
    }),
  );
}
