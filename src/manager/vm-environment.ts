// How a VM is told who it is: environment variables, the same for a local process and for the context of a cloud's VM.
import { epcisSettings, type EpcisSettings } from '../../epcis/options.ts';
import { repositorySettings } from '../../epcis/repository/database/options.ts';
import { tracingSettings, type TracingSettings } from '../../epcis/tracing/options.ts';
import { MmeliotError } from '../errors.ts';
import type { Address, Role } from '../model.ts';
import { parseAddress, showAddress } from '../../epcis/domain/address.ts';
import type { Sections } from '../settings/declaration.ts';
import { IDENTITY, packed, vmIdentity, type VmIdentity } from './node-environment.ts';
import { changed, checked, type Changed } from './service-settings.ts';

export interface VmSettings {
  /** Empty: the cloud's metadata service knows it. */
  readonly id: string;
  readonly group: string;
  /** Where its agent sends load reports; without one there is no agent. */
  readonly collector?: Address;
  readonly secret: string;
  /** Between two load reports, ms. */
  readonly reportEvery: number;
  readonly repositoryUrl: string;
  readonly readUrl?: string;
  /** Connections to it, of each service process. */
  readonly poolSize?: number;
  readonly listen: Address;
  /** VMs of EC2: URL of the metadata service. */
  readonly metadata?: string;
  /** How often that is asked whether the cloud takes the VM away, ms; without it, never. */
  readonly noticeEvery?: number;
  /** What it does; default: both. */
  readonly role?: Role;
  /** Settings of the EPCIS service; only those that differ from its defaults are told. */
  readonly epcis?: Changed<EpcisSettings>;
  /** Where its traces go to; only told where there are any. */
  readonly tracing?: Changed<TracingSettings>;
  /** Of a VM that does not know the group's secret: who it is instead, and the file of the key that it signs its reports with. */
  readonly identity?: VmIdentity;
  readonly keyFile?: string;
  /** Workers only: process of the node that they end with, and when that began. */
  readonly parent?: string;
  /** Local VMs only: written once it listens. */
  readonly addressFile?: string;
  /** Local VMs only: cores it may use. */
  readonly cpu?: number;
}

export function toEnvironment(vm: VmSettings): Record<string, string> {
  const optional = {
    MMELIOT_COLLECTOR: vm.collector && showAddress(vm.collector),
    MMELIOT_REPOSITORY_READ_URL: vm.readUrl,
    MMELIOT_ADDRESS_FILE: vm.addressFile,
    MMELIOT_CPU: vm.cpu?.toString(),
    MMELIOT_REPOSITORY_POOL_SIZE:
      vm.poolSize === repositorySettings.poolSize.default ? undefined : vm.poolSize?.toString(),
    MMELIOT_METADATA: vm.metadata,
    MMELIOT_NOTICE_EVERY: vm.noticeEvery?.toString(),
    MMELIOT_ROLE: vm.role,
    MMELIOT_TRACING: vm.tracing?.endpoint ? JSON.stringify(changed(tracingSettings, vm.tracing)) : undefined,
    [IDENTITY]: vm.identity && packed(vm.identity),
    MMELIOT_EPCIS: vm.epcis && JSON.stringify(changed(epcisSettings, vm.epcis)),
  };
  return {
    MMELIOT_VM_ID: vm.id,
    MMELIOT_GROUP: vm.group,
    MMELIOT_SECRET: vm.secret,
    MMELIOT_REPORT_EVERY: String(vm.reportEvery),
    MMELIOT_REPOSITORY_URL: vm.repositoryUrl,
    MMELIOT_LISTEN: showAddress(vm.listen),
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >),
  };
}

export function fromEnvironment(env: Readonly<Record<string, string | undefined>>): VmSettings {
  const text = (name: string, otherwise?: string): string => {
    const value = env[name] ?? otherwise;
    if (value === undefined) throw invalid(`${name} is not set`);
    return value;
  };
  const number = (name: string, otherwise: string): number => {
    const value = Number(text(name, otherwise));
    if (!(value > 0)) throw invalid(`${name} is ${env[name]}, and a number above 0 is expected`);
    return value;
  };
  const settings = <T>(name: string, sections: Sections): Changed<T> | undefined =>
    env[name] === undefined ? undefined : parseSettings<T>(name, sections, env[name]);
  const optional = {
    collector: env['MMELIOT_COLLECTOR'] ? address('MMELIOT_COLLECTOR', env['MMELIOT_COLLECTOR']) : undefined,
    readUrl: env['MMELIOT_REPOSITORY_READ_URL'] || undefined,
    identity: env[IDENTITY] ? vmIdentity(env[IDENTITY]) : undefined,
    keyFile: env['MMELIOT_KEY_FILE'] || undefined,
    parent: env['MMELIOT_PARENT'] || undefined,
    addressFile: env['MMELIOT_ADDRESS_FILE'],
    poolSize:
      env['MMELIOT_REPOSITORY_POOL_SIZE'] === undefined ? undefined : number('MMELIOT_REPOSITORY_POOL_SIZE', ''),
    metadata: env['MMELIOT_METADATA'] || undefined,
    noticeEvery: env['MMELIOT_NOTICE_EVERY'] === undefined ? undefined : number('MMELIOT_NOTICE_EVERY', ''),
    role: env['MMELIOT_ROLE'] ? role(env['MMELIOT_ROLE']) : undefined,
    epcis: settings<EpcisSettings>('MMELIOT_EPCIS', epcisSettings),
    tracing: settings<TracingSettings>('MMELIOT_TRACING', tracingSettings),
    cpu: env['MMELIOT_CPU'] === undefined ? undefined : number('MMELIOT_CPU', ''),
  };
  return {
    id: text('MMELIOT_VM_ID', env['MMELIOT_METADATA'] ? '' : undefined),
    group: text('MMELIOT_GROUP', 'mmeliot'),
    secret: text('MMELIOT_SECRET', ''),
    reportEvery: number('MMELIOT_REPORT_EVERY', '10000'),
    repositoryUrl: text('MMELIOT_REPOSITORY_URL'),
    listen: listenOf(env),
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as typeof optional),
  };
}

/** Where a VM, or a node, listens. */
export const listenOf = (env: Readonly<Record<string, string | undefined>>): Address =>
  address('MMELIOT_LISTEN', env['MMELIOT_LISTEN'] ?? '[::]:8080');

function address(name: string, text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw invalid(`${name} is "${text}", and host:port is expected`);
  return parsed;
}

function role(text: string): Role {
  if (text === 'query' || text === 'work') return text;
  throw invalid(`MMELIOT_ROLE is "${text}", and query or work is expected`);
}

function parseSettings<T>(name: string, sections: Sections, text: string): Changed<T> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw invalid(`${name} is no JSON`);
  }
  const { settings, refused } = checked<T>(sections, given);
  if (refused !== undefined) throw invalid(`${name}: ${refused}`);
  return settings;
}

const invalid = (what: string): MmeliotError =>
  new MmeliotError(
    'CONFIG_INVALID',
    `${what}: a VM is told who it is by its environment (opennebula/README.md lists the variables).`,
  );
