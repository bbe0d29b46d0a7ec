// The question that is being answered, without every call in between having to name it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Question } from '../service/question-turns.ts';

const asked = new AsyncLocalStorage<Question>();

export const answering = <T>(question: Question, act: () => T): T => asked.run(question, act);

export type Spend = Question['spend'];

const FREELY: Spend = () => undefined;

/** What pays for the work of this question; for work that no client waits for, nothing does. To be asked for at the begin of the work. */
export const ownTurn = (): Spend => asked.getStore()?.spend ?? FREELY;
