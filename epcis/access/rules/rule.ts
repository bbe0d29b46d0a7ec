// What the rules of a repository are, once read. Types only.
import type { Alternatives, ElementScope } from '../../service/criteria.ts';
import type { HiddenField } from './hidden.ts';

/** `now`: ms since 1970. Times such as now-30d are taken when the rule is applied; without one it is the same list whenever. */
export type Filter = (now: number) => Alternatives;

/** Whom a rule is about. */
export type Party =
  | { readonly kind: 'everybody' }
  | { readonly kind: 'client' | 'group'; readonly name: string }
  /** Each claim has one of the values. */
  | {
      readonly kind: 'claims';
      readonly issuer?: string;
      readonly claims: Readonly<Record<string, readonly string[]>>;
    };

export interface Hiding {
  readonly fields: readonly HiddenField[];
  readonly of: Filter;
}

/** One effect each; a rule that lets see may hide, too. */
export interface Rule {
  readonly name: string;
  readonly parties: readonly Party[];
  readonly see?: Filter;
  readonly deny?: Filter;
  readonly hide?: Hiding;
  readonly capture?: CaptureFilter;
  readonly masterData?: ElementScope;
}

export interface CaptureFilter {
  readonly events: Filter;
  /** Each EPC and class of the event, wherever it stands, is met by one of these patterns. */
  readonly everyEpc?: readonly string[];
  /** Master data in this scope, by name or vocabulary. */
  readonly masterData?: ElementScope;
}
