import type { Request } from 'express';
import type { Visitor } from './logins.ts';

/** Who changes something, for people. Where all have to say who they are, what else they say is added only. */
export function authorOf(request: Pick<Request, 'get' | 'ip'>, { name }: Visitor): string {
  const said = request.get('x-mmeliot-by')?.slice(0, 100);
  if (name === ANYBODY.name) return said ?? `admin API from ${request.ip ?? 'unknown'}`;
  return said === undefined ? name : `${name} (${said})`;
}

/** Who comes where nobody has to say who they are. */
export const ANYBODY: Visitor = { name: 'anybody', role: 'operator' };
