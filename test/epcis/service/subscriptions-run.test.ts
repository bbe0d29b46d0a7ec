import { expect } from 'chai';
import { EpcisException } from '../../../epcis/domain/exceptions.ts';
import type { QueryParameter, StoredEvent } from '../../../epcis/service/services.ts';
import { runSubscription, type Delivery } from '../../../epcis/service/subscriptions-run.ts';
import type {
  Run,
  RunClaim,
  StoredSubscription,
  SubscriptionStore,
} from '../../../epcis/service/subscriptions-store.ts';
import type { Notice } from '../../../epcis/service/subscriptions.ts';

const INITIAL = '2026-01-01T00:00:00.000Z';

interface World {
  /** Events in the window, told apart by their hash. */
  readonly events?: readonly string[];
  readonly parameters?: readonly QueryParameter[];
  readonly subscription?: Partial<StoredSubscription>;
  readonly run?: Partial<Run>;
  readonly failures?: number;
  /** What the receiver says to each document. */
  readonly receiver?: (text: string) => 'accepted' | 'too large' | Error;
  readonly queryFails?: Error;
  readonly isLost?: boolean;
}

/** Runs one claimed run; returns what the receiver got, what the store was told and what the query was asked. */
async function outcome(world: World, signal = new AbortController().signal) {
  const deliveries: { id: string; text: string }[] = [];
  const told: unknown[] = [];
  const asked: QueryParameter[][] = [];
  const events = world.events ?? [];
  const store = {
    now: async () => Date.parse('2026-01-01T00:00:05Z'),
    begin: async () => ({ after: 3, upTo: 9, time: 1234, cursor: undefined, sent: 0, ...world.run }),
    progress: async (_: RunClaim, cursor: string, sent: number) => {
      told.push(['progress', cursor, sent]);
      return world.isLost !== true;
    },
    finish: async (_: RunClaim, next: unknown) => void told.push(['finish', next]),
    postpone: async (_: RunClaim, delay: number, failures: number) => void told.push(['postpone', delay, failures]),
  } as unknown as SubscriptionStore;
  await runSubscription(
    {
      store,
      query: {
        async page(parameters, _, { perPage, after = '0' }) {
          asked.push([...parameters]);
          if (world.queryFails) throw world.queryFails;
          const from = Number(after);
          const page = events.slice(from, from + perPage);
          const next = from + perPage < events.length ? String(from + perPage) : undefined;
          return { events: stream(page), next: () => next };
        },
        count: async (_, __, atMost) => Math.min(atMost, events.length),
      },
      write: {
        results: (_: Notice, page) => ({ mediaType: 'm', text: page.map(({ hash }) => hash).join(' ') }),
        exception: (_: Notice, name, reason) => ({ mediaType: 'm', text: `${name}: ${reason}` }),
      },
      async deliver({ id, text }: Delivery) {
        const answer = world.receiver?.(text) ?? 'accepted';
        if (answer instanceof Error) throw answer;
        if (answer === 'accepted') deliveries.push({ id, text });
        return answer;
      },
      logFailure: () => 'log-1',
      pageSize: 2,
      maxBackOffSeconds: 60,
    },
    claimOf(world),
    signal,
  );
  return { texts: deliveries.map(({ text }) => text), deliveries, told, asked };
}

function claimOf({ subscription, parameters = [], failures = 0 }: World): RunClaim {
  return {
    id: 's',
    owner: 'vm',
    attempt: 1,
    failures,
    isProven: failures === 0,
    subscription: {
      id: 's',
      queryName: 'q',
      parameters,
      destination: 'http://receiver.example/',
      reportIfEmpty: false,
      result: { form: 'json' },
      createdAt: INITIAL,
      initialRecordTime: INITIAL,
      recordedSince: INITIAL,
      minRecordTime: INITIAL,
      ...subscription,
    },
  };
}

async function* stream(hashes: readonly string[]): AsyncGenerator<StoredEvent> {
  for (const hash of hashes) yield { hash } as StoredEvent;
}

