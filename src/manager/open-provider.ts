// Where VMs come from: the provider that the configuration names.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOpenNebulaProvider } from '../../opennebula/provider.ts';
import { LocalProvider } from '../act/local/local-provider.ts';
import type { Provider } from '../act/provider.ts';
import type { Config } from '../config/schema.ts';
import type { Address } from '../model.ts';
import { showAddress } from '../settings/address.ts';
import type { DataFolder } from './data-folder.ts';
import { repositoryUrls } from './repository-urls.ts';
import { toEnvironment, type VmSettings } from './vm-environment.ts';
import { vmProgram } from './vm-program.ts';

export interface OpenedProvider {
  readonly provider: Provider;
  /** What the operator should know of it from the start. */
  readonly notices: readonly string[];
  /** Asks for the release of every VM of the group, and waits for the end of it. */
  releaseAll(): Promise<void>;
  close(): Promise<void>;
}

/** What every VM of the fleet is told, wherever it runs. */
type Common = Omit<VmSettings, 'id' | 'listen'>;

export function openProvider(config: Config, folder: DataFolder, collector: Address, secret: string): OpenedProvider {
  const common: Common = {
    group: config.group,
    secret,
    reportEvery: config.elasticity.period,
    ...repositoryUrls(config, folder),
    collector,
    poolSize: config.repository.poolSize,
    epcis: config.epcis,
  };
  return PROVIDERS[config.provider](config, folder, common);
}

type Open = (config: Config, folder: DataFolder, common: Common) => OpenedProvider;

/** Another cloud is a line here. */
const PROVIDERS: Readonly<Record<Config['provider'], Open>> = {
  local: openLocal,
  opennebula: (config, _folder, common) => openCloud(config, common),
};

function openLocal(config: Config, folder: DataFolder, common: Common): OpenedProvider {
  const provider = localProvider(config, folder, common);
  return {
    provider,
    notices: provider.quotaKind === 'signals' ? [SIGNALS_NOTICE] : [],
    async releaseAll() {
      for (const { id } of await provider.list()) await provider.release(id);
      await provider.settled();
    },
    close: () => provider.close(),
  };
}

const SIGNALS_NOTICE =
  'No cgroup may be written here: VMs are held to their CPU quota by stopping and continuing them, which is coarser.';

function localProvider(config: Config, folder: DataFolder, common: Common): LocalProvider {
  return new LocalProvider({
    folder: folder.file('vms'),
    // the same after a crash, so that the cgroups of VMs that are taken over are found again
    name: `mmeliot-${createHash('sha256').update(folder.path).digest('hex').slice(0, 12)}`,
    ...config.local,
    command: ({ id, addressFile, cpu }) =>
      vmProgram(folder, toEnvironment({ ...common, id, listen: { host: '127.0.0.1', port: 0 }, addressFile, cpu })),
  });
}

const RELEASED_MS = 120_000;

function openCloud({ opennebula, group, collector }: Config, common: Common): OpenedProvider {
  const { url, user, password, template, nic, port, boot, placement } = opennebula;
  const environment = toEnvironment({ ...common, id: '', listen: { host: '0.0.0.0', port } });
  const context = Object.fromEntries(Object.entries(environment).filter(([name]) => !SET_BY_PROVIDER.has(name)));
  context['MMELIOT_COLLECTOR'] =
    opennebula.collector || showAddress({ host: collector.host, port: common.collector?.port ?? collector.port });
  const provider = createOpenNebulaProvider(
    { url, user, password, template, nic, port, group, context, bootMs: boot, placementMs: placement },
    { now: Date.now, sleep: (ms) => sleep(ms) },
  );
  return {
    provider,
    notices: [],
    async releaseAll() {
      const deadline = Date.now() + RELEASED_MS;
      for (const { id } of await provider.list()) await provider.release(id);
      while ((await provider.list()).length > 0 && Date.now() < deadline) await sleep(1_000);
    },
    close: () => provider.close(),
  };
}

const SET_BY_PROVIDER = new Set(['MMELIOT_VM_ID', 'MMELIOT_GROUP', 'MMELIOT_LISTEN']);
