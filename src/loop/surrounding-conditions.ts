// Conditions of what the fleet stands on and is asked for: repository, stored work, requests, the manager's disk and files, reports, machines.
import { error, note, ok, seconds, unknown, warning, type Facts, type Finding, type ReplicaSeen } from './finding.ts';

export function repository({ repository: asked, traffic: { causes = {}, span = 0 } }: Facts): Finding {
  if (asked === undefined) return unknown('The repository has not been asked yet.');
  const remedy =
    'Start the database, bring its file back, or check repository.url: without it no VM can answer a client.';
  if (asked.why !== undefined) return error(`The repository does not answer: ${asked.why}.`, remedy);
  if (asked.unwritable !== undefined)
    return error(`The repository is read, and takes no writes: ${asked.unwritable}.`, UNWRITABLE_REMEDY);
  const { repository: refused = 0 } = causes;
  if (refused === 0 && asked.isPart) return warning(PART_OF_A_BACKUP, RESTORE_ON);
  if (refused === 0) return replicaOf(asked.replica);
  return error(
    `The repository answered the manager when it was last asked, and ${refused === 1 ? 'one request' : `${refused} requests`} in the last ${seconds(span)} found it away, without room, or not to be written to.`,
    `Look whether the database runs. With SQLite a large document keeps other captures out while it is stored: let its client send GS1-Capture-Error-Behaviour: proceed, or take a MySQL. ${UNWRITABLE_REMEDY}`,
  );
}

export const PART_OF_A_BACKUP =
  'The repository holds a part of a backup: that is being restored, or its restore was broken off.';
export const RESTORE_ON =
  'Have `mmeliot repository restore` read that backup to its end: it goes on with what is there.';

/** Farther behind, a replica is one that somebody should look after. */
const MOST_LAG_MS = 30_000;

function replicaOf(replica: ReplicaSeen | undefined): Finding {
  if (replica === undefined) return ok('The repository answers.');
  if ('why' in replica)
    return warning(
      `The repository answers, and not its replica, so queries read from the primary: ${replica.why}.`,
      'Start the replica, or check repository.readUrl.',
    );
  if (replica.lag <= MOST_LAG_MS)
    return ok(
      `The repository answers; its replica, which queries read from, ${replica.lag === 0 ? 'has what it has' : `is ${seconds(replica.lag)} behind`}.`,
    );
  return warning(
    `Queries read from a replica that is ${seconds(replica.lag)} behind: what was captured since is not seen.`,
    "Look at the replica's replication, or leave repository.readUrl empty.",
  );
}

const UNWRITABLE_REMEDY =
  'Make room on its disk, or let it be written to (read_only of MariaDB); the log of a VM says what it met.';

export function backlog({ loop: { last, parameters } }: Facts): Finding {
  const waiting = last?.observation.backlog;
  if (waiting === undefined) return unknown('The backlog of jobs is not known.');
  const { longestBacklog: longest } = parameters;
  const { jobs } = waiting;
  if (jobs === 0) return ok('All jobs are finished.');
  const text = `${jobs === 1 ? 'One job is' : `${jobs} jobs are`} not finished`;
  if (longest === 0 || waiting.age <= longest) return ok(`${text}.`);
  return warning(
    `${text}, the oldest for ${seconds(waiting.age)}, and longestBacklog is ${seconds(longest)}.`,
    'A VM is added as long as max allows it: raise max, or look at the failures in the log of the VMs.',
  );
}

/** From this share of the queue on the operator is warned. */
const NEARLY_FULL = 0.8;

export function queue({ traffic: { queued, queueTime }, queueCapacity, loop: { parameters } }: Facts): Finding {
  const { longestQueueTime: longest } = parameters;
  const text = `${queued} of at most ${queueCapacity} requests wait for a VM`;
  if (queueCapacity > 0 && queued >= NEARLY_FULL * queueCapacity)
    return warning(`${text}; more are answered 503.`, 'Raise max, or gateway.queue.capacity.');
  if (longest > 0 && queueTime > longest)
    return warning(
      `Requests wait ${seconds(queueTime)} for a VM, and longestQueueTime is ${seconds(longest)}.`,
      'Raise max.',
    );
  return ok(`${text}.`);
}

/** From this share of all on it is said what was refused: strangers try what they like. */
const MANY_REFUSED = 0.01;

export function refusals({ traffic: { refused = 0, arrivalRate, span = 0 } }: Facts): Finding {
  const arrived = (arrivalRate * span) / 1000;
  if (refused === 0 || refused < MANY_REFUSED * (arrived + refused)) return ok('Hardly any request is refused.');
  return note(
    `${refused === 1 ? 'One request or connection was' : `${refused} requests and connections were`} refused in the last ${seconds(span)}, before they counted.`,
    "Malformed, of a client that is not known, or beyond one of gateway.limits: the answer says which, and of connections the gateway's log.",
  );
}

