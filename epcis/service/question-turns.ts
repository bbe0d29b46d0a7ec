// Questions that take this process long are answered in pieces of some milliseconds, one a turn of its loop: others' short ones come between
// two of them, and the pieces of several clients by turns. While others ask, a client has two of them under way: each may hold one of the few
// connections to the database. Nothing is refused, and where nobody else asks nothing is waited for.

interface Time {
  /** ms of some clock. */
  readonly now: () => number;
  /** Until what has come meanwhile has had its turn. */
  readonly nextTurn: () => Promise<unknown>;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Work is counted, not timed (others are in between): a unit is about 10 µs of a core. This is a piece. */
export const PIECE = 200;
/** A short question that is under way, at the database perhaps, goes before a long one's next piece; which waits no longer than this. */
const PATIENCE_MS = 5;
/** Long questions of one client that are under way while others ask. */
const AT_ONCE = 2;
/** Another client is there for so long after a question. */
const REMEMBERED_MS = 1_000;
/** Who takes as long to be answered waits for something else: for the client that asked. */
const FRESH_MS = 50;

/** One that is being answered. */
export interface Question {
  /** To be called between two steps of the work, as often as one likes, with what is about to be done; a promise where it has to wait. */
  readonly spend: (units: number) => Promise<void> | undefined;
  readonly end: () => void;
}

interface Known {
  readonly client: string;
  readonly since: number;
}

interface Work {
  /** When it last waited for its turn. */
  at: number;
}

/** A client's long questions. */
interface Long {
  readonly underWay: Set<Work>;
  /** Those that are not begun. */
  readonly before: ((work: Work) => void)[];
}

export class QuestionTurns {
  readonly #time: Time;
  /** Under way, and not long so far. */
  readonly #short = new Set<Known>();
  /** Each client's pieces, the client that waits longest for its turn first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #long = new Map<string, Long>();
  #isServing = false;
  /** Who asked last, and the last before of another client. */
  #asked: readonly Known[] = [];
  /** Told when a short question has been answered. */
  #ended = Promise.withResolvers<void>();

  constructor(time: Time) {
    this.#time = time;
  }

  begin(client: string): Question {
    const known: Known = { client, since: this.#time.now() };
    this.#short.add(known);
    this.#asked = [known, ...this.#asked.filter((one) => one.client !== client).slice(0, 1)];
    if (this.#long.size > 0) this.#letIn();
    let units = 0;
    let long: Promise<Work> | undefined;
    let work: Work | undefined;
    let isOver = false;
    return {
      spend: (more) => {
        units += more;
        if (units < PIECE || isOver) return undefined;
        units = 0;
        if (work !== undefined) work.at = this.#time.now();
        if (long !== undefined) return this.#turn(client);
        this.#leaveShort(known);
        long = this.#enter(client);
        return long.then((begun) => {
          work = begun;
          return this.#turn(client);
        });
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        this.#leaveShort(known);
        void long?.then((begun) => this.#leave(client, begun));
      },
    };
  }

  #enter(client: string): Promise<Work> {
    let long = this.#long.get(client);
    if (long === undefined) this.#long.set(client, (long = { underWay: new Set(), before: [] }));
    const { promise, resolve } = Promise.withResolvers<Work>();
    long.before.push(resolve);
    this.#letIn();
    return promise;
  }

  #leave(client: string, work: Work): void {
    const long = this.#long.get(client);
    if (long === undefined) return;
    long.underWay.delete(work);
    this.#letIn();
    if (long.underWay.size === 0 && long.before.length === 0) this.#long.delete(client);
  }

  #letIn(): void {
    const now = this.#time.now();
    for (const [client, { underWay, before }] of this.#long) {
      // who has not worked for long waits for a client that reads slowly, and is in nobody's way
      const working = [...underWay].filter(({ at }) => at >= now - REMEMBERED_MS).length;
      const room = this.#isAlone(client) ? Infinity : AT_ONCE - working;
      for (const begin of before.splice(0, Math.max(0, room))) {
        const work = { at: now };
        underWay.add(work);
        begin(work);
      }
    }
  }

  #isAlone(client: string): boolean {
    const since = this.#time.now() - REMEMBERED_MS;
    return !this.#asked.some((one) => one.client !== client && one.since >= since);
  }

  #leaveShort(known: Known): void {
    if (!this.#short.delete(known)) return;
    this.#ended.resolve();
    this.#ended = Promise.withResolvers();
  }

  #turn(client: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(client);
    if (waiting === undefined) this.#waiting.set(client, [resolve]);
    else waiting.push(resolve);
    if (!this.#isServing) void this.#serve();
    return promise;
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    for (;;) {
      await this.#time.nextTurn();
      const [next] = this.#waiting;
      if (next === undefined) break;
      const [client, pieces] = next;
      await this.#afterShort(client);
      this.#waiting.delete(client);
      pieces.shift()?.();
      if (pieces.length > 0) this.#waiting.set(client, pieces);
    }
    this.#isServing = false;
  }

  async #afterShort(client: string): Promise<void> {
    const until = this.#time.now() + PATIENCE_MS;
    for (let left = PATIENCE_MS; left > 0 && this.#othersAsk(client); left = until - this.#time.now())
      await Promise.race([this.#ended.promise, this.#time.sleep(left)]);
  }

  #othersAsk(client: string): boolean {
    const fresh = this.#time.now() - FRESH_MS;
    for (const known of this.#short) {
      if (known.since < fresh) this.#short.delete(known);
      else if (known.client !== client) return true;
    }
    return false;
  }
}
