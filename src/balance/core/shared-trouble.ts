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

/** Those of the VMs, all asked at the same time, that lack what another has: it is their own trouble then. */
export function apart<V>(found: ReadonlyMap<V, Trouble | undefined>): V[] {
  const all = [...found];
  if (!all.some(([, trouble]) => trouble === undefined)) return [];
  return all.flatMap(([vm, trouble]) => (trouble?.isShared === true ? [vm] : []));
}

export const APART = `${NO_REPOSITORY}, which others reach`;
