import type { Values } from './database.ts';

/** What mysql2's callback interface offers of a connection. */
export interface RowSource {
  execute(statement: { sql: string; values: readonly unknown[]; rowsAsArray: true }): {
    on(event: string, listener: (value: unknown) => void): unknown;
  };
  pause(): void;
  resume(): void;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  off(event: 'error', listener: (error: unknown) => void): unknown;
}

/** The rows of one statement as they come; the connection rests while enough of them wait. */
export class RowQueue {
  ended = false;
  readonly #connection: RowSource;
  #rows: Values[] = [];
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(connection: RowSource, sql: string, values: readonly unknown[]) {
    this.#connection = connection;
    const fail = (error: unknown): void => {
      this.#error ??= error instanceof Error ? error : new Error(String(error));
      this.#wake?.();
    };
    // of a lost connection the driver tells the connection only, not a statement without a callback
    connection.on('error', fail);
    const command = connection.execute({ sql, values, rowsAsArray: true });
    command.on('result', (row) => {
      if (this.#rows.push(row as Values) >= 128) this.#connection.pause();
      this.#wake?.();
    });
    command.on('error', fail);
    command.on('end', () => {
      this.ended = true;
      connection.off('error', fail);
      this.#wake?.();
    });
  }

  /** The rows that have come since, undefined at the end. */
  async next(): Promise<readonly Values[] | undefined> {
    if (this.#rows.length === 0) this.#connection.resume(); // which may give rows at once
    while (this.#rows.length === 0 && !this.ended && this.#error === undefined)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#error !== undefined) throw this.#error;
    const rows = this.#rows;
    this.#rows = [];
    return rows.length === 0 ? undefined : rows;
  }
}
