// Subscribing and unsubscribing, for both doors. Delivery is in subscriptions-run.ts.
import { EpcisException, LimitReachedException, type ExceptionName } from '../domain/exceptions.ts';
import { parseTime } from '../domain/time.ts';
import type { NamedQuery, NamedQueryService } from './named-queries.ts';
import { nextRun, parseSchedule } from './schedule.ts';
import type { QueryParameter } from './services.ts';
import type { StoredSubscription, SubscriptionStore } from './subscriptions-store.ts';
import type {
  Controls,
  SocketRequest,
  SubscriberSocket,
  Subscription,
  SubscriptionRequest,
  SubscriptionService,
} from './subscriptions.ts';

export interface SubscriptionParts {
  readonly store: SubscriptionStore;
  readonly queries: Pick<NamedQueryService, 'get'>;
  /** The parameter registry: throws a QueryParameterException. */
  readonly checkParameters: (parameters: readonly QueryParameter[]) => void;
  /** Rejects with an InvalidURIException where results may not be sent to. */
  readonly checkTarget: (destination: string) => Promise<void>;
  /** SOAP trigger URIs that are known; undefined: any absolute URI. */
  readonly triggers?: readonly string[];
  readonly newId: () => string;
  /** A client may have so many open; undefined: as many as it likes. */
  readonly most?: number;
  /** This VM's sockets by subscription ID; the delivery finds them here. */
  readonly sockets: Sockets;
  /** This VM, as the owner of its sockets. */
  readonly owner: string;
  /** Called after a subscription is stored, so that its first run need not wait for the next look. */
  readonly subscribed: () => void;
}

/** `isStored`: the subscription stands in the repository, so its absence there means that it ended. */
export type Sockets = Map<string, { readonly socket: SubscriberSocket; readonly isStored: boolean }>;

/** What a subscription to a WebSocket has in place of a URL. */
export const SOCKET = 'websocket:';
const MAX_ID = 255;
const TRY_AGAIN_SECONDS = 60;

export function createSubscriptionService(parts: SubscriptionParts): SubscriptionService {
  const { store, queries, sockets } = parts;
  const find = async (id: string, queryName?: string): Promise<StoredSubscription> => {
    const found = await store.find(id);
    if (found === undefined || (queryName !== undefined && found.queryName !== queryName)) return noSuch(id);
    return found;
  };
  return {
    async subscribe(request) {
      const subscription = await create(parts, request, request.id ?? parts.newId());
      parts.subscribed();
      return shown(subscription);
    },
    async open(request, socket) {
      const id = parts.newId();
      sockets.set(id, { socket, isStored: false }); // first, so that no run finds the subscription without its socket
      try {
        const subscription = await create(parts, { ...request, destination: SOCKET }, id);
        sockets.set(id, { socket, isStored: true });
        parts.subscribed();
        const close = async (): Promise<void> => {
          sockets.delete(id);
          await store.delete(id);
        };
        return { subscription: shown(subscription), close };
      } catch (error) {
        sockets.delete(id);
        throw error;
      }
    },
    async unsubscribe(id, queryName) {
      if (!(await store.delete(id, queryName))) noSuch(id);
    },
    get: async (id, queryName) => shown(await find(id, queryName)),
    async list(queryName) {
      const query = await queries.get(queryName);
      return (await store.list(query.name)).map(shown);
    },
  };
}

async function create(
  parts: SubscriptionParts,
  request: SubscriptionRequest | (SocketRequest & { readonly destination: string }),
  id: string,
): Promise<StoredSubscription> {
  const query = await parts.queries.get(request.queryName);
  const parameters = parametersOf(query, request.parameters ?? []);
  if (id === '' || id.length > MAX_ID) {
    refuse('ValidationException', `A subscription's ID has 1 to ${MAX_ID} characters.`);
  }
  const now = await parts.store.now();
  const { schedule, trigger } = controlsOf(request, parts.triggers);
  const runAt = schedule === undefined ? now : nextRun(parseSchedule(schedule), now);
  if (runAt === undefined) refuse('SubscriptionControlsException', 'No time ever matches the query schedule.');
  parts.checkParameters(parameters);
  if (request.destination === '')
    refuse('InvalidURIException', 'A subscription needs a destination (dest): no client has one arranged here.');
  if (request.destination !== SOCKET) await parts.checkTarget(request.destination);
  const created = await parts.store.create({
    id,
    queryName: query.name,
    parameters,
    destination: request.destination,
    ...('signatureToken' in request && { signatureToken: request.signatureToken }),
    ...(schedule !== undefined && { schedule }),
    ...(trigger !== undefined && { trigger }),
    ...(request.initialRecordTime !== undefined && { recordedSince: recordTimeOf(request.initialRecordTime) }),
    reportIfEmpty: request.reportIfEmpty ?? false,
    result: request.result,
    runAt,
    ...(request.destination === SOCKET && { socketOwner: parts.owner }),
  });
  if (created === undefined)
    refuse('DuplicateSubscriptionException', `There is a subscription with the ID '${id}' already.`);
  // counted with it: of two that come at the same time, none slips through
  if (parts.most !== undefined && (await parts.store.count()) > parts.most) {
    await parts.store.delete(id);
    const reason = `This client may have ${parts.most} subscriptions open, and has them: end one before the next.`;
    throw new LimitReachedException(reason, TRY_AGAIN_SECONDS);
  }
  return created;
}

/** A parameter given twice is the parameter registry's to refuse. */
function parametersOf(query: NamedQuery, own: readonly QueryParameter[]): readonly QueryParameter[] {
  if (query.kind !== 'events') {
    refuse('SubscribeNotPermittedException', `The query '${query.name}' can't be subscribed to.`);
  }
  return [...query.parameters, ...own];
}

function controlsOf(
  { schedule, trigger, stream }: Controls,
  known: readonly string[] | undefined,
): Pick<Controls, 'schedule' | 'trigger'> {
  const given = [schedule, trigger, stream === true ? true : undefined].filter((control) => control !== undefined);
  if (given.length !== 1) {
    refuse('SubscriptionControlsException', 'A subscription needs a schedule or a trigger (or stream), and only one.');
  }
  if (
    trigger !== undefined &&
    !(known === undefined ? /^[a-z][a-z0-9+.-]*:\S+$/i.test(trigger) : known.includes(trigger))
  ) {
    refuse('SubscriptionControlsException', `The trigger '${trigger}' is not known.`);
  }
  return { ...(schedule !== undefined && { schedule }), ...(trigger !== undefined && { trigger }) };
}

function recordTimeOf(text: string): string {
  const time = parseTime(text, 'optional');
  if (time === undefined) return refuse('SubscriptionControlsException', `The initialRecordTime '${text}' is no time.`);
  return new Date(time.ms).toISOString();
}

/** Without the secret, and without what is not the client's to see. */
function shown({
  signatureToken: _,
  parameters: __,
  client: ____,
  recordedSince: ___,
  ...subscription
}: StoredSubscription): Subscription {
  return subscription;
}

function noSuch(id: string): never {
  return refuse('NoSuchSubscriptionException', `There is no subscription with the ID '${id}'.`);
}

function refuse(name: ExceptionName, reason: string): never {
  throw new EpcisException(name, reason);
}
