// Requests that wait for a VM, in order of importance, and in turns by tenant, and by client within a tenant. Knows no HTTP and no
// VM: it keeps order, bounds and deadlines.
import type { Millis } from '../../model.ts';
import type { Asker } from './clients.ts';

/** Where a request waits, and how long. */
export interface Place extends Asker {
  /** Its class, 0 the most important. */
  readonly level: number;
  readonly arrivedAt: Millis;
  readonly deadline: Millis;
  /** Only certain VMs may take it: those are placed before all others. */
  readonly pinned: boolean;
}

/** A waiting request's ticket. */
export interface Ticket<T> extends Place {
  readonly item: T;
  readonly turn: Turn;
  waiting: boolean;
  before: Ticket<T> | undefined;
  after: Ticket<T> | undefined;
}

export interface QueueOptions {
  /** How many classes there are. */
  readonly levels: number;
  /** How many may wait, all classes together. */
  readonly capacity: number;
  /** A request that has waited this long moves up one level, and again after as long. */
  readonly promoteAfterMs: number;
}

/** One client's requests of one class: first in, first out. */
class Line<T> {
  readonly turn: Turn;
  first: Ticket<T> | undefined;
  last: Ticket<T> | undefined;
  size = 0;

  constructor(turn: Turn) {
    this.turn = turn;
  }

  /** In the order of arrival: at the end, save for a request that comes back after a VM failed it. */
  insert(ticket: Ticket<T>): void {
    let before = this.last;
    while (before !== undefined && before.arrivedAt > ticket.arrivedAt) before = before.before;
    const after = before === undefined ? this.first : before.after;
    ticket.before = before;
    ticket.after = after;
    if (before === undefined) this.first = ticket;
    else before.after = ticket;
    if (after === undefined) this.last = ticket;
    else after.before = ticket;
    this.size++;
  }

  remove(ticket: Ticket<T>): void {
    if (ticket.before === undefined) this.first = ticket.after;
    else ticket.before.after = ticket.after;
    if (ticket.after === undefined) this.last = ticket.before;
    else ticket.after.before = ticket.before;
    ticket.before = undefined;
    ticket.after = undefined;
    this.size--;
  }
}

/** Whoever waits, with how many requests; the lower the number, the sooner it is its turn. */
interface Numbered {
  number: number;
  waiting: number;
}

interface TenantTurn extends Numbered {
  /** Its clients that wait. */
  readonly clients: Map<string, Turn>;
}

/** A client's. */
interface Turn extends Numbered {
  readonly tenant: TenantTurn;
}

type Lines<T> = Map<Turn, Line<T>>;

