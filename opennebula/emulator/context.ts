// What an emulated call works on, and what it is made of.
import type { RpcValue } from '../documents/xml-rpc.ts';
import type { Cloud } from './cloud.ts';
import type { Owner } from './documents.ts';
import type { Inventory } from './inventory.ts';

export interface User extends Owner {
  readonly password: string;
  readonly admin: boolean;
}

export interface Context {
  readonly cloud: Cloud;
  readonly user: User;
  readonly users: User[];
  readonly inventory: Inventory;
}

export interface Method {
  /** Parameters after the session: s string, i int, b boolean; those after `?` may be left out. */
  readonly takes: string;
  readonly run: (context: Context, params: readonly RpcValue[]) => RpcValue | Promise<RpcValue>;
}

/** Signatures are checked before a method runs, so a text is a text. */
export const str = (value: RpcValue | undefined): string => (typeof value === 'string' ? value : '');
