import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** From the terminal, without showing it. */
export function askPassword(): Promise<string> {
  process.stdout.write('Password: ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve) =>
    lines.question('', (answer) => {
      lines.close();
      process.stdout.write('\n');
      resolve(answer);
    }),
  );
}
