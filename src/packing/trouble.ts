// Why a node is of no use at present, in words.
import { messageOf, type MmeliotError } from '../errors.ts';
import type { ProvidedVm } from '../act/provider.ts';
import type { Millis } from '../model.ts';
import { isAvoided, type Node } from './state.ts';

const codeOf = (error: unknown): string | undefined => (error as Partial<MmeliotError>).code;

/** It has answered that it can't; nobody needs to wait whether it has done so. */
export const isUnable = (error: unknown): boolean => codeOf(error) === 'PROVIDER_FAILED';

/** It did not report. Of one that boots, or is gone, it is nothing to say that it does not answer. */
export function unheard(error: unknown, node: Node | undefined, machine: ProvidedVm | undefined): string | undefined {
  if (isUnable(error) || codeOf(error) === 'PROVIDER_REFUSED') return messageOf(error);
  return node?.up && machine?.state === 'running' ? `it does not answer: ${messageOf(error)}` : undefined;
}

export const troubleOf = (node: Node, unreported: string | undefined, now: Millis): string | undefined =>
  isAvoided(node, now) ? `could not start a VM: ${node.refusal}` : unreported;
