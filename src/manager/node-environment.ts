// How a node and its workers are told who they are, beside what every VM is told: one variable each, which holds JSON as base64url.
import { MmeliotError } from '../errors.ts';
import type { Pair } from '../tls/certificate.ts';

/** What a node is told. */
export interface NodeIdentity {
  /** Its mark at its provider. */
  readonly mark: string;
  /** Public keys of who may order. */
  readonly trusted: readonly string[];
  /** Of this node alone. */
  readonly certificate: Pair;
  /** How workers are held to their cores. */
  readonly quota: 'auto' | 'cgroup' | 'signals';
}

/** What a VM is told that does not know the group's secret. */
export interface VmIdentity {
  /** By which it knows what the gateway says of clients. */
  readonly clientKey: string;
  readonly certificate: Pair;
  /** What it signs its reports with, where no file has it. */
  readonly reportKey?: string;
}

export const NODE = 'MMELIOT_NODE';
export const IDENTITY = 'MMELIOT_IDENTITY';

export const packed = (value: NodeIdentity | VmIdentity): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/** Told by a manager of ours; but perhaps cut off, or of another version. */
export function unpacked<T extends NodeIdentity | VmIdentity>(
  name: string,
  text: string,
  needs: readonly (keyof T)[],
): T {
  let value: Partial<T> = {};
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Partial<T>;
  } catch {
    // as if it were empty
  }
  const missing = needs.find((need) => value[need] === undefined);
  if (missing === undefined) return value as T;
  throw new MmeliotError(
    'CONFIG_INVALID',
    `${name} does not say ${String(missing)}: only a manager with packing writes it.`,
  );
}

export const nodeIdentity = (text: string): NodeIdentity =>
  unpacked<NodeIdentity>(NODE, text, ['mark', 'trusted', 'certificate', 'quota']);
export const vmIdentity = (text: string): VmIdentity =>
  unpacked<VmIdentity>(IDENTITY, text, ['clientKey', 'certificate']);
