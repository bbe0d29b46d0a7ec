// Capture as one client has it: what it may not capture is refused, and nothing that it is told says what others captured.
import { EpcisException } from '../../domain/exceptions.ts';
import type { Criterion, ElementScope, EventQuery } from '../../service/criteria.ts';
import { createCaptureService } from '../../service/capture.ts';
import { eachItem } from '../../service/each-item.ts';
import { gather } from '../../service/gather.ts';
import type { EventRepository } from '../../service/repository.ts';
import type { CaptureItem, CaptureService } from '../../service/services.ts';
import { anyHolds, everyEpcIs, type AtHand } from './holds.ts';
import type { BeginEven } from '../even-time.ts';
import { restrict } from './restrict.ts';
import type { Rights } from './rights.ts';

/** `now`: ms since 1970; `begin` as restrict has it. */
export function guardCapture(
  repository: EventRepository,
  rights: () => Rights,
  now: () => number,
  begin?: BeginEven,
): CaptureService {
  const guard: Guard = { repository, seen: restrict(repository, rights, begin), rights, now };
  // nobody is kept waiting while it writes
  const seen = restrict(repository, rights);
  const capture = createCaptureService({
    ...repository,
    write: (work) =>
      repository.write((writer) =>
        work({ ...writer, holds: async (id) => (await writer.holds(id)) && (await isSeen(seen, id)) }),
      ),
  });
  return {
    async capture(items, options) {
      const ids = new Set<string>();
      const permitted = eachItem(items, async (item) => {
        await refuse(item, guard, ids);
        return item;
      });
      const result = await capture.capture(permitted, options);
      // that others have captured the same is theirs to know
      const known = options.newIDs === true && (await anySeen(seen, ids)) ? result.duplicates : 0;
      return { ...result, captured: result.captured + result.duplicates - known, duplicates: known };
    },
  };
}

interface Guard {
  readonly repository: EventRepository;
  readonly seen: EventRepository;
  readonly rights: () => Rights;
  readonly now: () => number;
}

/** `ids`: of the events of this document so far. */
async function refuse(item: CaptureItem, guard: Guard, ids: Set<string>): Promise<void> {
  const { capture } = guard.rights();
  if (item.kind === 'vocabulary') {
    const { vocabulary, id, children } = item.element;
    // rules go by what is below a place: nobody puts below its own what it may not describe itself
    const foreign = [id, ...children].find(
      (name) => !capture.some(({ masterData }) => masterData !== undefined && isIn(masterData, vocabulary, name)),
    );
    if (foreign === undefined) return;
    throw notPermitted(`No rule lets this client capture master data of '${foreign}'`, item.at);
  }
  const { captured, at } = item;
  if (!mayCapture(captured, guard)) throw notPermitted('No rule lets this client capture this event', at);
  const id = captured.event.eventID ?? captured.hash;
  if (captured.event.errorDeclaration !== undefined && !ids.has(id) && !(await mayDeclare(id, guard)))
    throw notPermitted(`There is no event '${id}' that this client may declare an error`, at);
  ids.add(id);
}

function mayCapture(event: AtHand, { rights, now }: Guard): boolean {
  return rights().capture.some(
    ({ events, everyEpc }) =>
      (everyEpc === undefined || everyEpcIs(everyEpc, event.event)) && anyHolds(events(now()), event),
  );
}

/**
 * An error can be declared of events that the client sees and might have captured itself; of any other as of none at all. One that has the
 * same ID, and that it does not see, changes nothing: it would be told of.
 */
async function mayDeclare(id: string, guard: Guard): Promise<boolean> {
  const query: EventQuery = { ...byId(id), order: { by: 'recordTime', direction: 'ASC' } };
  const seen = new Set((await gather(guard.seen.events(query))).map(({ position }) => position.id));
  if (seen.size === 0) return false;
  // with what is hidden of them
  const rows = await gather(guard.repository.events(query));
  const declared = rows.filter(({ event, position }) => seen.has(position.id) && event.errorDeclaration === undefined);
  return declared.length > 0 && declared.every(({ event, hash }) => mayCapture({ event, hash }, guard));
}

const byId = (id: string): { readonly criteria: readonly Criterion[] } => ({
  criteria: [{ kind: 'eventID', values: [id] }],
});

async function isSeen(seen: EventRepository, id: string): Promise<boolean> {
  return (await seen.count({ ...byId(id), order: { by: 'recordTime', direction: 'ASC' } }, 1)) > 0;
}

async function anySeen(seen: EventRepository, ids: ReadonlySet<string>): Promise<boolean> {
  for (const id of ids) if (await isSeen(seen, id)) return true;
  return false;
}

function isIn({ vocabularies, names }: ElementScope, vocabulary: string, name: string): boolean {
  return (vocabularies?.includes(vocabulary) ?? true) && (names?.includes(name) ?? true);
}

function notPermitted(reason: string, at: string): EpcisException {
  return new EpcisException('SecurityException', reason, at);
}
