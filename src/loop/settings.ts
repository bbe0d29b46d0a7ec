// The settings in force: the configured ones with what was changed while it ran. A change is judged as a whole, waits
// for the next period, and is remembered with who made it and when.
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../decide/parameters.ts';
import { validateParameters } from '../decide/validate.ts';
import { MmeliotError } from '../errors.ts';
import type { Millis, Role } from '../model.ts';
import type { ParameterPatch } from './journal.ts';
import { modern } from './older.ts';
import type { Override, ParameterChange } from './loop-state.ts';
import { changeText } from './settings-text.ts';

const REMEMBERED = 100;

export class Settings {
  readonly #configured: ElasticityParameters;
  readonly #role: Role | undefined;
  #patch: ParameterPatch;
  #current: ElasticityParameters;
  #next: ElasticityParameters | undefined;
  #changes: readonly ParameterChange[];
  #dropped: readonly string[] = [];

  constructor(configured: ElasticityParameters, changes: readonly ParameterChange[] = [], role?: Role) {
    this.#configured = configured;
    this.#role = role;
    this.#changes = changes.slice(0, REMEMBERED);
    this.#current = configured;
    this.#patch = {};
  }

  get current(): ElasticityParameters {
    return this.#current;
  }

  get next(): ElasticityParameters | undefined {
    return this.#next;
  }

  get patch(): ParameterPatch {
    return this.#patch;
  }

  get changes(): readonly ParameterChange[] {
    return this.#changes;
  }

  /** What was changed while it ran: it holds, whatever the configuration says then. */
  get overrides(): readonly Override[] {
    return (Object.keys(this.#patch) as (keyof ElasticityParameters)[]).map((name) => ({
      ...{ name, value: this.#patch[name], configured: this.#configured[name] },
    }));
  }

  get warnings(): readonly string[] {
    return [...this.#dropped, ...validateParameters(this.#current, this.#role).warnings];
  }

  /** What was changed before a restart, unless the configuration of today contradicts it. */
  restore(saved: ParameterPatch): void {
    const patch = modern(saved);
    const merged = patched(this.#configured, patch);
    const [error] = validateParameters(merged, this.#role).errors;
    if (error !== undefined) {
      this.#dropped = [
        `Settings that were changed before the restart contradict the configuration and are dropped. ${error}`,
      ];
      return;
    }
    this.#patch = patch;
    this.#current = merged;
  }

  /** Takes effect with the next period. Returns what the operator should know; refuses what can't hold. */
  change(patch: ParameterPatch, who: string, at: Millis): readonly string[] {
    const unknown = Object.keys(patch).find((key) => !Object.hasOwn(DEFAULT_PARAMETERS, key));
    if (unknown !== undefined) throw new MmeliotError('CONFIG_INVALID', `There is no setting ${unknown}.`);
    const all = { ...this.#patch, ...patch };
    const merged = patched(this.#configured, all);
    const { errors, warnings } = validateParameters(merged, this.#role);
    const [error] = errors;
    if (error !== undefined) throw new MmeliotError('CONFIG_INVALID', error);
    const names = Object.keys(patch) as (keyof ElasticityParameters)[];
    const before = Object.fromEntries(names.map((name) => [name, this.#patch[name] ?? null]));
    this.#patch = withoutNulls(all);
    this.#next = merged;
    this.#changes = [{ at, who, patch, before }, ...this.#changes].slice(0, REMEMBERED);
    return warnings;
  }

  /** A period begins: true when it begins with changed settings. */
  begin(): boolean {
    if (this.#next === undefined) return false;
    this.#current = this.#next;
    this.#next = undefined;
    return true;
  }
}

export const patched = (parameters: ElasticityParameters, patch: ParameterPatch): ElasticityParameters => ({
  ...parameters,
  ...(withoutNulls(patch) as Partial<ElasticityParameters>),
});

const withoutNulls = (patch: ParameterPatch): ParameterPatch =>
  Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null && value !== undefined));

/** What takes the last change back. Two people may press the same button: nobody takes back what they have not seen. */
export function takenBack(last: ParameterChange | undefined, at: Millis | undefined): ParameterPatch {
  if (last?.before === undefined)
    throw new MmeliotError('BAD_REQUEST', 'There is no change of the settings to take back.');
  if (at !== undefined && at !== last.at)
    throw new MmeliotError(
      'BAD_REQUEST',
      `${last.who} has set ${changeText(last.patch)} meanwhile: look at that before you take it back.`,
    );
  return last.before;
}
