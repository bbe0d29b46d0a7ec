// An instance as EC2 describes it, read as a VM of the port: its state, and a sentence for the operator.
import type { ProvidedVm } from '../../src/act/provider.ts';
import type { Millis, Offer } from '../../src/model.ts';

/** What is known of an instance, AWS's words made ours. */
export interface Ec2Instance {
  readonly id: string;
  readonly state: string;
  readonly type: string;
  readonly zone: string;
  readonly launchedAt: Millis;
  readonly privateAddress?: string;
  readonly publicAddress?: string;
  /** Of an interruptible one. */
  readonly spotRequest?: string;
  readonly reason?: { readonly code: string; readonly message: string };
  readonly tags: ReadonlyMap<string, string>;
}

export const TAGS = { group: 'mmeliot:group', mark: 'mmeliot:mark', port: 'mmeliot:port' } as const;

export const marketOf = ({ spotRequest }: Ec2Instance): Offer['market'] =>
  spotRequest === undefined ? 'on-demand' : 'interruptible';

export const offerId = (zone: string, type: string, market: Offer['market']): string => `${zone}/${type}/${market}`;

/** Over, and nobody needs to hear of it: it was asked to end. */
export const isGone = ({ state, reason }: Ec2Instance): boolean =>
  state === 'terminated' && (reason === undefined || /^Client\.User/.test(reason.code));

const STATES: Readonly<Record<string, ProvidedVm['state']>> = {
  pending: 'pending',
  running: 'running',
  'shutting-down': 'releasing',
  stopping: 'failed',
  stopped: 'failed',
  terminated: 'failed',
};

export interface View {
  readonly address: 'private' | 'public';
  readonly port: number;
}

export function provided(
  instance: Ec2Instance,
  view: View,
  more: Pick<ProvidedVm, 'offer' | 'interruptAt'>,
): ProvidedVm {
  const { id, state, launchedAt, tags, reason } = instance;
  const host = view.address === 'private' ? instance.privateAddress : instance.publicAddress;
  const mark = tags.get(TAGS.mark);
  const taken = reason !== undefined && reason.code.startsWith('Server.Spot');
  const note = noteOf(instance, host, view);
  return {
    id,
    state: taken ? 'failed' : state === 'running' && host === undefined ? 'pending' : (STATES[state] ?? 'pending'),
    stage: state,
    createdAt: launchedAt,
    ...(mark !== undefined && { mark }),
    ...(host !== undefined && { address: { host, port: Number(tags.get(TAGS.port) ?? view.port) } }),
    ...(note !== undefined && { note }),
    ...more,
  };
}

function noteOf({ state, reason }: Ec2Instance, host: string | undefined, view: View): string | undefined {
  const why = reason?.message.replace(/^[\w.]+: /, '');
  if (reason?.code.startsWith('Server.Spot')) return `EC2 has taken it back (${why}).`;
  if (/^stopp/.test(state)) return 'It was stopped, which mmeliot never does.';
  if (state === 'terminated') return `It ended by itself (${why}).`;
  if (state === 'running' && host === undefined)
    return view.address === 'public'
      ? 'It has no public address: choose subnets that give one, or set ec2.address to private.'
      : 'It has no IPv4 address: choose subnets that give one (ec2.subnets).';
  return undefined;
}

/** Of several instances with one mark (an answer lost, and asked again where ClientToken isn't honoured) the oldest counts. */
export const isDouble = (one: Ec2Instance, all: readonly Ec2Instance[]): boolean =>
  one.tags.has(TAGS.mark) &&
  all.some(
    (other) =>
      other.tags.get(TAGS.mark) === one.tags.get(TAGS.mark) &&
      (other.launchedAt < one.launchedAt || (other.launchedAt === one.launchedAt && other.id < one.id)),
  );
