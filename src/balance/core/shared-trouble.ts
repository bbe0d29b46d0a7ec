// What all VMs stand on, their repository, may be away. A VM says so (`epcis/domain/unavailable.ts`), and another one could do no better:
// nothing is asked of another, and none leaves the rotation for it, unless another has what it lacks.
import { UNAVAILABLE_FIELD } from '../../../epcis/domain/unavailable.ts';

/** Why a VM is not ready. */
export interface Trouble {
  readonly why: string;
  /** The VM says that it would be another's, too. */
  readonly isShared: boolean;
}

export const NO_REPOSITORY = 'it does not reach the repository';

export const UNAVAILABLE_STATUS = '503';

/** Whether this answer says that what all VMs stand on is away. */
export const isOfAllVms = (status: number, fields: Readonly<Record<string, unknown>>): boolean =>
  status === 503 && fields[UNAVAILABLE_FIELD] !== undefined;

/** Finds the VMs that lack what another has: it is their own trouble then. */
export class ApartSearch {
  readonly #everyMs: number;
  readonly #now: () => number;
  /** Infinity: they are being asked. */
  #askedAt = -Infinity;

  constructor(everyMs: number, now: () => number) {
    this.#everyMs = everyMs;
    this.#now = now;
  }

  /** Asks all at the same time; none of them where they were asked just before, as each answer that tells of it calls this. */
  async among<V>(vms: readonly V[], probe: (vm: V) => Promise<Trouble | undefined>): Promise<V[]> {
    if (vms.length < 2 || this.#now() - this.#askedAt < this.#everyMs) return [];
    this.#askedAt = Infinity;
    try {
      const found = await Promise.all(vms.map(async (vm) => ({ vm, trouble: await probe(vm) })));
      if (found.every(({ trouble }) => trouble !== undefined)) return [];
      return found.filter(({ trouble }) => trouble?.isShared).map(({ vm }) => vm);
    } finally {
      this.#askedAt = this.#now();
    }
  }
}

export const APART = `${NO_REPOSITORY}, which others reach`;
