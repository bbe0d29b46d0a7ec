// The front end's password or login token: a setting, or a file that is read anew, so that a token can be replaced while
// the manager runs.
import { MmeliotError } from '../errors.ts';
import { readWhole, whyUnreadable } from '../../epcis/files/read-whole.ts';
import type { Secrets } from '../secrets.ts';

interface Login {
  readonly password: string;
  readonly passwordFile: string;
}

/** Read for each call: a few a second. What was read is a secret from then on. */
export function loginToken({ password, passwordFile }: Login, secrets: Pick<Secrets, 'add'>): () => string {
  if (passwordFile === '') return () => password;
  let last = '';
  return () => {
    last = read(passwordFile) || last; // empty while somebody writes it
    if (last === '') throw new MmeliotError('CONFIG_INVALID', `opennebula.passwordFile ${passwordFile} is empty.`);
    secrets.add(last);
    return last;
  };
}

function read(file: string): string {
  try {
    // everything stands still meanwhile
    return readWhole(file, { waitMs: 0 }).toString().trim();
  } catch (error) {
    throw new MmeliotError(
      'CONFIG_INVALID',
      `opennebula.passwordFile ${file} ${whyUnreadable(error)}: put the token there, readable for the user that runs mmeliot.`,
      { cause: error },
    );
  }
}
