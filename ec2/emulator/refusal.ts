/** An error as AWS answers it: a status, a code for programs, a sentence for people. */
export class Refusal extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
