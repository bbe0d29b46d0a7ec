// What is stored work beside capture jobs: what it is asked for, and how far it has come. Types only.

export type StepKind = 'export' | 'check' | 'reindex' | 'prune' | 'backup';

/** Plain JSON. */
export type Place = Readonly<Record<string, string | number>>;

export interface Step {
  /** Where the next step begins. */
  readonly reached: Place;
  /** Events dealt with, and how many there are, if that is known. */
  readonly done: number;
  readonly total?: number;
  /** What it adds to the document; `bytes` where that is no text. */
  readonly text?: string;
  readonly bytes?: Uint8Array;
}

/** What is to be done, and how far somebody came with it before. */
export interface Task {
  readonly kind: StepKind;
  readonly asked: Readonly<Record<string, unknown>>;
  readonly reached?: Place;
  readonly done: number;
  readonly total?: number;
}