export class AdmissionQueue<T> {
  readonly #options: QueueOptions;
  /** By client; two a class: [level × 2] the unpinned, [level × 2 + 1] the pinned, so that neither blocks the other. */
  readonly #lines: Lines<T>[] = [];
  readonly #tenants = new Map<string, TenantTurn>();
  readonly #sizes: number[];
  #lastTurn = 0;
  #size = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    for (let i = 0; i < options.levels * 2; i++) this.#lines.push(new Map());
    this.#sizes = new Array<number>(options.levels).fill(0);
  }

  get size(): number {
    return this.#size;
  }

  /** How many of one class wait. */
  sizeOf(level: number): number {
    return this.#sizes[level] ?? 0;
  }

  /** When the longest waiting request came. */
  oldest(): Millis | undefined {
    let oldest: Millis | undefined;
    for (const lines of this.#lines) {
      for (const { first } of lines.values()) {
        if (first !== undefined && (oldest === undefined || first.arrivedAt < oldest)) oldest = first.arrivedAt;
      }
    }
    return oldest;
  }

  /**
   * Lets a request wait. When the queue is full another has to go (`displaced`): of the least important class, or of the
   * same class and a tenant that has more waiting in it, or a client of the same tenant that has; of these the newest of the one that
   * has most. Where there is none, the new one itself (no `ticket`).
   */
  offer(item: T, place: Place): { ticket?: Ticket<T>; displaced?: Ticket<T> } {
    let displaced: Ticket<T> | undefined;
    if (this.#size >= this.#options.capacity) {
      displaced = this.#leastImportant(place.level) ?? this.#ofGreedier(place);
      if (displaced === undefined) return {};
      this.remove(displaced);
    }
    return { ticket: this.putBack(item, place), ...(displaced && { displaced }) };
  }

  /** Lets a request wait that had been admitted before: it keeps its place by its time of arrival. */
  putBack(item: T, place: Place): Ticket<T> {
    const { level, arrivedAt, deadline, sender, tenant, pinned } = place;
    const turn = this.#turnOf(place);
    turn.waiting++;
    turn.tenant.waiting++;
    const own = { turn, waiting: true, before: undefined, after: undefined };
    const ticket: Ticket<T> = { item, level, arrivedAt, deadline, sender, tenant, pinned, ...own };
    const lines = this.#linesOf(ticket);
    let line = lines.get(turn);
    if (line === undefined) lines.set(turn, (line = new Line(turn)));
    line.insert(ticket);
    this.#size++;
    this.#sizes[level] = this.sizeOf(level) + 1;
    return ticket;
  }

  /**
   * The next request to serve, out of the queue; undefined when none can be placed. The most important first: by level,
   * counting promotions; among equals the tenant whose last turn is longest ago, and its client whose last turn is; then what has
   * been on that level longest.
   * `placeable` tells whether a VM can take the request now; it is asked about the first of each client and class only.
   */
  take(now: Millis, placeable: (item: T) => boolean): T | undefined {
    let best: Ticket<T> | undefined;
    let [bestLevel, bestTenant, bestTurn, bestSince] = [Infinity, Infinity, Infinity, Infinity];
    for (const [at, lines] of this.#lines.entries()) {
      const base = at % 2 === 0 ? at / 2 : -1;
      for (const { first, turn } of lines.values()) {
        if (first === undefined) continue;
        const [level, since] = this.#standing(base, first.arrivedAt, now);
        if (level > bestLevel) continue;
        if (level === bestLevel) {
          const tenant = turn.tenant.number;
          if (tenant > bestTenant) continue;
          if (tenant === bestTenant && turn.number > bestTurn) continue;
          if (turn.number === bestTurn && since >= bestSince) continue;
        }
        if (!placeable(first.item)) continue;
        best = first;
        [bestLevel, bestTenant, bestTurn, bestSince] = [level, turn.tenant.number, turn.number, since];
      }
    }
    if (best === undefined) return undefined;
    this.remove(best);
    best.turn.number = best.turn.tenant.number = ++this.#lastTurn;
    return best.item;
  }

  /** Takes a request out whose client has gone. Asking twice is no error. */
  remove(ticket: Ticket<T>): boolean {
    if (!ticket.waiting) return false;
    ticket.waiting = false;
    const lines = this.#linesOf(ticket);
    const { turn, sender, tenant } = ticket;
    const line = lines.get(turn) as Line<T>;
    line.remove(ticket);
    if (line.size === 0) lines.delete(turn);
    if (--turn.waiting === 0) turn.tenant.clients.delete(sender);
    if (--turn.tenant.waiting === 0) this.#tenants.delete(tenant);
    this.#size--;
    this.#sizes[ticket.level] = this.sizeOf(ticket.level) - 1;
    return true;
  }

  /** All requests whose deadline has passed, out of the queue. */
  expire(now: Millis): T[] {
    const expired: T[] = [];
    for (const lines of this.#lines) {
      for (const line of lines.values()) {
        for (let ticket = line.first; ticket !== undefined;) {
          const next: Ticket<T> | undefined = ticket.after;
          if (ticket.deadline <= now && this.remove(ticket)) expired.push(ticket.item);
          ticket = next;
        }
      }
    }
    return expired;
  }

  /**
   * Level and since when, promotions counted. Pinned requests start at −1, before every class; waiting lifts the
   * others there too, one level each `promoteAfterMs`, so nothing starves.
   * Example: class 2, promotion after 5 s, waiting for 11 s: level 0, since 1 s.
   */
  #standing(level: number, arrivedAt: Millis, now: Millis): [level: number, since: Millis] {
    const { promoteAfterMs } = this.#options;
    const promotions = Math.min(level + 1, Math.max(0, Math.floor((now - arrivedAt) / promoteAfterMs)));
    return [level - promotions, arrivedAt + promotions * promoteAfterMs];
  }

  #turnOf({ sender, tenant }: Asker): Turn {
    let of = this.#tenants.get(tenant);
    if (of === undefined)
      this.#tenants.set(tenant, (of = { number: ++this.#lastTurn, waiting: 0, clients: new Map<string, Turn>() }));
    let turn = of.clients.get(sender);
    if (turn === undefined) of.clients.set(sender, (turn = { number: ++this.#lastTurn, waiting: 0, tenant: of }));
    return turn;
  }

  #linesOf({ level, pinned }: Place): Lines<T> {
    return this.#lines[level * 2 + (pinned ? 1 : 0)] as Lines<T>;
  }

  #leastImportant(than: number): Ticket<T> | undefined {
    for (let level = this.#options.levels - 1; level > than; level--) {
      for (const pinned of [0, 1]) {
        const lines = this.#lines[level * 2 + pinned] as Lines<T>;
        if (lines.size > 0) return longest(lines, fullest(lines).tenant)?.last;
      }
    }
    return undefined;
  }

  /** Two waiting and one that comes are no wrong done: only where the other would still have as many. */
  #ofGreedier(place: Place): Ticket<T> | undefined {
    const lines = this.#linesOf(place);
    const own = this.#tenants.get(place.tenant);
    const { tenant, waiting, of } = fullest(lines, own);
    if (waiting > of + 1) return longest(lines, tenant)?.last;
    if (own === undefined) return undefined;
    const client = own.clients.get(place.sender);
    const line = longest(lines, own);
    const ownSize = client === undefined ? 0 : (lines.get(client)?.size ?? 0);
    return line !== undefined && line.size > ownSize + 1 ? line.last : undefined;
  }
}

/** The tenant that has most waiting here, and how many; and how many `own` has. */
function fullest<T>(lines: Lines<T>, own?: TenantTurn): { tenant?: TenantTurn; waiting: number; of: number } {
  const sizes = new Map<TenantTurn, number>();
  let [most, waiting]: [TenantTurn | undefined, number] = [undefined, 0];
  for (const { turn, size } of lines.values()) {
    const all = (sizes.get(turn.tenant) ?? 0) + size;
    sizes.set(turn.tenant, all);
    if (all > waiting) [most, waiting] = [turn.tenant, all];
  }
  return { ...(most && { tenant: most }), waiting, of: (own && sizes.get(own)) ?? 0 };
}

/** Of one tenant's clients; of several as long that of who came last. */
function longest<T>(lines: Lines<T>, tenant: TenantTurn | undefined): Line<T> | undefined {
  let most: Line<T> | undefined;
  for (const line of lines.values()) {
    if (line.turn.tenant !== tenant) continue;
    const isNewer = (line.last?.arrivedAt ?? 0) > (most?.last?.arrivedAt ?? 0);
    if (most === undefined || line.size > most.size || (line.size === most.size && isNewer)) most = line;
  }
  return most;
}
