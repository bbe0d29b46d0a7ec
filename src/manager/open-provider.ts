// Where VMs come from: the provider that the configuration names.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removalCommands } from '../../opennebula/documents/removal.ts';
import { contextOfFleet } from '../../opennebula/fleet-secret.ts';
import { parseOffer } from '../../opennebula/offers.ts';
import { createEc2Provider } from '../../ec2/provider.ts';
import { createOpenNebulaProvider } from '../../opennebula/provider.ts';
import { discreet, discreetly } from '../act/discreet.ts';
import { localMarket } from '../act/local/market-file.ts';
import { LocalProvider } from '../act/local/local-provider.ts';
import type { Provider } from '../act/provider.ts';
import type { Remains } from '../act/release-all.ts';
import { offersOf } from '../act/toy-market.ts';
import { clientsAreKnown } from '../access/options.ts';
import { messageOf, MmeliotError } from '../errors.ts';
import type { Config } from '../config/schema.ts';
import { secretsIn } from '../config/secrets.ts';
import type { Address, Millis, Offer } from '../model.ts';
import { createSecrets, type Secrets } from '../secrets.ts';
import { showAddress } from '../../epcis/domain/address.ts';
import type { DataFolder } from './data-folder.ts';
import type { GroupSecret } from './group-secret.ts';
import { workerOffers } from '../packing/offers.ts';
import { isPacked, sizeOf } from '../packing/settings.ts';
import { releaseAll, type Leaving, type ReleaseClock } from '../act/release-all.ts';
import { ec2Options, METADATA } from './ec2-options.ts';
import { loginToken } from './login-token.ts';
import { NODE } from './node-environment.ts';
import { openPacking, type Packing } from './open-packing.ts';
import { withOwnKeys, type OwnKeys } from './own-keys.ts';
import { openPackingFile, PACKING_FILE } from './packing-file.ts';
import { repositoryUrls } from './repository-urls.ts';
import { toEnvironment, type VmSettings } from './vm-environment.ts';
import { vmProgram } from './vm-program.ts';

export interface OpenedProvider {
  readonly provider: Provider;
  /** What the operator should know of it from the start. */
  readonly notices: readonly string[];
  /** How these VMs are removed without mmeliot, where that is for people to do. */
  readonly byHand?: (vms: Remains['vms']) => string;
  /** What a VM (by id) signs its reports with; undefined: the group's secret. */
  readonly keysOf?: OwnKeys['keysOf'];
  /** Where VMs are workers on nodes. */
  readonly packing?: Packing;
  close(): Promise<void>;
}

/** What every VM of the fleet is told, wherever it runs. */
type Common = Omit<VmSettings, 'id' | 'listen'>;

export async function openProvider(
  config: Config,
  folder: DataFolder,
  collector: Address,
  secret: GroupSecret,
): Promise<OpenedProvider> {
  const opened = openMachines(config, folder, collector, secret);
  // also where it doesn't matter: what is kept and cannot be read refuses the start, not each look at the VMs and each release
  const wasPacked = await hasNodes(folder);
  if (!isPacked(config.packing) && !wasPacked) return opened;
  const told = workerEnvironment(config, commonOf(config, folder, collector, secret));
  const packing = await openPacking(config, folder, secret.oldest(), opened.provider, told);
  return {
    ...{ ...opened, provider: packing.provider, packing },
    keysOf: (vm) => packing.keysOf(vm) ?? opened.keysOf?.(vm),
    ...(opened.byHand && { byHand: () => opened.byHand?.(packing.nodes()) ?? '' }),
    async close() {
      await packing.close();
      await opened.close();
    },
  };
}

/** There was packing, and it is to be ended. */
const hasNodes = async (folder: DataFolder): Promise<boolean> =>
  ((await openPackingFile(folder.file(PACKING_FILE)).load())?.nodes.size ?? 0) > 0;

/** What the configuration names: VMs, or the nodes that carry them. */
function openMachines(config: Config, folder: DataFolder, collector: Address, secret: GroupSecret): OpenedProvider {
  const secrets = createSecrets(...secret.all(), ...secretsIn(config));
  const isTold = !haveOwnKeys(config);
  const common = commonOf(config, folder, collector, isTold ? secret : NO_SECRET);
  const opened = PROVIDERS[config.provider](config, folder, common, secrets);
  const provider = discreet(opened.provider, secrets);
  return isTold ? { ...opened, provider } : { ...opened, ...withOwnKeys(provider, secret) };
}

