import type { Request } from 'express';

/** Who changes something, for people. */
export const authorOf = (request: Pick<Request, 'get' | 'ip'>): string =>
  request.get('x-mmeliot-by')?.slice(0, 100) ?? `admin API from ${request.ip ?? 'unknown'}`;
