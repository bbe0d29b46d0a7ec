// What an operator writes in the file of checks, and what it means. Whatever is wrong in it ends in one sentence.
import { z } from 'zod';
import { parseDuration } from '../domain/quantity.ts';
import { FIELD_KINDS, type FieldName } from '../domain/event-shape.ts';
import { COLUMN_FACTS, type Column, type ColumnFact } from '../service/queryable-columns.ts';
import type { Kind, Rule } from '../service/rules.ts';

export interface SchemaFile {
  readonly namespace: string;
  readonly file: string;
  readonly refuses: boolean;
}

export interface Declaration {
  readonly schemas: readonly SchemaFile[];
  readonly rules: readonly Rule[];
}

/** `eventType` is what people call the column of types. */
const COLUMNS: ReadonlyMap<string, Column> = new Map(
  Object.keys(COLUMN_FACTS).map((column) => [column === 'type' ? 'eventType' : column, column as Column]),
);

const MOST = 100;
/** A hundred years. */
const LONGEST_MS = 36_525 * 86_400_000;

const onFault = z.enum(['warn', 'refuse']).default('refuse');
const values = z.union([z.string(), z.array(z.string()).min(1)]);
const kind = z.record(z.enum([...COLUMNS.keys()] as [string, ...string[]]), values.optional()).transform(kindOf);
/** In microseconds, as events' times are counted. */
const within = z
  .string()
  .transform((text) => parseDuration(text) ?? NaN)
  .refine((ms) => ms <= LONGEST_MS, 'is no time span; write it like 30d, 12h, 15m or 90s')
  .transform((ms) => ms * 1000);

const rule = z
  .strictObject({
    name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'is no name; write it like receiving-follows-shipping'),
    when: kind.default({}),
    needs: z
      .array(z.enum(Object.keys(FIELD_KINDS) as [FieldName, ...FieldName[]]))
      .min(1)
      .optional(),
    after: kind.optional(),
    notAfter: kind.optional(),
    within: within.optional(),
    says: z.string().min(1),
    onFault,
  })
  .refine(
    ({ needs, after, notAfter }) => needs ?? after ?? notAfter,
    'asks for nothing: it has no needs, after or notAfter',
  );

const declaration = z.strictObject({
  schemas: z
    .array(z.strictObject({ namespace: z.string().min(1), file: z.string().min(1), onFault }))
    .max(MOST)
    .default([]),
  rules: z.array(rule).max(MOST).default([]),
});

/** `content`: the file's, as YAML or JSON has it. Throws one sentence that goes on from the file's name. */
export function readDeclaration(content: unknown): Declaration {
  const read = declaration.safeParse(content ?? {});
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
  }
  const { schemas, rules } = read.data;
  return {
    schemas: schemas.map(({ onFault: what, ...schema }) => ({ ...schema, refuses: what === 'refuse' })),
    rules: rules.map(({ onFault: what, ...each }) => ({ ...defined(each), refuses: what === 'refuse' })),
  };
}

/** Words and URNs of the standard's vocabularies as the one URI that events have. */
function kindOf(given: Readonly<Record<string, string | readonly string[] | undefined>>): Kind {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const column = COLUMNS.get(name);
      if (column === undefined || value === undefined) return [];
      const { canonical = (text: string) => text }: ColumnFact = COLUMN_FACTS[column];
      return [[column, (typeof value === 'string' ? [value] : value).map(canonical)]];
    }),
  );
}

/** Without the members that are undefined: an absent one is absent. */
function defined<T extends { name: string; when: Kind; says: string }>(
  given: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
