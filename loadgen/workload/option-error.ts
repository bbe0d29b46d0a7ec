/** A wrong option: its message is one sentence for the person who gave it. Any other error is a defect. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}
