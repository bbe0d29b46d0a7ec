// When what is shown became so: conditions by their name and status, other problems by their sentence.
import type { Condition } from '../loop/conditions.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { problemName, type ManagerView, type Problem } from '../loop/view.ts';
import type { Millis } from '../model.ts';

/** Remembers since when; ask it often enough that nothing comes and goes between. */
export class Observed {
  #since = new Map<string, Millis>();

  at(
    { at, problems, warnings, byHand }: LoopState,
    conditions: readonly Condition[],
  ): Pick<ManagerView, 'conditions' | 'problems'> {
    const before = this.#since;
    const now = new Map<string, Millis>();
    const since = (key: string): Millis => {
      const first = before.get(key) ?? at;
      now.set(key, first);
      return first;
    };
    const dated = conditions.map((one) => ({ ...one, since: since(`${one.name} ${one.status}`) }));
    const known = new Set(conditions.map(({ reason }) => reason));
    const others = (severity: Problem['severity'], messages: readonly string[]): readonly Problem[] =>
      messages.filter((one) => !known.has(one)).map((message) => ({ since: since(message), severity, message }));
    const shown = [...dated.flatMap(asProblem), ...others('error', problems), ...others('warning', warnings)];
    shown.sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
    this.#since = now;
    return { conditions: dated, problems: shown.map((problem) => withWho(problem, byHand)) };
  }
}

/** Acknowledged since it is so: what went and came again is told anew. */
function withWho(problem: Problem, byHand: LoopState['byHand']): Problem {
  const name = problemName(problem);
  const seen = byHand.find(
    ({ at, deed }) => deed.what === 'acknowledge' && deed.problem === name && at >= problem.since,
  );
  return seen === undefined ? problem : { ...problem, acknowledged: { who: seen.who, at: seen.at } };
}

function asProblem({
  name,
  status,
  reason,
  remedy = '',
  since,
}: ManagerView['conditions'][number]): readonly Problem[] {
  if (status !== 'warning' && status !== 'error') return [];
  return [{ since, severity: status, message: `${reason} ${remedy}`.trim(), condition: name }];
}
