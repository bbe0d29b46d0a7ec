// What can go wrong at the front end, as a type: which call, which object, and the server's own sentence.
import { MmeliotError, type ErrorCode } from '../src/errors.ts';

/** The front end's numeric codes; what 512 and 16384 mean is told by the sentence. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  256: 'authentication',
  512: 'authorization',
  1024: 'no-such-object',
  2048: 'action',
  4096: 'bad-use',
  8192: 'internal',
  16384: 'allocation',
  32768: 'locked',
  65536: 'replication',
};

export type ErrorKind =
  | 'authentication'
  | 'authorization'
  | 'quota'
  | 'no-such-object'
  | 'action'
  | 'bad-use'
  | 'internal'
  /** no address left */
  | 'allocation'
  /** what the VM template asks for can't be had, whatever room there is */
  | 'template'
  | 'locked'
  | 'replication'
  /** the server could not understand the call (an XML-RPC fault) */
  | 'fault'
  /** no connection: the call certainly did not arrive */
  | 'unreachable'
  /** the call may have been carried out, its answer did not come */
  | 'no-answer'
  /** no answer in time: the call may also be carried out long after */
  | 'late'
  /** of several front ends none leads, and none changes anything */
  | 'no-leader'
  /** an answer came that is no OpenNebula answer */
  | 'malformed'
  /** more came than is read */
  | 'too-large';

/** What is wrong and what to do, before the server's own sentence in brackets. */
const HELP: Readonly<Partial<Record<ErrorKind, (sentence: string) => string>>> = {
  authentication: () =>
    'OpenNebula refuses the login; check opennebula.user, and opennebula.password or the file that passwordFile names.',
  authorization: (sentence) => `OpenNebula does not allow it: ${leave(sentence)}`,
  quota: () => 'An OpenNebula quota is used up; an administrator raises it (oneuser quota), or lower elasticity.max.',
  allocation: () => 'OpenNebula has no room for it: the network needs more addresses (onevnet addar), or fewer VMs.',
  template: (sentence) => `OpenNebula refuses the VM template. ${remedy(sentence)}`,
  internal: () => "OpenNebula failed inside; the front end's oned.log has more.",
  'no-leader': () => "OpenNebula's front ends have no leader just now, and are asked again.",
  unreachable: (sentence) =>
    `The OpenNebula front end cannot be reached; ${/certificate/i.test(sentence) ? 'name the authority of its certificate by NODE_EXTRA_CA_CERTS.' : 'check opennebula.url, the network, and that it runs.'}`,
  'too-large': () =>
    'The OpenNebula user has more VMs than mmeliot reads at once: let opennebula.user be one who has no others.',
  malformed: () =>
    'That is no answer of a front end; check that opennebula.url is its XML-RPC address, like http://host:2633/RPC2.',
};

/** Only a person can put these right. */
const REFUSED: readonly ErrorKind[] = ['authentication', 'authorization', 'no-such-object', 'template'];

function codeOf(kind: ErrorKind): ErrorCode {
  if (kind === 'quota' || kind === 'allocation') return 'NO_CAPACITY';
  return REFUSED.includes(kind) ? 'PROVIDER_REFUSED' : 'PROVIDER_FAILED';
}

const COMMANDS: Readonly<Record<string, string>> = {
  NET: 'onevnet',
  IMAGE: 'oneimage',
  TEMPLATE: 'onetemplate',
  VMGROUP: 'onevmgroup',
};

/** `User [2] : Not authorized to perform USE NET [0].` */
function leave(sentence: string): string {
  const [, right, kind = '', id] = /to perform (\w+) (\w+) \[(\d+)\]/.exec(sentence) ?? [];
  const command = COMMANDS[kind];
  if (/restricted attribute/i.test(sentence))
    return 'take that attribute out of the VM template, or out of its CONTEXT (FILES_DS instead of FILES).';
  if (right === 'MANAGE' && kind === 'VM')
    return `somebody may have locked it (onevm unlock ${id}), or it belongs to another user.`;
  if (right === 'USE' && command !== undefined)
    return `its owner or an administrator does, by ${command} chmod ${id} 604.`;
  return 'an administrator has to give the user that right.';
}

/** What to do about the VM template, by words of the front end's sentence. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^Error parsing: /, 'A $-reference in the CONTEXT of the VM template is wrong: onetemplate update.'],
  [/NETWORK_UNAME|IMAGE_UNAME/, 'Name its owner in the VM template: onetemplate update.'],
  [/role.* VM Group/i, "Name a role of the VM group by VMGROUP's ROLE in the VM template: onetemplate update."],
  [/VM Group/i, 'Name the VM group by VMGROUP_ID in the VM template: onetemplate update.'],
  [/./, 'Mend the VM template: onetemplate update.'],
];

const remedy = (sentence: string): string => REMEDIES.find(([words]) => words.test(sentence))?.[1] ?? '';

function messageOf(kind: ErrorKind, method: string, sentence: string): string {
  const help = HELP[kind]?.(sentence);
  return help === undefined ? `OpenNebula, ${method}: ${sentence}` : `${help} (${sentence})`;
}

interface Details {
  readonly method: string;
  /** The server's number, where it gave one. */
  readonly serverCode?: number;
  /** The server's own sentence, or the network's. */
  readonly sentence: string;
}

export class OpenNebulaError extends MmeliotError {
  readonly kind: ErrorKind;
  readonly method: string;
  readonly serverCode: number | undefined;
  readonly sentence: string;

  constructor(kind: ErrorKind, details: Details) {
    const sentence = details.sentence.replace(`[${details.method}] `, ''); // the server names the method itself
    super(codeOf(kind), messageOf(kind, details.method, sentence));
    this.name = 'OpenNebulaError';
    this.kind = kind;
    this.method = details.method;
    this.serverCode = details.serverCode;
    this.sentence = details.sentence;
  }
}

/** Of a follower without a leader, a candidate, and a leader that brings its log up to date: none of them has begun the call. */
const NO_LEADER = /\bCannot process request, (no leader found|oned cluster)\b/i;

/**
 * `User [2] : user [2] limit of 2 reached for VMS quota in VM.` is 512 as much as a missing right is; 16384 is an
 * exhausted network, and anything that is wrong with the VM template, whose CONTEXT may have any word in it.
 */
export function kindOf(code: number, sentence: string): ErrorKind {
  if (code === 512 && /\bquota\b/i.test(sentence)) return 'quota';
  if (code === 16384 && (/\bError parsing: /.test(sentence) || !/\blease\b/i.test(sentence))) return 'template';
  if (code === 8192 && NO_LEADER.test(sentence)) return 'no-leader';
  // a follower passes calls on to its leader, and waits for half a second, with stock settings
  if (code === 8192 && /\btimed out\b/i.test(sentence)) return 'late';
  return KINDS[code] ?? 'internal';
}

export function isKind(error: unknown, ...kinds: readonly ErrorKind[]): error is OpenNebulaError {
  return error instanceof OpenNebulaError && kinds.includes(error.kind);
}
