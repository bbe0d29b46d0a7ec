// Memory for answers that clients take more slowly than VMs give them, so that a VM is done with them.
export class AnswerMemory {
  readonly #most: { readonly each: number; readonly all: number };
  #used = 0;

  constructor(most: { readonly each: number; readonly all: number }) {
    this.#most = most;
  }

  /** Whether an answer that holds `held` bytes of it may hold `bytes`. */
  grant(held: number, bytes: number): boolean {
    const used = this.#used - held + bytes;
    if (bytes > held && (bytes > this.#most.each || used > this.#most.all)) return false;
    this.#used = used;
    return true;
  }
}
