// One provider on one emulated cloud, and what tests look for in its list.
import { expect } from 'chai';
import type { OpenNebulaOptions, OpenNebulaProvider } from '../../opennebula/provider.ts';
import type { ProvidedVm } from '../../src/act/provider.ts';
import { MmeliotError } from '../../src/errors.ts';
import { until } from '../helpers/until.ts';
import { LOGIN, openCloud, type Cloud } from './emulated.ts';

export class Scene {
  readonly cloud: Cloud;
  provider: OpenNebulaProvider;

  constructor(cloud: Cloud, provider: OpenNebulaProvider) {
    this.cloud = cloud;
    this.provider = provider;
  }

  async find(id: string): Promise<ProvidedVm | undefined> {
    return (await this.provider.list()).find((vm) => vm.id === id);
  }

  inState(id: string, state: ProvidedVm['state']): Promise<ProvidedVm> {
    return until(`VM ${id} is ${state}`, async () => {
      const vm = await this.find(id);
      return vm?.state === state ? vm : undefined;
    });
  }

  gone(id: string): Promise<unknown> {
    return until(`VM ${id} is gone`, async () => (await this.find(id)) === undefined);
  }

  noted(id: string, words: string): Promise<ProvidedVm> {
    return until(`VM ${id} is said to "${words}"`, async () => {
      const vm = await this.find(id);
      return vm?.note?.includes(words) ? vm : undefined;
    });
  }

  /** Allocates a VM and waits until it runs. */
  async running(mark = 'a'): Promise<string> {
    return (await this.inState(await this.provider.allocate({ mark }), 'running')).id;
  }

  count(method: string): number {
    return this.cloud.calls.filter((call) => call === method).length;
  }
}

export async function openScene(
  options: Partial<OpenNebulaOptions> = {},
  emulator: Parameters<typeof openCloud>[0] = {},
): Promise<Scene> {
  const cloud = await openCloud(emulator);
  return new Scene(cloud, cloud.provider(options));
}

/** The error that it ends with: one of ours, without the password. */
export async function refused(work: Promise<unknown>): Promise<MmeliotError> {
  const error = await work.then(
    () => expect.fail('it worked'),
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(MmeliotError);
  expect((error as Error).message).not.to.include(LOGIN.password);
  return error as MmeliotError;
}
