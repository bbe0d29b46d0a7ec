// Reads nothing more of a request for a while. Pausing it is not enough: its connection would be read on until 64 KB are in
// memory, which may be 65,536 chunks, and Node resumes the connection whenever it has room for more.
import type { IncomingMessage } from 'node:http';

export class RestReading {
  readonly #request: IncomingMessage;
  readonly #goOn: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: IncomingMessage, goOn: () => void) {
    this.#request = request;
    this.#goOn = goOn;
    const read = request._read.bind(request);
    request._read = (size) => (this.#timer === undefined ? read(size) : undefined);
  }

  get rests(): boolean {
    return this.#timer !== undefined;
  }

  rest(ms: number): void {
    if (this.#timer !== undefined) return;
    this.#request.pause();
    // not at once: where Node has just resumed it, that is said in the next tick, and would have it read on
    process.nextTick(() => (this.#timer === undefined ? undefined : this.#request.socket.pause()));
    this.#timer = setTimeout(() => {
      this.end();
      this.#goOn();
    }, ms).unref();
  }

  end(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#request.socket.resume();
  }
}
