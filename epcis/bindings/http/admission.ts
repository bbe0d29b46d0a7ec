// Who may come in: with access on, only those whom the gateway vouches for, and each only to what its roles allow.
import type { IncomingMessage } from 'node:http';
import type { ClientIdentity, ClientRole } from '../../access/identity.ts';
import { EpcisException } from '../../domain/exceptions.ts';
import type { Doors } from './doors.ts';

/** Answered with 401 instead of 403: another identity may help. */
export class UnknownClientException extends EpcisException {
  constructor() {
    const reason = 'It is not known who asks: send the request to the gateway, with a token or a key that it accepts.';
    super('SecurityException', reason);
  }
}

/** The doors as they stand open to who asks; of other roles there is a SecurityException. */
export function admitted<D extends Doors>(doors: D, request: IncomingMessage, role: ClientRole | 'any'): D {
  const { clients } = doors;
  if (clients === undefined) return doors;
  const client = clients.of(request);
  if (client === undefined) throw new UnknownClientException();
  if (role !== 'any') needRole(client, role);
  return { ...doors, client, services: clients.services(client), documents: clients.documents(client) };
}

export function needRole({ client, roles }: ClientIdentity, role: ClientRole): void {
  if (roles.includes(role)) return;
  const have = roles.length === 0 ? 'none' : roles.join(', ');
  throw new EpcisException('SecurityException', `This needs the role ${role}; ${client} has ${have}.`);
}
