// A setting is declared once, as data. From its declaration come its type, its default, the sentence that refuses a
// wrong value, its line in CONFIG.md and in the example file, and its field on the operator's page.

interface Declared<T> {
  readonly default: T;
  /** One line for people. */
  readonly doc: string;
  /** Shown to nobody. */
  readonly secret?: true;
}

export interface NumberDeclaration extends Declared<number | string> {
  readonly type: 'number' | 'whole';
  readonly min?: number;
  readonly max?: number;
  /** For people: `%`, `VMs`. */
  readonly unit?: string;
  /** A word that may stand instead of a number: `auto`. */
  readonly or?: string;
}

/** Written with a unit: `10s`, `8MiB`. */
export interface QuantityDeclaration extends Declared<number> {
  readonly type: 'duration' | 'size';
  readonly min?: number;
  readonly max?: number;
  /** What the value counts; default: ms, or bytes. */
  readonly unit?: 's';
}

export interface ChoiceDeclaration extends Declared<string | boolean> {
  readonly type: 'choice';
  readonly choices: readonly (string | boolean)[];
}

export interface FlagDeclaration extends Declared<boolean> {
  readonly type: 'flag';
}

/** `list`: several texts. */
export interface TextDeclaration extends Declared<string | readonly string[]> {
  readonly type: 'text' | 'list';
  /** A regular expression that the whole text (each of a list) matches. */
  readonly pattern?: string;
  /** What such a text is, for people. */
  readonly expected?: string;
}

/** A name, or a number (which then is an identifier). */
export interface NameDeclaration extends Declared<string | number> {
  readonly type: 'name';
}

/** Something with a form of its own, which its owner checks. */
export interface DataDeclaration extends Declared<unknown> {
  readonly type: 'data';
}

export type Declaration =
  | NumberDeclaration
  | QuantityDeclaration
  | ChoiceDeclaration
  | FlagDeclaration
  | TextDeclaration
  | NameDeclaration
  | DataDeclaration;

export type Declarations = Readonly<Record<string, Declaration>>;

/** Declarations in sections, as they stand in a file. */
export interface Sections {
  readonly [name: string]: Declaration | Sections;
}

export const isDeclaration = (entry: Declaration | Sections): entry is Declaration => typeof entry.doc === 'string';

/** Also of the service, which declares its own settings. */
export { defaultsOf, type Values } from '../../epcis/domain/setting.ts';
