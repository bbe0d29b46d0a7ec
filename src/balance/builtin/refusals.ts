// What a client is told whose request no VM has answered.
import type { LossCause } from '../core/counters.ts';
import type { Failure } from './forwarder.ts';

/** By what went wrong between here and the VM. */
export const FAILED: Record<Failure, { status: number; cause: LossCause; reason: string }> = {
  unreachable: { status: 502, cause: 'vm-failed', reason: 'No VM could be reached with this request.' },
  broken: {
    status: 502,
    cause: 'vm-failed',
    reason: 'The VM broke off before it answered, and the request could not be repeated: it may have taken effect.',
  },
  timeout: { status: 504, cause: 'timeout', reason: 'The VM did not answer in time.' },
  nonsense: { status: 502, cause: 'vm-failed', reason: 'The VM answered something that is not HTTP.' },
  unsendable: { status: 400, cause: 'vm-failed', reason: 'The request cannot be passed on as it is.' },
};

export const TOO_LARGE = {
  status: 413,
  reason: (most: number) =>
    `The body is larger than the ${most} bytes that pass here in one request; send it in parts.`,
};

export const TOO_SLOW = { status: 408, reason: 'The body came too slowly.' };

/** Status 503: by what it could not wait for. */
export const TURNED_AWAY = {
  'queue-full': 'All VMs are busy and too many requests wait already.',
  'all-out': 'No VM can answer at present: all are out of the rotation until they are ready again.',
  deadline: 'No VM became free for this request in time.',
  closed: 'The gateway is shutting down.',
};
