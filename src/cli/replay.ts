import { Command } from 'commander';
import { decodeChanges, parseAssignments } from '../config/changes.ts';
import { DEFAULT_PARAMETERS } from '../decide/parameters.ts';
import { MmeliotError } from '../errors.ts';
import { preview } from '../loop/preview.ts';
import type { JournalEntry } from '../loop/journal.ts';
import { replay, type ReplayedPeriod } from '../loop/replay.ts';
import type { Decision, Millis } from '../model.ts';
import { previewText } from './shared/preview-text.ts';
import { readJournal } from '../manager/journal-file.ts';

const collect = (value: string, earlier: readonly string[]) => [...earlier, value];

export const replayCommand = (): Command =>
  new Command('replay')
    .description('run the recorded signals of a journal through the policy again')
    .argument('<journal>', 'a journal file, or the data folder that holds it')
    .option('--set <name=value>', 'decide with another setting, for instance high=80; repeatable', collect, [])
    .option('--all', 'show every period, not only those decided differently, and what was done beside all decisions')
    .action(async (journal: string, { set, all }: { set: string[]; all?: boolean }) => {
      const entries = await readJournal(journal).catch((error: NodeJS.ErrnoException) => {
        throw new MmeliotError('BAD_REQUEST', `The journal ${journal} cannot be read (${error.code}).`, {
          cause: error,
        });
      });
      if (entries.length === 0)
        throw new MmeliotError('BAD_REQUEST', `There is no journal at ${journal}: name its file, or the data folder.`);
      const [head] = entries.filter((entry) => entry.kind === 'settings');
      const changes = decodeChanges(parseAssignments(set), head?.parameters ?? DEFAULT_PARAMETERS);
      const periods = replay(entries, changes);
      // under other settings the numbers compared always differ; what counts is what would have been done
      const different = periods.filter((period) => (set.length === 0 ? !period.same : period.otherwise));
      const lines = (all === true ? periods : different).map((period) => ({ at: period.at, text: line(period) }));
      const besides = all === true ? entries.flatMap(besidesDecisions) : [];
      for (const { text } of [...lines, ...besides].toSorted((a, b) => a.at - b.at)) process.stdout.write(`${text}\n`);
      process.stdout.write(`${periods.length} periods replayed, ${different.length} decided differently.\n`);
      if (set.length > 0) process.stdout.write(previewText(preview(entries, changes)));
    });

/** What no decision asked for, such as a stand-in and its successor, has a reason of its own. */
function besidesDecisions(entry: JournalEntry): readonly { readonly at: Millis; readonly text: string }[] {
  if (entry.kind !== 'step' || entry.period !== undefined || entry.outcome.message === undefined) return [];
  const { at, outcome } = entry;
  const { step, vm = '', ok, message } = outcome;
  return [{ at, text: `${new Date(at).toISOString()}  ${step} ${vm}${ok ? '' : ' failed'}: ${message}` }];
}

function line({ at, period, recorded, replayed, otherwise, same }: ReplayedPeriod): string {
  const when = `${new Date(at).toISOString()}  period ${period}`;
  return same || (!otherwise && show(recorded) === show(replayed))
    ? `${when}  ${show(recorded)}`
    : `${when}  recorded: ${show(recorded)}  now: ${show(replayed)}`;
}

const show = ({ action, count, rule }: Decision): string => `${action}${count > 1 ? ` ${count}` : ''} (${rule})`;
