// The manager's side of a node's door: signs orders with its key, over TLS to who shows that node's own certificate.
import { Agent, request } from 'undici';
import { MmeliotError } from '../errors.ts';
import type { Millis } from '../model.ts';
import { showAddress } from '../../epcis/domain/address.ts';
import { connectionOf, trustIn } from '../tls/group.ts';
import { readReport } from '../packing/node-report.ts';
import type { NodeDoor, NodeReport, Order } from '../packing/orders.ts';
import { ORDERS, SIGNATURE } from './node-server.ts';
import { signOrder, type OrderKey } from './signed-orders.ts';

export interface DoorOptions {
  /** The group's: nodes' certificates come from it. */
  readonly secret: string;
  /** The newest last; the one before is needed until all nodes know the newest. */
  readonly keys: () => readonly OrderKey[];
  readonly now: () => Millis;
  readonly deadlineMs?: number;
}

export interface Door extends NodeDoor {
  close(): Promise<void>;
}

/** The name in a node's certificate: no other node can show it. */
export const nodeName = (mark: string): string => `${mark}.node.mmeliot.internal`;

type Node = Parameters<NodeDoor['ask']>[0];

const DEADLINE_MS = 3_000;
/** Of an answer: a thousand workers are a third of it. */
const MOST_BYTES = 2 ** 20;

export function createDoor({ secret, keys, now, deadlineMs = DEADLINE_MS }: DoorOptions): Door {
  const agents = new Map<string, Agent>();
  /** The key (public) that each node obeys, as far as it is known. */
  const obeyed = new Map<string, string>();
  const agentOf = (mark: string): Agent => {
    const known = agents.get(mark);
    if (known !== undefined) return known;
    const connect = { ...connectionOf(trustIn(secret, nodeName(mark))), timeout: deadlineMs };
    const limits = { headersTimeout: deadlineMs, bodyTimeout: deadlineMs, maxResponseSize: MOST_BYTES };
    const agent = new Agent({ connect, ...limits, connections: 4 });
    agents.set(mark, agent);
    return agent;
  };

  async function send({ mark, address }: Node, order: Order, key: OrderKey): Promise<NodeReport> {
    const { text, signature } = signOrder(mark, order, key, now());
    const url = `https://${showAddress(address)}${ORDERS}`;
    const { statusCode, body } = await request(url, {
      ...{ method: 'POST', body: text, dispatcher: agentOf(mark) },
      headers: { 'content-type': 'application/json', [SIGNATURE]: signature },
      signal: AbortSignal.timeout(2 * deadlineMs),
    });
    const answer: unknown = await body.json().catch((error: unknown) => {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    });
    if (statusCode !== 200) throw refusalIn(answer, statusCode, now());
    const report = readReport(answer);
    if (report === undefined) throw new MmeliotError('PROVIDER_FAILED', 'What the node answers is no report.');
    return report;
  }

  /** Who is told of another key at the moment: orders that come meanwhile wait for that. */
  const telling = new Map<string, Promise<void>>();

  /** The newest key, by the one that the node obeys, or by whichever of those before that is. */
  async function tell(node: Node, newest: OrderKey, before: readonly OrderKey[]): Promise<void> {
    const known = before.find((key) => key.public === obeyed.get(node.mark));
    // whether it has taken it is not known until it answers
    obeyed.delete(node.mark);
    await firstOf(known === undefined ? before : [known, ...before.filter((key) => key !== known)], (key) =>
      send(node, { what: 'trust', keys: [newest.public] }, key),
    );
    obeyed.set(node.mark, newest.public);
  }

  async function ask(node: Node, order: Order): Promise<NodeReport> {
    const [newest, ...before] = keys().toReversed();
    if (newest === undefined) throw new Error('There is no key to sign with.');
    const other = telling.get(node.mark);
    if (other !== undefined) {
      await other.catch(() => undefined); // told to who began it
      return ask(node, order);
    }
    const then = obeyed.get(node.mark);
    const isKnown = before.some((key) => key.public === then);
    if (!isKnown) {
      try {
        const report = await send(node, order, newest);
        // unless it was told of another one before this answer came
        if (obeyed.get(node.mark) === then) obeyed.set(node.mark, newest.public);
        return report;
      } catch (error) {
        if (!isForged(error) || before.length === 0) throw error;
      }
      // told meanwhile, with another order
      if (telling.has(node.mark) || obeyed.get(node.mark) !== then) return ask(node, order);
    }
    const told = tell(node, newest, before).finally(() => telling.delete(node.mark));
    telling.set(node.mark, told);
    await told;
    return ask(node, order);
  }

  return {
    ask,
    forget(mark) {
      void agents.get(mark)?.destroy();
      agents.delete(mark);
      obeyed.delete(mark);
    },
    async close() {
      await Promise.all(Array.from(agents.values(), (agent) => agent.destroy()));
    },
  };
}

const isForged = (error: unknown): boolean => error instanceof Refused && error.refusal === 'forged';

function refusalIn(answer: unknown, status: number, now: Millis): Refused {
  const { refusal, error, at } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const why = typeof error === 'string' ? error : String(status);
  if (typeof refusal !== 'string') return new Refused('', `The node could not do it: ${why}`);
  const apart = Math.round((Number(at) - now) / 1_000);
  const clock =
    refusal === 'old' ? ` Its clock is ${Math.abs(apart)} s ${apart < 0 ? 'behind' : 'ahead of'} this machine's.` : '';
  return new Refused(refusal, `The node refuses the order: ${why}${clock}`);
}

/** By the check of orders (`refusal` says why), or since it could not do it. */
class Refused extends MmeliotError {
  readonly refusal: string;

  constructor(refusal: string, message: string) {
    super(refusal === '' ? 'PROVIDER_FAILED' : 'PROVIDER_REFUSED', message);
    this.refusal = refusal;
  }
}

/** Whom the node knows; what fails otherwise would not go better as somebody else. */
async function firstOf<T, R>(candidates: readonly T[], use: (candidate: T) => Promise<R>): Promise<R> {
  let problem: unknown;
  for (const candidate of candidates) {
    try {
      return await use(candidate);
    } catch (error) {
      if (!isForged(error)) throw error;
      problem = error;
    }
  }
  throw problem;
}
