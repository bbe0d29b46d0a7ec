// What is wrong with a document, for people and programs: each fault with its place, the name of its rule and a hint.
import { isDocumentRule, RULE_HINTS } from '../domain/document-rules.ts';
import { inShort, type EpcisException } from '../domain/exceptions.ts';

export interface Finding {
  readonly rule: string;
  /** A warning is of a check of the operator's, and refuses nothing. */
  readonly severity: 'error' | 'warning';
  /** `line 12`, or a JSON pointer; absent where it is about the document as such. */
  readonly at?: string;
  readonly reason: string;
  readonly hint: string;
}

export interface Report {
  readonly valid: boolean;
  /** Right ones, that is. */
  readonly events: number;
  readonly vocabularyElements: number;
  readonly findings: readonly Finding[];
  /** Whether there were more findings than a report holds. */
  readonly more: boolean;
}

export function findingOf({ reason, at, broken }: EpcisException, severity: Finding['severity']): Finding {
  const rule = broken?.rule ?? 'document';
  const hint = broken?.hint ?? RULE_HINTS[isDocumentRule(rule) ? rule : 'document'];
  return { rule, severity, ...(at !== undefined && { at: inShort(at) }), reason, hint };
}
