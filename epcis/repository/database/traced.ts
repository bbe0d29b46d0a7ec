// A database whose statements are spans of the request they are for. Of a statement only its kind and its table are told:
// its text may hold what a client wrote.
import { activeSpan } from '../../tracing/active.ts';
import type { Span } from '../../tracing/tracer.ts';
import type { Connection, Database, Values } from './database.ts';

type Statements = Pick<Connection, 'all' | 'run'>;

export function traced(database: Database): Database {
  const { dialect } = database;
  return {
    ...{ dialect, ...statements(database, dialect, activeSpan) },
    async *stream(sql, values, options): AsyncGenerator<readonly Values[]> {
      const span = begin(activeSpan(), sql, dialect);
      let failed = false;
      try {
        yield* database.stream(sql, values, options);
      } catch (error) {
        failed = true;
        throw error;
      } finally {
        span?.end(failed);
      }
    },
    transaction: async (work) => {
      const span = activeSpan()?.child('transaction', 'client');
      span?.set({ 'db.system.name': dialect });
      return ending(span, () =>
        database.transaction((connection) =>
          work(span === undefined ? connection : { dialect, ...statements(connection, dialect, () => span) }),
        ),
      );
    },
    close: () => database.close(),
  };
}

const statements = (inner: Statements, dialect: string, parent: () => Span | undefined): Statements => ({
  all: (sql, values) => ending(begin(parent(), sql, dialect), () => inner.all(sql, values)),
  run: (sql, values) => ending(begin(parent(), sql, dialect), () => inner.run(sql, values)),
});

async function ending<T>(span: Span | undefined, act: () => Promise<T>): Promise<T> {
  if (span === undefined) return act();
  try {
    const result = await act();
    span.end();
    return result;
  } catch (error) {
    span.end(true);
    throw error;
  }
}

function begin(parent: Span | undefined, sql: string, dialect: string): Span | undefined {
  if (parent === undefined) return undefined;
  const { operation, table } = kindOf(sql);
  const span = parent.child(table === undefined ? operation : `${operation} ${table}`, 'client');
  span?.set({
    ...{ 'db.system.name': dialect, 'db.operation.name': operation },
    ...(table !== undefined && { 'db.collection.name': table }),
  });
  return span;
}

/** `SELECT` of `event`; what begins with `WITH` is a question, too. Tables of one's own making are named as they are. */
export function kindOf(sql: string): { readonly operation: string; readonly table?: string } {
  const operation = /^[\s(]*([A-Za-z]+)/.exec(sql)?.[1]?.toUpperCase() ?? 'statement';
  const table = /\b(?:FROM|INTO|UPDATE|TABLE)\s+`?([A-Za-z_][A-Za-z0-9_]*)/i.exec(sql)?.[1];
  return { operation: operation === 'WITH' ? 'SELECT' : operation, ...(table !== undefined && { table }) };
}
