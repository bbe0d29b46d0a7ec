// What HAProxy itself answers, as the built-in plane does (builtin/answers.ts).
import type { Refusal } from '../../core/headers.ts';

export const problem = (title: string, { status, reason }: Refusal): string =>
  JSON.stringify({ type: 'about:blank', title, status, detail: reason });