/**
 * Whether VMs are told a key of their own in place of the group's secret. VMs of this machine could read that all the same, and from
 * OpenNebula's a manager that has lost it learns it again, unless the configuration has it.
 */
const haveOwnKeys = ({ provider, collector }: Config): boolean =>
  provider === 'ec2' || (provider === 'opennebula' && collector.secret !== '');

/** What a worker is told, wherever its node runs: all that other VMs are, but for the group's secret. */
function workerEnvironment(config: Config, common: Common): Readonly<Record<string, string>> {
  if (config.provider !== 'local') {
    const cloud = { ...config[config.provider], port: 0 };
    return {
      ...environmentInCloud(config, { ...common, secret: '' }, cloud),
      MMELIOT_LISTEN: '[::]:0',
      MMELIOT_GROUP: config.group,
    };
  }
  return toEnvironment({ ...common, secret: '', id: '', listen: { host: config.local.host, port: 0 } });
}

function commonOf(config: Config, folder: DataFolder, collector: Address, secret: GroupSecret): Common {
  return {
    group: config.group,
    get secret() {
      return secret.newest();
    },
    reportEvery: config.elasticity.period,
    ...repositoryUrls(config, folder),
    collector,
    poolSize: config.repository.poolSize,
    epcis: { ...config.epcis, access: clientsAreKnown(config) },
    tracing: config.tracing,
  };
}

/**
 * The group's secret as VMs know it that run already; undefined where there are none. Local VMs keep theirs in the data
 * folder, and are lost with it.
 */
export async function secretOfFleet(config: Config): Promise<string | undefined> {
  if (config.provider !== 'opennebula') return undefined;
  const { url, user } = config.opennebula;
  const secrets = createSecrets(...secretsIn(config));
  const password = loginToken(config.opennebula, secrets);
  try {
    const login = { url, user, password, group: config.group };
    return await discreetly(contextOfFleet(login, 'MMELIOT_SECRET'), secrets);
  } catch (error) {
    const why = messageOf(error);
    const what = `${config.dataDir} holds no secret of the group, and VMs that may be there can't be asked for theirs: ${why}`;
    throw new MmeliotError('PROVIDER_FAILED', `${what} Start it when OpenNebula answers, or set collector.secret.`);
  }
}

/** What the configured provider offers now. Nothing is opened that a running manager has open as well. */
export async function askOffers(config: Config, path: string): Promise<readonly Offer[]> {
  const machines = await askMachines(config, path);
  return isPacked(config.packing) ? workerOffers(machines, sizeOf(config.packing, undefined)) : machines;
}

async function askMachines(config: Config, path: string): Promise<readonly Offer[]> {
  if (config.provider === 'local') return offersOf(await localMarket(config.local.market, config.local.cpu));
  const folder: DataFolder = { path, file: (name) => join(path, name), unlock: () => undefined };
  const opened = openMachines(config, folder, config.collector, NO_SECRET);
  try {
    return await opened.provider.offers();
  } finally {
    await opened.close();
  }
}

/** The end of a fleet: its VMs, and when those are gone the nodes that carried them. */
export async function releaseFleet(
  { provider, packing }: Pick<OpenedProvider, 'provider' | 'packing'>,
  withinMs: Millis,
  clock: ReleaseClock,
  leaving: Leaving,
): Promise<Remains> {
  const deadline = clock.now() + withinMs;
  const remains = await releaseAll(provider, withinMs, clock, leaving);
  while (packing !== undefined) {
    const left = await packing.provider.giveBackNodes().catch(() => undefined);
    if (left?.length === 0 || remains.kept.length > 0 || remains.vms.length > 0) break;
    if (clock.now() >= deadline)
      return { ...remains, vms: (left ?? []).map((id) => ({ id, why: 'its provider still lists this node' })) };
    await clock.sleep(NODES_LOOK_MS);
  }
  return remains;
}
const NODES_LOOK_MS = 500;

/** Of who only looks what there is. */
const NO_SECRET: GroupSecret = { all: () => [], newest: () => '', oldest: () => '', close: () => undefined };

type Open = (config: Config, folder: DataFolder, common: Common, secrets: Secrets) => OpenedProvider;

