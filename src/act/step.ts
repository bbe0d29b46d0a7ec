// What is done to a VM, as data, and what became of it. plan.ts orders steps, execute.ts does them, ledger.ts keeps
// what they came to.
import type { Address, Offer } from '../model.ts';

export type Step =
  | { readonly kind: 'allocate'; readonly mark: string; readonly offer?: Offer; readonly maxPrice?: number }
  /** Check its readiness; when it answers, add it to the gateway. */
  | { readonly kind: 'admit'; readonly mark: string; readonly id: string; readonly address: Address }
  /** Does it still answer, though provider or agent don't speak of it? */
  | { readonly kind: 'probe'; readonly mark: string; readonly id: string; readonly address: Address }
  | { readonly kind: 'drain'; readonly mark: string; readonly id: string; readonly deadlineMs: number }
  /** Out of the gateway, and nothing else. */
  | { readonly kind: 'withdraw'; readonly mark: string; readonly id: string }
  /** Out of the gateway, then back to the provider. */
  | { readonly kind: 'release'; readonly mark: string; readonly id: string };

export type StepOf<K extends Step['kind']> = Extract<Step, { kind: K }>;

export interface Result {
  readonly ok: boolean;
  /** For people: what went wrong, or what is worth knowing of a success. */
  readonly message?: string;
  /** It failed, and will until a person has put something right. */
  readonly refused?: true;
  /** There is no room for it where it was asked for. */
  readonly full?: true;
  /** The provider's id of an allocated VM. */
  readonly id?: string;
}
