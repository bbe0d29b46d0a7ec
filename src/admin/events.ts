// Server-sent events: the periods up to now, then the state once a second and each new period, for every open page.
import type { RequestHandler, Response } from 'express';
import type { AdminSource } from './source.ts';
import { periodView, stateView } from './view.ts';
import { Refusal } from './protect.ts';

const INTERVAL = 1000;
/** Periods that a page begins with: an hour of 10 s. */
const HISTORY = 360;
const MOST_SUBSCRIBERS = 100;
/** A reader that is so many bytes behind is gone or asleep; it reconnects when it wakes. */
const MOST_BEHIND = 4_000_000;

export class EventStream {
  readonly #source: AdminSource;
  readonly #subscribers = new Set<Response>();
  #timer: NodeJS.Timeout | undefined;
  #sentUpTo = 0;

  constructor(source: AdminSource) {
    this.#source = source;
  }

  readonly subscribe: RequestHandler = (_request, response, next) => {
    if (this.#subscribers.size >= MOST_SUBSCRIBERS) {
      return next(new Refusal(503, `More than ${MOST_SUBSCRIBERS} pages are open already.`));
    }
    response.set({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }).flushHeaders();
    response.write(event('history', this.#source.decisions(HISTORY).map(periodView).reverse()));
    response.write(event('state', stateView(this.#source.state())));
    this.#subscribers.add(response);
    response.on('close', () => this.#leave(response));
    if (this.#timer === undefined) {
      this.#sentUpTo = this.#source.decisions(1)[0]?.at ?? 0;
      this.#timer = setInterval(() => this.#send(), INTERVAL);
    }
  };

  close(): void {
    for (const response of this.#subscribers) response.end();
    this.#subscribers.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #leave(response: Response): void {
    this.#subscribers.delete(response);
    if (this.#subscribers.size === 0) this.close();
  }

  /** Each view is made once, whoever looks. */
  #send(): void {
    const periods = this.#source.decisions(10).filter(({ at }) => at > this.#sentUpTo);
    this.#sentUpTo = periods[0]?.at ?? this.#sentUpTo;
    const text = periods
      .map((record) => event('period', periodView(record)))
      .reverse()
      .concat(event('state', stateView(this.#source.state())))
      .join('');
    for (const response of this.#subscribers) {
      if (response.writableLength > MOST_BEHIND) response.destroy();
      else response.write(text);
    }
  }
}

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