/** Another cloud is a line here. */
const PROVIDERS: Readonly<Record<Config['provider'], Open>> = {
  local: openLocal,
  opennebula: (config, _folder, common, secrets) => openOpenNebula(config, common, secrets),
  ec2: (config, _folder, common) => openEc2(config, common),
};

function openLocal(config: Config, folder: DataFolder, common: Common): OpenedProvider {
  const provider = localProvider(config, folder, common);
  return {
    provider,
    notices: provider.quotaKind === 'signals' ? [SIGNALS_NOTICE] : [],
    async close() {
      await provider.settled();
      await provider.close();
    },
  };
}

const SIGNALS_NOTICE =
  'No cgroup may be written here: VMs are held to their CPU quota by stopping and continuing them, which is coarser.';

function localProvider(config: Config, folder: DataFolder, common: Common): LocalProvider {
  const provider: LocalProvider = new LocalProvider({
    folder: folder.file('vms'),
    // the same after a crash, so that the cgroups of VMs that are taken over are found again
    name: `mmeliot-${createHash('sha256').update(folder.path).digest('hex').slice(0, 12)}`,
    ...config.local,
    command({ id, addressFile, cpu, memoryBytes, role, environment }) {
      const listen = { host: config.local.host, port: 0 };
      const cache = folder.file('compile-cache');
      if (environment[NODE] !== undefined) {
        const where = { MMELIOT_LISTEN: showAddress(listen), MMELIOT_ADDRESS_FILE: addressFile };
        return vmProgram(cache, { ...environment, ...where }, undefined, 'node');
      }
      return vmProgram(
        cache,
        toEnvironment({
          ...common,
          id,
          listen,
          addressFile,
          cpu,
          ...(role && { role }),
          // only one process is held to its share by signals
          ...(provider.quotaKind === 'signals' && { epcis: { ...common.epcis, processes: 1 } }),
        }),
        memoryBytes,
      );
    },
  });
  return provider;
}

function openOpenNebula(config: Config, common: Common, secrets: Secrets): OpenedProvider {
  const { opennebula, group } = config;
  const password = loginToken(opennebula, secrets);
  const { url, user, role, template, nic, addresses, port, placement } = opennebula;
  // a node serves nobody: what workers are told comes with the order to start them
  const context = () => (isPacked(config.packing) ? {} : environmentInCloud(config, common, opennebula));
  const offers = opennebula.offers.map(parseOffer);
  const provider = createOpenNebulaProvider(
    {
      ...{ url, user, password, role, template, nic, addresses, port, group, placementMs: placement, offers },
      get context() {
        return context();
      },
    },
    { now: Date.now, sleep: (ms) => sleep(ms), learn: secrets.add },
  );
  return {
    provider,
    notices: [],
    byHand: removalCommands,
    close: () => provider.close(),
  };
}

function openEc2(config: Config, common: Common): OpenedProvider {
  const { noticeEvery } = config.ec2;
  const told = () => ({ ...common, metadata: METADATA, ...(noticeEvery > 0 && { noticeEvery }) });
  const provider = createEc2Provider(
    {
      ...ec2Options(config),
      group: config.group,
      get environment() {
        return isPacked(config.packing) ? {} : environmentInCloud(config, told(), config.ec2);
      },
    },
    Date.now,
  );
  return {
    provider,
    notices: [],
    byHand: (vms) => `aws ec2 terminate-instances --instance-ids ${vms.map(({ id }) => id).join(' ')}`,
    close: () => provider.close(),
  };
}

/** What a VM of a cloud is told by its provider, which adds who it is. */
function environmentInCloud(
  { collector }: Config,
  common: Common,
  cloud: { readonly port: number; readonly collector: string },
): Readonly<Record<string, string>> {
  const environment = toEnvironment({ ...common, id: '', listen: { host: '::', port: cloud.port } });
  const told = Object.fromEntries(Object.entries(environment).filter(([name]) => !SET_BY_PROVIDER.has(name)));
  const port = common.collector?.port ?? collector.port;
  return { ...told, MMELIOT_COLLECTOR: cloud.collector || showAddress({ host: collector.host, port }) };
}

const SET_BY_PROVIDER = new Set(['MMELIOT_VM_ID', 'MMELIOT_GROUP', 'MMELIOT_LISTEN']);
