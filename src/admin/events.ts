// Server-sent events: the periods up to now, then the state once a second and each period when it is new or its steps are done.
import type { RequestHandler, Response } from 'express';
import type { BoundRecord } from '../loop/history.ts';
import { periodView, shortened } from '../loop/view.ts';
import { isStillKnown } from './authenticate.ts';
import type { AdminSource } from './source.ts';
import { Refusal } from './protect.ts';

const INTERVAL = 1000;
/** Periods that a page begins with: an hour of 10 s. */
const HISTORY = 360;
/** Steps of so many periods back may still be under way: a boot takes minutes. */
const RECENT = 60;
const MOST_SUBSCRIBERS = 100;
/** A reader that is so many bytes behind is gone or asleep; it reconnects when it wakes. */
const MOST_BEHIND = 4_000_000;

export class EventStream {
  readonly #source: AdminSource;
  readonly #subscribers = new Set<Response>();
  #timer: NodeJS.Timeout | undefined;
  /** Recent periods by their time, with the number of outcomes that were sent. */
  #sent = new Map<number, number>();

  constructor(source: AdminSource) {
    this.#source = source;
  }

  readonly subscribe: RequestHandler = (_request, response, next) => {
    if (this.#subscribers.size >= MOST_SUBSCRIBERS) {
      return next(new Refusal(503, `More than ${MOST_SUBSCRIBERS} pages are open already.`));
    }
    response.set({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }).flushHeaders();
    response.write(event('history', this.#source.decisions(HISTORY).map(periodView).reverse()));
    response.write(event('state', shortened(this.#source.view())));
    this.#subscribers.add(response);
    response.on('close', () => this.#leave(response));
    if (this.#timer === undefined) {
      this.#news();
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

  /** Periods that are new, or whose steps have come to an end since. */
  #news(): readonly BoundRecord[] {
    const recent = this.#source.decisions(RECENT);
    const news = recent.filter(({ at, outcome }) => this.#sent.get(at) !== outcome.length);
    this.#sent = new Map(recent.map(({ at, outcome }) => [at, outcome.length]));
    return news;
  }

  /** Each view is made once, whoever looks; who may not any more has seen the last of them. */
  #send(): void {
    const periods = this.#news();
    const text = periods
      .map((record) => event('period', periodView(record)))
      .reverse()
      .concat(event('state', shortened(this.#source.view())))
      .join('');
    for (const response of this.#subscribers) {
      if (response.writableLength > MOST_BEHIND) response.destroy();
      else if (!isStillKnown(response)) response.end();
      else response.write(text);
    }
  }
}

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
