// Large events of a document are read in pieces, when what was written of it has been taken apart; others at once, where none is before them.
import { atOnce, type InPieces } from '../domain/in-pieces.ts';

export class LargeItems {
  readonly #waiting: InPieces<void>[] = [];

  read(isLarge: boolean, reading: InPieces<void>): void {
    if (isLarge || this.#waiting.length > 0) this.#waiting.push(reading);
    else atOnce(reading);
  }

  *inPieces(): InPieces<void> {
    for (const reading of this.#waiting.splice(0)) {
      yield;
      yield* reading;
    }
  }
}
