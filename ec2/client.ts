// EC2 by AWS's own SDK: logins, regions, endpoints, signatures and retries are its business. It is large (43 MB), so it is
// installed by who chooses this provider, and loaded with the first call.
import type * as Sdk from '@aws-sdk/client-ec2';
import { MmeliotError } from '../src/errors.ts';
import type { Millis } from '../src/model.ts';
import type { Ec2Instance } from './documents/instance.ts';
import { ec2Error } from './error.ts';
import { onlyWholeAnswers } from './whole-answers.ts';

export interface ClientOptions {
  /** Empty: as the SDK finds it (AWS_REGION, the profile). */
  readonly region?: string;
  /** Another EC2 than the region's own. */
  readonly endpoint?: string;
  /** Of one call, before it is tried again. Default 10 s. */
  readonly timeoutMs?: Millis;
  /** Larger answers are refused (a page of 1,000 instances is some 6 MB). Default 64 MiB. */
  readonly maxAnswerBytes?: number;
}

export interface Subnet {
  readonly id: string;
  readonly zone: string;
  readonly free: number;
}

export interface InstanceType {
  readonly name: string;
  readonly vcpu: number;
  readonly memoryBytes: number;
  readonly architecture: string;
}

export interface Order {
  readonly template: string;
  readonly type: string;
  readonly subnet: string;
  /** Of an interruptible one; `maxPrice` undefined: up to the on-demand price. */
  readonly spot?: { readonly maxPrice: number | undefined };
  readonly userData: string;
  readonly tags: Readonly<Record<string, string>>;
}

export type Ec2Client = ReturnType<typeof createClient>;

const PACKAGE = '@aws-sdk/client-ec2';
/** An answer in more pages than that never ends. */
const MOST_PAGES = 100;

export function createClient({ region, endpoint, timeoutMs = 10_000, maxAnswerBytes = 64 * 2 ** 20 }: ClientOptions) {
  assertInstalled();
  const closing = new AbortController();
  /** Of each call: what is closed asks no more, also not again, and keeps nobody from ending. */
  const until = { abortSignal: closing.signal };
  let opened: Promise<{ readonly sdk: typeof Sdk; readonly client: Sdk.EC2Client }> | undefined;
  const open = async () => {
    const sdk = await import('@aws-sdk/client-ec2');
    const client = new sdk.EC2Client({
      ...(region && { region }),
      ...(endpoint && { endpoint }),
      maxAttempts: 4,
      requestHandler: { connectionTimeout: 3_000, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
    });
    const wholeOnly = onlyWholeAnswers({ timeoutMs, maxBytes: maxAnswerBytes });
    client.middlewareStack.add(wholeOnly, { step: 'deserialize', priority: 'low', name: 'onlyWholeAnswers' });
    return { sdk, client };
  };

  async function call<T>(action: string, work: (client: Sdk.EC2Client, sdk: typeof Sdk) => Promise<T>): Promise<T> {
    try {
      const { sdk, client } = await (opened ??= open());
      return await work(client, sdk);
    } catch (error) {
      throw ec2Error(action, error);
    }
  }

  return {
    instances: (tags: Readonly<Record<string, string>>): Promise<readonly Ec2Instance[]> =>
      call('DescribeInstances', async (client, { paginateDescribeInstances }) => {
        const Filters = Object.entries(tags).map(([name, value]) => ({ Name: `tag:${name}`, Values: [value] }));
        const found: Ec2Instance[] = [];
        const pages = paginateDescribeInstances({ client, pageSize: 1000 }, { Filters }, until);
        for await (const { Reservations = [] } of few(pages))
          for (const { Instances = [] } of Reservations) found.push(...Instances.map(readInstance));
        return found;
      }),

    /** `token`: the same one never makes a second instance, where EC2 honours it. */
    run: (order: Order, token: string): Promise<Ec2Instance> =>
      call('RunInstances', async (client, { RunInstancesCommand }) => {
        const { Instances: [instance] = [] } = await client.send(new RunInstancesCommand(input(order, token)), until);
        if (instance === undefined) throw new Error('the answer names no instance');
        return readInstance(instance);
      }),

    terminate: (id: string): Promise<void> =>
      call('TerminateInstances', async (client, { TerminateInstancesCommand }) => {
        await client.send(new TerminateInstancesCommand({ InstanceIds: [id] }), until);
      }),

    /** Status and its time of all that are active, by their id: to ask by id fails as a whole while one isn't known everywhere. */
    spotRequests: (): Promise<ReadonlyMap<string, { readonly status: string; readonly at: Millis }>> =>
      call('DescribeSpotInstanceRequests', async (client, { paginateDescribeSpotInstanceRequests }) => {
        const found = new Map<string, { readonly status: string; readonly at: Millis }>();
        const Filters = [{ Name: 'state', Values: ['active'] }];
        const pages = paginateDescribeSpotInstanceRequests({ client, pageSize: 1000 }, { Filters }, until);
        for await (const { SpotInstanceRequests = [] } of few(pages))
          for (const { SpotInstanceRequestId = '', Status } of SpotInstanceRequests)
            found.set(SpotInstanceRequestId, { status: Status?.Code ?? '', at: Status?.UpdateTime?.getTime() ?? 0 });
        return found;
      }),

    /** The price of each pool, `zone/type`, as of `at`. */
    spotPrices: (types: readonly string[], at: Millis): Promise<ReadonlyMap<string, number>> =>
      call('DescribeSpotPriceHistory', async (client, { paginateDescribeSpotPriceHistory }) => {
        const newest = new Map<string, { readonly at: number; readonly price: number }>();
        const asked = {
          InstanceTypes: types as Sdk._InstanceType[],
          ProductDescriptions: ['Linux/UNIX'],
          StartTime: new Date(at),
        };
        const pages = paginateDescribeSpotPriceHistory({ client, pageSize: 1000 }, asked, until);
        for await (const { SpotPriceHistory = [] } of few(pages))
          for (const { AvailabilityZone, InstanceType, SpotPrice, Timestamp } of SpotPriceHistory) {
            const pool = `${AvailabilityZone}/${InstanceType}`;
            const since = Timestamp?.getTime() ?? 0;
            const price = Number(SpotPrice);
            // nobody gives VMs away: a price that is missing is not 0
            if (!(price > 0 && price < Infinity)) continue;
            if (since >= (newest.get(pool)?.at ?? 0)) newest.set(pool, { at: since, price });
          }
        return new Map([...newest].map(([pool, { price }]) => [pool, price]));
      }),

    /** Those named; without names the default ones of the region. */
    subnets: (ids: readonly string[]): Promise<readonly Subnet[]> =>
      call('DescribeSubnets', async (client, { DescribeSubnetsCommand }) => {
        const Filters = [{ Name: 'default-for-az', Values: ['true'] }];
        const asked = new DescribeSubnetsCommand(ids.length === 0 ? { Filters } : { SubnetIds: [...ids] });
        const { Subnets = [] } = await client.send(asked, until);
        return Subnets.map(({ SubnetId = '', AvailabilityZone = '', AvailableIpAddressCount = 0 }) => ({
          id: SubnetId,
          zone: AvailabilityZone,
          free: AvailableIpAddressCount,
        }));
      }),

    types: (names: readonly string[]): Promise<readonly InstanceType[]> =>
      call('DescribeInstanceTypes', async (client, { DescribeInstanceTypesCommand }) => {
        const asked = new DescribeInstanceTypesCommand({ InstanceTypes: names as Sdk._InstanceType[] });
        const { InstanceTypes = [] } = await client.send(asked, until);
        return InstanceTypes.map(({ InstanceType = '', VCpuInfo, MemoryInfo, ProcessorInfo }) => ({
          name: InstanceType,
          vcpu: VCpuInfo?.DefaultVCpus ?? 1,
          memoryBytes: (MemoryInfo?.SizeInMiB ?? 0) * 2 ** 20,
          architecture: ProcessorInfo?.SupportedArchitectures?.findLast((each) => each !== 'i386') ?? 'x86_64',
        }));
      }),

    /** The type that the template's instances have. */
    templateType: (template: string): Promise<string | undefined> =>
      call('DescribeLaunchTemplateVersions', async (client, { DescribeLaunchTemplateVersionsCommand }) => {
        const asked = new DescribeLaunchTemplateVersionsCommand({ ...templateOf(template), Versions: ['$Default'] });
        const { LaunchTemplateVersions: [version] = [] } = await client.send(asked, until);
        return version?.LaunchTemplateData?.InstanceType;
      }),

    async close(): Promise<void> {
      closing.abort();
      (await opened?.catch(() => undefined))?.client.destroy();
    },
  };
}

async function* few<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  for await (const page of pages) {
    if (++count > MOST_PAGES) throw new Error(`the answer has more than ${MOST_PAGES} pages`);
    yield page;
  }
}