describe('a run of a subscription', () => {
  it('sends the window page by page and stores its place after each', async () => {
    const { deliveries, told } = await outcome({ events: ['a', 'b', 'c', 'd', 'e'] });
    expect(deliveries).to.deep.equal([
      { id: 's/9/0', text: 'a b' },
      { id: 's/9/2', text: 'c d' },
      { id: 's/9/4', text: 'e' },
    ]);
    const finish = ['finish', { runAt: 1234, notified: true }];
    expect(told).to.deep.equal([['progress', '2', 2], ['progress', '4', 4], finish]);
  });

  it('goes on where another VM stopped', async () => {
    const { deliveries } = await outcome({ events: ['a', 'b', 'c'], run: { cursor: '2', sent: 2 } });
    expect(deliveries).to.deep.equal([{ id: 's/9/2', text: 'c' }]);
  });

  it('says nothing about nothing, unless asked to', async () => {
    const silent = await outcome({});
    expect(silent.texts).to.deep.equal([]);
    expect(silent.told).to.deep.equal([['finish', { runAt: 1234, notified: false }]]);
    const schedule = { second: '0' };
    expect((await outcome({ subscription: { reportIfEmpty: true, schedule } })).texts).to.deep.equal(['']);
    expect((await outcome({ subscription: { reportIfEmpty: true } })).texts).to.deep.equal([]);
  });

  it('is next due by its schedule, missed times once', async () => {
    const { told } = await outcome({ subscription: { schedule: { second: '0,10' } } });
    expect(told).to.deep.equal([['finish', { runAt: Date.parse('2026-01-01T00:00:10Z'), notified: false }]]);
  });

  it('a receiver that is down costs a pause that grows, not an event', async () => {
    const receiver = (text: string) => (text === 'c' ? new Error('refused') : 'accepted');
    const { texts, told } = await outcome({ events: ['a', 'b', 'c'], receiver, failures: 2 });
    expect(texts).to.deep.equal(['a b']);
    expect(told).to.deep.equal([
      ['progress', '2', 2],
      ['postpone', 4, 3],
    ]);
  });

  it('a receiver that wants less at a time gets less', async () => {
    const receiver = (text: string) => (text.length > 1 ? 'too large' : 'accepted');
    expect((await outcome({ events: ['a', 'b', 'c'], receiver })).texts).to.deep.equal(['a', 'b', 'c']);
    const never = await outcome({ events: ['a'], receiver: () => 'too large' });
    expect(never.told).to.deep.equal([['postpone', 1, 1]]);
  });

  it('stops without a word when the lease is lost', async () => {
    const { texts, told } = await outcome({ events: ['a', 'b', 'c'], isLost: true });
    expect(texts).to.deep.equal(['a b']);
    expect(told).to.deep.equal([['progress', '2', 2]]);
  });

  it('is given back when the VM closes, without counting as a failure', async () => {
    const { told } = await outcome({ events: ['a'], failures: 2 }, AbortSignal.abort());
    expect(told).to.deep.equal([['postpone', 0, 2]]);
  });

  it('counts maxEventCount over all pages and reports what is too large once', async () => {
    const parameters = [{ name: 'maxEventCount', values: ['3'] }];
    expect((await outcome({ events: ['a', 'b', 'c'], parameters })).texts).to.deep.equal(['a b', 'c']);
    const { deliveries, told } = await outcome({ events: ['a', 'b', 'c', 'd'], parameters });
    const text = 'QueryTooLargeException: The query has more than 3 results.';
    expect(deliveries).to.deep.equal([{ id: 's/9/exception', text }]);
    expect(told).to.deep.equal([['finish', { runAt: 1234, notified: true }]]);
  });

  it('ends a run after eventCountLimit events', async () => {
    const parameters = [{ name: 'eventCountLimit', values: ['3'] }];
    expect((await outcome({ events: ['a', 'b', 'c', 'd', 'e'], parameters })).texts).to.deep.equal(['a b', 'c']);
  });

  it('asks for nothing older than the initialRecordTime, in no order of its own', async () => {
    const since = (time: string) => ({ name: 'GE_recordTime', values: [time] });
    const asked = async (parameters: readonly QueryParameter[]) => (await outcome({ parameters })).asked[0];
    expect(await asked([])).to.deep.equal([since(INITIAL)]);
    expect(await asked([since('2025-01-01T00:00:00Z')])).to.deep.equal([since(INITIAL)]);
    const later = since('2026-06-01T00:00:00Z');
    expect(await asked([later])).to.deep.equal([later]);
    const { asked: all } = await outcome({ subscription: { recordedSince: undefined } });
    expect(all).to.deep.equal([[]]);
    const own = { name: 'orderBy', values: ['eventTime'] };
    expect(await asked([own])).to.deep.equal([own, since(INITIAL)]);
  });

  it('tells EPCIS 1.x receivers of two exceptions only', async () => {
    const queryFails = new EpcisException('QueryTooComplexException', 'hard');
    const told = async (form: 'json' | 'soap') =>
      (await outcome({ queryFails, subscription: { result: { form } } })).texts;
    expect(await told('json')).to.deep.equal(['QueryTooComplexException: hard']);
    expect(await told('soap')).to.deep.equal(['ImplementationException: hard']);
  });

  it('keeps the run when the query fails for another reason', async () => {
    const failed = await outcome({ queryFails: new Error('database gone') });
    expect(failed.texts).to.deep.equal([]);
    expect(failed.told).to.deep.equal([['postpone', 1, 1]]);
    const reported = await outcome({ queryFails: new EpcisException('ImplementationException', 'sorry') });
    expect(reported.texts).to.deep.equal(['ImplementationException: sorry']);
    expect(reported.told).to.deep.equal([['postpone', 1, 1]]);
  });
});
