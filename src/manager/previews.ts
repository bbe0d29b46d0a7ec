// Previews of a running manager: its journal, from the disk, through the settings that somebody would like to try.
import { open, type FileHandle } from 'node:fs/promises';
import { decodeChanges, parseAssignments } from '../config/changes.ts';
import type { ElasticityParameters } from '../decide/parameters.ts';
import { validateParameters } from '../decide/validate.ts';
import { MmeliotError } from '../errors.ts';
import type { ControlLoop } from '../loop/control-loop.ts';
import { decodeEntry, type JournalEntry } from '../loop/journal.ts';
import { pastOf, Previewer, type Preview } from '../loop/preview.ts';
import type { Millis, Role } from '../model.ts';
import { filesOf } from './journal-file.ts';

export interface Span {
  readonly from: Millis;
  readonly until: Millis;
}

export interface PreviewDeps {
  readonly folder: string;
  /** What is written so far is on disk. */
  readonly flush: () => Promise<void>;
  readonly loop: Pick<ControlLoop, 'state'>;
  readonly role?: Role;
}

/** One at a time: each reads the journal. */
export function previews({
  folder,
  flush,
  loop,
  role,
}: PreviewDeps): (set: readonly string[], span: Span) => Promise<Preview> {
  let busy = false;
  return async (set, span) => {
    const wanted = wantedOf(set, loop, role);
    if (busy) throw new MmeliotError('BAD_REQUEST', 'Another preview is being made: try again in a moment.');
    busy = true;
    try {
      await flush();
      const previewer = new Previewer({ settings: () => wanted, ...span });
      for await (const entry of entriesFrom(folder, span.from - pastOf(wanted))) previewer.take(entry);
      return previewer.result();
    } finally {
      busy = false;
    }
  };
}

/** Those in force with these changes, which must hold together. */
function wantedOf(
  set: readonly string[],
  loop: Pick<ControlLoop, 'state'>,
  role: Role | undefined,
): ElasticityParameters {
  const { parameters, pendingParameters, overrides } = loop.state();
  const inForce = pendingParameters ?? parameters;
  const patch = decodeChanges(parseAssignments(set), inForce, role);
  const configured = new Map(overrides.map((override) => [override.name, override.configured]));
  const values = Object.entries(patch).map(([name, value]) => [
    name,
    value ?? configured.get(name) ?? inForce[name as keyof ElasticityParameters],
  ]);
  const wanted = { ...inForce, ...(Object.fromEntries(values) as Partial<ElasticityParameters>) };
  const [error] = validateParameters(wanted, role).errors;
  if (error !== undefined) throw new MmeliotError('CONFIG_INVALID', error);
  return wanted;
}

const STEP = '{"kind":"step"';
const PERIOD = /^\{"kind":"period","record":\{"at":(\d+)/;

/** Line by line, so that the manager goes on meanwhile. Settings of all files that count, periods from that time on, no steps. */
export async function* entriesFrom(folderOrFile: string, from: Millis): AsyncGenerator<JournalEntry> {
  // all are opened first: a file that is put aside meanwhile has another name then
  const files: FileHandle[] = [];
  try {
    for (const path of await filesOf(folderOrFile)) files.push(await open(path));
    for (const file of files)
      for await (const line of file.readLines({ autoClose: false })) {
        const at = PERIOD.exec(line)?.[1];
        if (line.startsWith(STEP) || (at !== undefined && Number(at) < from)) continue;
        const entry = decodeEntry(line);
        if (entry !== undefined) yield entry;
      }
  } finally {
    for (const file of files) await file.close();
  }
}