function assertInstalled(): void {
  try {
    import.meta.resolve(PACKAGE);
  } catch (error) {
    throw new MmeliotError(
      'CONFIG_INVALID',
      `provider is ec2: install AWS's SDK beside mmeliot, as mmeliot itself was (npm install ${PACKAGE}, with --global where mmeliot is).`,
      { cause: error },
    );
  }
}

/** lt-0123…: an id; anything else is a name. */
const templateOf = (template: string): Sdk.LaunchTemplateSpecification =>
  /^lt-[0-9a-f]{8,}$/.test(template) ? { LaunchTemplateId: template } : { LaunchTemplateName: template };

const input = (
  { template, type, subnet, spot, userData, tags }: Order,
  token: string,
): Sdk.RunInstancesCommandInput => ({
  MinCount: 1,
  MaxCount: 1,
  ClientToken: token,
  LaunchTemplate: templateOf(template),
  InstanceType: type as Sdk._InstanceType,
  SubnetId: subnet,
  UserData: Buffer.from(userData, 'utf8').toString('base64'),
  InstanceInitiatedShutdownBehavior: 'terminate',
  TagSpecifications: [{ ResourceType: 'instance', Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) }],
  ...(spot && {
    InstanceMarketOptions: {
      MarketType: 'spot',
      SpotOptions: {
        SpotInstanceType: 'one-time',
        InstanceInterruptionBehavior: 'terminate',
        ...(spot.maxPrice !== undefined && { MaxPrice: String(spot.maxPrice) }),
      },
    },
  }),
});

const readInstance = (instance: Sdk.Instance): Ec2Instance => {
  const { PrivateIpAddress, PublicIpAddress, InstanceLifecycle, SpotInstanceRequestId, StateReason } = instance;
  return {
    id: instance.InstanceId ?? '',
    state: instance.State?.Name ?? 'pending',
    type: instance.InstanceType ?? '',
    zone: instance.Placement?.AvailabilityZone ?? '',
    launchedAt: instance.LaunchTime?.getTime() ?? 0,
    ...(PrivateIpAddress && { privateAddress: PrivateIpAddress }),
    ...(PublicIpAddress && { publicAddress: PublicIpAddress }),
    ...(InstanceLifecycle === 'spot' && { spotRequest: SpotInstanceRequestId ?? '' }),
    ...(StateReason?.Code && { reason: { code: StateReason.Code, message: StateReason.Message ?? '' } }),
    tags: new Map((instance.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value])),
  };
};
