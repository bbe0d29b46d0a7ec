// The rules of a client stand in each branch of a query, the same with the same values, and to bind a value costs as much as to compare it with
// many. Each different one is bound once. SQLite only: MySQL knows no numbered parameters. Pure.
import type { SqlValue } from '../database/database.ts';
import { fragment, type Fragment, type SqlContext } from './sql.ts';

export function numbered({ sql, values }: Fragment, { dialect }: SqlContext): Fragment {
  if (dialect !== 'sqlite') return fragment(sql, values);
  const numbers = new Map<SqlValue, number>();
  let at = 0;
  const text = sql.replace(/\?/g, () => {
    const value = values[at++] ?? null;
    const number = numbers.get(value) ?? numbers.size + 1;
    numbers.set(value, number);
    return `?${number}`;
  });
  return fragment(text, [...numbers.keys()]);
}