const GB = 1_000_000_000;

export function disk({ disk: seen, loop: { obstacles } }: Facts): Finding {
  const why = 'without it no decision can be saved, and nothing is changed.';
  const remedy = `Make room there: ${why}`;
  if (seen !== undefined && 'isGone' in seen)
    return error(
      `The data folder ${seen.path} is not there any more: no decision can be saved, and nothing is changed.`,
      'Put it back; or stop mmeliot, which ends VMs of this machine, too, and start it with a new one.',
    );
  if (obstacles.save !== undefined)
    return error(obstacles.save, `Make room there, or let this user write there: ${why}`);
  if (seen === undefined) return unknown('The system does not tell how much room the disk has.');
  const { path, freeBytes, totalBytes } = seen;
  // what is nearly full is told in the smaller unit
  const free = freeBytes < 0.1 * GB ? `${Math.floor(freeBytes / 1_000_000)} MB` : `${(freeBytes / GB).toFixed(1)} GB`;
  const text = `${free} are free at ${path}`;
  if (freeBytes < 0.1 * GB) return error(`Only ${text}.`, remedy);
  return freeBytes < GB && freeBytes < 0.1 * totalBytes ? warning(`Only ${text}.`, remedy) : ok(`${text}.`);
}

export function secrets({ exposed = [] }: Facts): Finding {
  if (exposed.length === 0) return ok('No file with a secret is open to every user of this machine.');
  return warning(
    `Every user of this machine can read ${exposed.join(', ')}, and secrets stand there.`,
    'Take that right away (chmod o-r; of /proc/self/cmdline, the command line: write into mmeliot.yaml what --set says), and change these secrets.',
  );
}

/** So long a report with a wrong time is news. */
const APART_NEWS_MS = 120_000;

/** Only of VMs of which nothing genuine is heard: what anybody else sends in their names is no news. */
export function reports({ refused = new Map(), loop: { last, at } }: Facts): Finding {
  const strange = (last?.observation.vms ?? [])
    .filter(({ vm, source }) => vm.state === 'ready' && source !== 'agent')
    .map(({ vm }) => vm.id)
    .filter((id) => at - (refused.get(id) ?? -Infinity) < APART_NEWS_MS);
  if (strange.length === 0) return ok("No VM's load reports are refused for their signature.");
  return error(
    `The load reports of ${strange.slice(0, 5).join(', ')}${strange.length > 5 ? ` and ${strange.length - 5} more` : ''} are refused: ` +
      "they are signed with another secret than this group's, as after a lost data folder.",
    'Stop mmeliot, remove the file "secret" in its data folder and start it again: on OpenNebula the secret is read back from the VMs. ' +
      'Or set collector.secret to theirs, or release these VMs.',
  );
}

export function clocks({ apart, loop: { at } }: Facts): Finding {
  if (apart === undefined || at - apart.at > APART_NEWS_MS)
    return ok('The load reports have the time of this machine.');
  const which = apart.ms > 0 ? 'ahead of' : 'behind';
  return warning(
    `The clock of ${apart.vm} is ${seconds(Math.abs(apart.ms))} ${which} this machine's, and its load reports are refused.`,
    'Synchronise the clocks of manager and VMs (chrony, systemd-timesyncd).',
  );
}

export function gateways({ gateways: problems = [] }: Facts): Finding {
  const [first, ...more] = problems;
  if (first === undefined) return ok('Every gateway does what it is told.');
  return error(
    more.length === 0 ? first : `${first.replace(/[.]$/, '')} (${more.length} more).`,
    'Look at that gateway: start it where it is away, or give all gateways the same settings. While it runs it serves with the VMs it knows, and what is shown of it is what it said last.',
  );
}

export function nodes({ nodes: list = [] }: Facts): Finding {
  const troubled = list.flatMap(({ id, note: why }) => (why === undefined ? [] : [`Node ${id}: ${why}`]));
  const [first] = troubled;
  if (first === undefined)
    return ok(list.length === 0 ? 'VMs have machines of their own.' : 'The nodes do what they are told.');
  const more = troubled.length > 1 ? ` (${troubled.length - 1} more)` : '';
  return warning(
    `${first}${/[.!?]$/.test(first) ? '' : '.'}${more}`,
    'Look at that machine: VMs are put on other nodes meanwhile, and those that run there serve on.',
  );
}
