import { Command } from 'commander';
import type { ManagerView, ShownPeriod } from '../loop/view.ts';
import { adminEvents, askAdmin, askRole, withAdmin, type AdminOptions } from './shared/admin-client.ts';
import { happeningLine, happeningsIn, type Happening } from './shared/happenings.ts';
import { positiveWhole } from './shared/numbers.ts';
import { onceNobodyReads } from './shared/output.ts';
import { untilInterrupted } from './shared/signals.ts';

interface Options extends AdminOptions {
  readonly follow?: true;
  readonly json?: true;
  readonly limit: string;
}

/** Periods that are looked through: a day of 10 s. */
const PERIODS = 8_640;
/** Steps of so many periods back may still be under way. */
const RECENT = 60;

export const eventsCommand = (): Command =>
  withAdmin(
    new Command('events').description(
      'what happened: decisions, steps that failed, changes of settings, what people did, and problems; the newest last',
    ),
  )
    .option('-f, --follow', 'go on with what happens, until Ctrl-C')
    .option('--limit <number>', 'so many of those that have happened', '20')
    .option('--json', 'one JSON object a line')
    .action(async ({ follow, json, limit, ...options }: Options) => {
      const tell = (one: Happening): boolean =>
        process.stdout.write(`${json ? JSON.stringify(one) : happeningLine(one)}\n`);
      const view = await askAdmin<ManagerView>(options, '/api/state');
      const periods = await askAdmin<readonly ShownPeriod[]>(options, `/api/periods?limit=${PERIODS}&holds=false`);
      const past = [...happeningsIn(periods, view), ...(await ofWork(view, options, PERIODS))].toSorted(
        (a, b) => a.at - b.at,
      );
      past.slice(-positiveWhole('--limit', limit)).forEach(tell);
      if (follow) await tellNews(new Set(past.map(keyOf)), options, tell);
    });

async function tellNews(told: Set<string>, options: AdminOptions, tell: (one: Happening) => void): Promise<void> {
  const over = new AbortController();
  void untilInterrupted().then(() => over.abort());
  onceNobodyReads(() => over.abort());
  const nothing = { changes: [], byHand: [], problems: [] };
  try {
    for await (const { name, data } of adminEvents(options, over.signal)) {
      const all =
        name === 'state'
          ? [...happeningsIn([], data as ManagerView), ...(await ofWork(data as ManagerView, options, RECENT))]
          : happeningsIn(name === 'history' ? (data as readonly ShownPeriod[]) : [data as ShownPeriod], nothing);
      for (const one of all) {
        if (!told.has(keyOf(one))) tell(one);
        told.add(keyOf(one));
      }
    }
  } catch (error) {
    if (!over.signal.aborted) throw error; // Ctrl-C is how one ends it
  }
}

/** Of the VMs for stored work, where the group has such: their problems stand among those of all. */
async function ofWork({ work }: ManagerView, options: AdminOptions, limit: number): Promise<readonly Happening[]> {
  if (work === undefined) return [];
  const role = 'work';
  const periods = await askRole<readonly ShownPeriod[]>({ ...options, role }, `/periods?limit=${limit}&holds=false`);
  const { changes, byHand } = work;
  return happeningsIn(periods, { changes, byHand, problems: [] }).map((one) => ({
    ...one,
    text: `stored work: ${one.text}`,
  }));
}

/** A problem's sentence has numbers in it that change while the matter is the same. */
const keyOf = ({ at, kind, text }: Happening): string =>
  `${at} ${kind} ${kind === 'problem' ? text.replaceAll(/\d+/g, '#') : text}`;
