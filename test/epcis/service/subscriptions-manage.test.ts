import { expect } from 'chai';
import { EpcisException } from '../../../epcis/domain/exceptions.ts';
import { createSubscriptionService, type Sockets } from '../../../epcis/service/subscriptions-manage.ts';
import type {
  NewSubscription,
  StoredSubscription,
  SubscriptionStore,
} from '../../../epcis/service/subscriptions-store.ts';
import type { SubscriptionRequest } from '../../../epcis/service/subscriptions.ts';

const NOW = Date.parse('2026-01-01T00:00:05Z');

function world(triggers?: readonly string[]) {
  const kept = new Map<string, StoredSubscription>();
  const created: NewSubscription[] = [];
  const sockets: Sockets = new Map();
  let wakes = 0;
  const store = {
    now: async () => NOW,
    async create(subscription: NewSubscription) {
      if (kept.has(subscription.id)) return undefined;
      created.push(subscription);
      const initialRecordTime = subscription.recordedSince ?? new Date(NOW).toISOString();
      const times = { createdAt: new Date(NOW).toISOString(), initialRecordTime, minRecordTime: initialRecordTime };
      kept.set(subscription.id, { ...subscription, ...times });
      return kept.get(subscription.id);
    },
    find: async (id: string) => kept.get(id),
    list: async (queryName: string) => [...kept.values()].filter((each) => each.queryName === queryName),
    delete: async (id: string, queryName?: string) =>
      (queryName === undefined || kept.get(id)?.queryName === queryName) && kept.delete(id),
  } as unknown as SubscriptionStore;
  const service = createSubscriptionService({
    store,
    queries: {
      async get(name) {
        if (name === 'SimpleMasterDataQuery') return { name, kind: 'vocabularies', parameters: [] };
        if (name === 'mine') return { name, kind: 'events', parameters: [{ name: 'eventType', values: ['x'] }] };
        throw new EpcisException('NoSuchNameException', name);
      },
    },
    checkParameters: (parameters) => {
      if (new Set(parameters.map(({ name }) => name)).size < parameters.length) {
        throw new EpcisException('QueryParameterException', 'twice');
      }
    },
    checkTarget: async (destination) => {
      if (destination.includes('inside')) throw new EpcisException('InvalidURIException', destination);
    },
    ...(triggers && { triggers }),
    newId: () => `made-${created.length}`,
    sockets,
    owner: 'vm-1',
    subscribed: () => (wakes += 1),
  });
  return { service, created, sockets, wakes: () => wakes };
}

const plain = { queryName: 'mine', destination: 'http://receiver.example/', result: { form: 'soap' } } as const;

const request = (given: Partial<SubscriptionRequest> = {}): SubscriptionRequest => ({
  ...plain,
  id: 'S1',
  schedule: { second: '0,10' },
  ...given,
});

describe('subscribing', () => {
  it('stores the query as it is now, and when to run first', async () => {
    const { service, created, wakes } = world();
    const parameters = [{ name: 'EQ_action', values: ['ADD'] }];
    const shown = await service.subscribe(request({ parameters, signatureToken: 'secret' }));
    expect(shown).to.include({ id: 'S1', queryName: 'mine', reportIfEmpty: false });
    expect(JSON.stringify(shown)).to.not.include('secret');
    expect(created[0]).to.deep.include({
      parameters: [{ name: 'eventType', values: ['x'] }, ...parameters],
      runAt: Date.parse('2026-01-01T00:00:10Z'),
      signatureToken: 'secret',
    });
    expect(wakes()).to.equal(1);
  });

  it('runs at once without a schedule, and makes an ID where there is none', async () => {
    const { service, created } = world();
    await service.subscribe({ ...plain, stream: true, initialRecordTime: '2026-01-01T01:00:00+02:00' });
    expect(created[0]).to.deep.include({
      id: 'made-0',
      runAt: NOW,
      recordedSince: '2025-12-31T23:00:00.000Z',
    });
  });

  for (const [what, given, exception] of [
    ['an unknown query', { queryName: 'other' }, 'NoSuchNameException'],
    ['a master-data query', { queryName: 'SimpleMasterDataQuery' }, 'SubscribeNotPermittedException'],
    ['a destination that is not allowed', { destination: 'http://inside/' }, 'InvalidURIException'],
    ['no destination', { destination: '' }, 'InvalidURIException'],
    ['no controls', { schedule: undefined }, 'SubscriptionControlsException'],
    ['stream: false', { schedule: undefined, stream: false }, 'SubscriptionControlsException'],
    ['two controls', { trigger: 'urn:x:t' }, 'SubscriptionControlsException'],
    ['a schedule out of range', { schedule: { second: '60' } }, 'SubscriptionControlsException'],
    ['a schedule that never comes', { schedule: { dayOfMonth: '31', month: '2' } }, 'SubscriptionControlsException'],
    ['a trigger that is no URI', { schedule: undefined, trigger: 'x' }, 'SubscriptionControlsException'],
    ['a number for an initialRecordTime', { initialRecordTime: '12' }, 'SubscriptionControlsException'],
    ['a wrong initialRecordTime', { initialRecordTime: 'yesterday' }, 'SubscriptionControlsException'],
    ['an empty ID', { id: '' }, 'ValidationException'],
    ['an endless ID', { id: 'x'.repeat(256) }, 'ValidationException'],
    ['a parameter the query has', { parameters: [{ name: 'eventType', values: ['y'] }] }, 'QueryParameterException'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { service, created } = world();
      const { schedule, ...rest } = { ...request(), ...given };
      const failure: unknown = await service
        .subscribe({ ...rest, ...(schedule && { schedule }) })
        .catch((error: unknown) => error);
      expect(failure).to.have.property('name', exception);
      expect(created).to.deep.equal([]);
    });
  }

  it('knows triggers by the configuration', async () => {
    const { service } = world(['urn:x:known']);
    await service.subscribe({ ...plain, trigger: 'urn:x:known' });
    const failure: unknown = await service
      .subscribe({ ...plain, trigger: 'urn:x:other' })
      .catch((error: unknown) => error);
    expect(failure).to.have.property('name', 'SubscriptionControlsException');
  });

  it('refuses an ID that is taken, and ends a subscription by its ID', async () => {
    const { service } = world();
    await service.subscribe(request());
    const again: unknown = await service.subscribe(request()).catch((error: unknown) => error);
    expect(again).to.have.property('name', 'DuplicateSubscriptionException');
    expect((await service.list('mine')).map(({ id }) => id)).to.deep.equal(['S1']);
    const wrongQuery: unknown = await service.get('S1', 'other').catch((error: unknown) => error);
    expect(wrongQuery).to.have.property('name', 'NoSuchSubscriptionException');
    await service.unsubscribe('S1');
    const gone: unknown = await service.unsubscribe('S1').catch((error: unknown) => error);
    expect(gone).to.have.property('name', 'NoSuchSubscriptionException');
  });

  it('a WebSocket is a subscription of this VM until it closes', async () => {
    const { service, created, sockets } = world();
    const socket = { send: async () => undefined, end: () => undefined };
    const wanted = { queryName: 'mine', result: { form: 'json' }, stream: true } as const;
    const open = await service.open(wanted, socket);
    expect(created[0]).to.include({ socketOwner: 'vm-1' });
    expect(sockets.get(open.subscription.id)).to.deep.equal({ socket, isStored: true });
    await open.close();
    expect(sockets.size).to.equal(0);
    expect(await service.list('mine')).to.deep.equal([]);
    await service.open({ ...wanted, queryName: 'other' }, socket).catch(() => undefined);
    expect(sockets.size).to.equal(0);
  });
});
