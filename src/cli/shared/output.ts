// What cannot be told: nobody reads it any more (`| head`, a terminal that was closed), or the disk it goes to is full.

/** Neither ends a command: others rely on the one that serves, and the one that works has its result elsewhere, too. */
export function survive(output: NodeJS.WritableStream & { readonly isTTY?: boolean }): void {
  let said = false;
  output.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || (code === 'EIO' && output.isTTY) || said) return;
    said = true;
    process.exitCode = 2;
    process.stderr.write(`mmeliot: Standard output can't be written, so it is not whole: ${message}.\n`);
  });
}

/** A command that only tells, without an end, has told enough. */
export const onceNobodyReads = (end: () => void): void => void process.stdout.on('error', end);

/** What is too long for one text, as fast as it is read. */
export async function tell(pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (!process.stdout.writable) return;
    await new Promise<void>((resolve) => void process.stdout.write(piece, () => resolve()));
  }
}
