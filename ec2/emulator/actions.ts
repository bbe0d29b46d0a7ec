// The calls that the emulated EC2 answers: what each uses, for the policy, and what it does.
import { randomUUID } from 'node:crypto';
import { STATES, type Cloud, type Instance } from './cloud.ts';
import type { LaunchTemplate, Subnet } from './inventory.ts';
import type { Use } from './policy.ts';
import { filtered, type Parameters } from './query.ts';
import { Refusal } from './refusal.ts';
import type { Answer } from './xml.ts';

type Members = { readonly [name: string]: Answer };

export interface Action {
  /** Without it: of everything, as Describe calls do. */
  readonly uses?: (cloud: Cloud, parameters: Parameters) => readonly Omit<Use, 'action'>[];
  readonly run: (cloud: Cloud, parameters: Parameters) => Members;
}

export const ACTIONS: Readonly<Record<string, Action>> = {
  RunInstances: { uses: usesOfRun, run: runInstances },
  TerminateInstances: {
    uses: (cloud, parameters) => named(cloud, parameters).map(useOfInstance),
    run: (cloud, parameters) => ({
      instancesSet: named(cloud, parameters).map((instance) => {
        const previousState = stateOf(instance);
        cloud.terminate(instance);
        return { instanceId: instance.id, currentState: stateOf(instance), previousState };
      }),
    }),
  },
  CreateTags: {
    uses: (cloud, parameters) => tagged(cloud, parameters).map(useOfInstance),
    run: (cloud, parameters) => {
      for (const instance of tagged(cloud, parameters))
        for (const [key, value] of tagsIn(parameters)) instance.tags.set(key, value);
      return { return: true };
    },
  },
  DescribeInstances: {
    run: (cloud, parameters) => ({
      reservationSet: shownInstances(cloud, parameters).map((instance) => ({
        reservationId: `r-${instance.id.slice(2)}`,
        ownerId: '123456789012',
        instancesSet: [describedInstance(instance)],
      })),
    }),
  },
  DescribeInstanceStatus: {
    run: (cloud, parameters) => ({
      instanceStatusSet: shownInstances(cloud, parameters)
        .filter(({ state }) => state === 'running')
        .map((instance) => ({
          instanceId: instance.id,
          availabilityZone: instance.subnet.zone,
          instanceState: stateOf(instance),
          systemStatus: { status: 'ok' },
          instanceStatus: { status: 'ok' },
        })),
    }),
  },
  DescribeSpotInstanceRequests: {
    run: (cloud, parameters) => ({
      spotInstanceRequestSet: spotRequests(cloud, parameters),
    }),
  },
  DescribeSpotPriceHistory: { run: (cloud, parameters) => ({ spotPriceHistorySet: spotPrices(cloud, parameters) }) },
  DescribeInstanceTypes: {
    run: ({ inventory }, parameters) => {
      const names = parameters.list('InstanceType');
      const shown = names.length === 0 ? [...inventory.types.values()] : names.map((name) => inventory.type(name));
      return {
        instanceTypeSet: shown.map(({ name, vcpu, memoryMiB, architecture }) => ({
          instanceType: name,
          supportedUsageClasses: ['on-demand', 'spot'],
          processorInfo: { supportedArchitectures: [architecture] },
          vCpuInfo: { defaultVCpus: vcpu },
          memoryInfo: { sizeInMiB: memoryMiB },
        })),
      };
    },
  },
  DescribeSubnets: {
    run: ({ inventory }, parameters) => {
      const ids = parameters.list('SubnetId');
      const all = ids.length === 0 ? [...inventory.subnets.values()] : ids.map((id) => inventory.subnet(id));
      const shown = filtered(all, parameters, (subnet, name) => SUBNET_FILTERS[name]?.(subnet));
      return {
        subnetSet: shown.map(({ id, zone, isDefault, free }) => ({
          subnetId: id,
          state: 'available',
          vpcId: 'vpc-00000000000000001',
          availabilityZone: zone,
          defaultForAz: isDefault,
          availableIpAddressCount: free,
        })),
      };
    },
  },
  DescribeLaunchTemplateVersions: {
    run: ({ inventory }, parameters) => {
      const template = inventory.template(parameters.get('LaunchTemplateId'), parameters.get('LaunchTemplateName'));
      const { id, name, imageId, instanceType, subnetId } = template;
      return {
        launchTemplateVersionSet: [
          {
            launchTemplateId: id,
            launchTemplateName: name,
            versionNumber: 1,
            defaultVersion: true,
            launchTemplateData: {
              imageId,
              instanceType,
              ...(subnetId !== undefined && { networkInterfaceSet: [{ deviceIndex: 0, subnetId }] }),
            },
          },
        ],
      };
    },
  },
  CreateLaunchTemplate: {
    run: ({ inventory }, parameters) => {
      const data = parameters.structure('LaunchTemplateData');
      const of = (member: string, name: string) => (data.get(name) === undefined ? {} : { [member]: data.get(name) });
      const template: LaunchTemplate = {
        id: newId('lt'),
        name: parameters.need('LaunchTemplateName'),
        imageId: data.need('ImageId'),
        ...of('instanceType', 'InstanceType'),
        ...of('userData', 'UserData'),
      };
      for (const group of data.list('SecurityGroupId')) known(inventory.groups, group, 'InvalidGroup.NotFound');
      inventory.addTemplate(template);
      return { launchTemplate: { launchTemplateId: template.id, launchTemplateName: template.name } };
    },
  },
  CreateSecurityGroup: {
    run: ({ inventory }, parameters) => {
      const group = { id: newId('sg'), name: parameters.need('GroupName'), ports: [] };
      inventory.groups.set(group.id, group);
      return { return: true, groupId: group.id };
    },
  },
  AuthorizeSecurityGroupIngress: {
    run: ({ inventory }, parameters) => {
      const group = known(inventory.groups, parameters.need('GroupId'), 'InvalidGroup.NotFound');
      const rules = [parameters, ...parameters.structures('IpPermissions')];
      group.ports.push(...rules.flatMap((rule) => rule.number('FromPort') ?? []));
      return { return: true };
    },
  },
};

function runInstances(cloud: Cloud, parameters: Parameters): Members {
  const { template, type, subnet } = wanted(cloud, parameters);
  const clientToken = parameters.get('ClientToken');
  const earlier = cloud.faults.noClientToken ? undefined : ofToken(cloud, clientToken);
  const fingerprint = parameters.fingerprint('ClientToken', 'Version', 'Action');
  if (earlier && fingerprints.get(earlier) !== fingerprint)
    throw new Refusal(
      'IdempotentParameterMismatch',
      'Arguments on this idempotent request are inconsistent with arguments used in previous request(s).',
    );
  const spot = parameters.structure('InstanceMarketOptions');
  const isSpot = spot.get('MarketType') === 'spot';
  const userData = Buffer.from(parameters.get('UserData') ?? template.userData ?? '', 'base64').toString('utf8');
  if (userData.length > MOST_USER_DATA)
    throw new Refusal('InvalidParameterValue', 'User data is limited to 16384 bytes');
  const instance =
    earlier ??
    cloud.launch({
      type,
      subnet,
      imageId: template.imageId,
      userData,
      clientToken,
      tags: new Map(requestTags(parameters)),
      maxPrice: isSpot ? (spot.structure('SpotOptions').number('MaxPrice') ?? type.onDemand) : undefined,
    });
  fingerprints.set(instance, fingerprint);
  return {
    reservationId: `r-${instance.id.slice(2)}`,
    ownerId: '123456789012',
    instancesSet: [describedInstance(instance)],
  };
}

const MOST_USER_DATA = 16_384;
const fingerprints = new WeakMap<Instance, string>();

const ofToken = ({ instances }: Cloud, token: string | undefined): Instance | undefined =>
  token === undefined ? undefined : [...instances.values()].find(({ clientToken }) => clientToken === token);

function wanted({ inventory }: Cloud, parameters: Parameters) {
  const named = parameters.structure('LaunchTemplate');
  const template = inventory.template(named.get('LaunchTemplateId'), named.get('LaunchTemplateName'));
  const type = inventory.type(parameters.get('InstanceType') ?? template.instanceType ?? 'm3.medium');
  const subnetId = parameters.get('SubnetId') ?? template.subnetId;
  const [first] = inventory.subnets.values();
  const subnet = subnetId === undefined ? first : inventory.subnet(subnetId);
  if (subnet === undefined) throw new Refusal('MissingInput', 'No subnets found for the default VPC.');
  if (subnet.free === 0)
    throw new Refusal(
      'InsufficientFreeAddressesInSubnet',
      `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
    );
  return { template, type, subnet };
}

function usesOfRun(cloud: Cloud, parameters: Parameters): readonly Omit<Use, 'action'>[] {
  const { template, subnet } = wanted(cloud, parameters);
  const spot = parameters.structure('InstanceMarketOptions').get('MarketType') === 'spot';
  const tags = Object.fromEntries(requestTags(parameters).map(([key, value]) => [`aws:RequestTag/${key}`, value]));
  return [
    { resource: 'instance/*', context: tags },
    { resource: `launch-template/${template.id}` },
    { resource: `image/${template.imageId}` },
    { resource: `subnet/${subnet.id}` },
    { resource: 'network-interface/*' },
    { resource: 'security-group/*' },
    { resource: 'volume/*' },
    ...(spot ? [{ resource: 'spot-instances-request/*' }] : []),
  ];
}

/** What tagging at the launch needs beside it. */
export const tagsAtLaunch = (parameters: Parameters): Use => ({
  action: 'ec2:CreateTags',
  resource: 'instance/*',
  context: {
    ...Object.fromEntries(requestTags(parameters).map(([key, value]) => [`aws:RequestTag/${key}`, value])),
    'ec2:CreateAction': 'RunInstances',
  },
});

const useOfInstance = ({ id, tags }: Instance): Omit<Use, 'action'> => ({
  resource: `instance/${id}`,
  context: Object.fromEntries([...tags].map(([key, value]) => [`aws:ResourceTag/${key}`, value])),
});

const tagsIn = (parameters: Parameters): readonly (readonly [string, string])[] =>
  parameters.structures('Tag').map((tag) => [tag.need('Key'), tag.get('Value') ?? '']);

const requestTags = (parameters: Parameters): readonly (readonly [string, string])[] =>
  parameters
    .structures('TagSpecification')
    .filter((specification) => specification.get('ResourceType') === 'instance')
    .flatMap(tagsIn);

const named = (cloud: Cloud, parameters: Parameters): readonly Instance[] =>
  found(cloud, parameters.list('InstanceId'));
const tagged = (cloud: Cloud, parameters: Parameters): readonly Instance[] =>
  found(cloud, parameters.list('ResourceId'));

function found(cloud: Cloud, ids: readonly string[]): readonly Instance[] {
  const malformed = ids.find((id) => !/^i-[0-9a-f]{8}([0-9a-f]{9})?$/.test(id));
  if (malformed !== undefined)
    throw new Refusal('InvalidInstanceID.Malformed', `Invalid id: "${malformed}" (expecting "i-...")`);
  const shown = new Map(cloud.visible.map((instance) => [instance.id, instance]));
  const missing = ids.filter((id) => !shown.has(id));
  if (missing.length > 0)
    throw new Refusal(
      'InvalidInstanceID.NotFound',
      `The instance ID${missing.length > 1 ? 's' : ''} '${missing.join(', ')}' do${missing.length > 1 ? '' : 'es'} not exist`,
    );
  return ids.flatMap((id) => shown.get(id) ?? []);
}

function shownInstances(cloud: Cloud, parameters: Parameters): readonly Instance[] {
  const ids = parameters.list('InstanceId');
  const all = ids.length === 0 ? cloud.visible : found(cloud, ids);
  return filtered(all, parameters, (instance, name) => {
    if (name.startsWith('tag:')) return [instance.tags.get(name.slice(4))].filter((value) => value !== undefined);
    if (name === 'instance-state-name') return [instance.state];
    return name === 'client-token' ? [instance.clientToken ?? ''] : undefined;
  });
}

const stateOf = ({ state }: Instance): Members => ({ code: STATES[state], name: state });

function describedInstance(instance: Instance): Members {
  const { id, type, subnet, imageId, launchedAt, spot, reason, tags, clientToken, state } = instance;
  return {
    instanceId: id,
    imageId,
    instanceState: stateOf(instance),
    instanceType: type.name,
    architecture: type.architecture,
    launchTime: new Date(launchedAt).toISOString(),
    placement: { availabilityZone: subnet.zone, tenancy: 'default' },
    subnetId: subnet.id,
    ...(state !== 'terminated' && { privateIpAddress: '127.0.0.1', ipAddress: '127.0.0.1' }),
    clientToken: clientToken ?? '',
    ...(spot && { instanceLifecycle: 'spot', spotInstanceRequestId: spot.request }),
    ...(reason && { stateReason: { code: reason.code, message: reason.message } }),
    tagSet: [...tags].map(([key, value]) => ({ key, value })),
  };
}

const requestState = ({ endedAt }: Instance): string => (endedAt === undefined ? 'active' : 'closed');

function spotRequests(cloud: Cloud, parameters: Parameters): readonly Members[] {
  const ids = parameters.list('SpotInstanceRequestId');
  const known = cloud.visible.filter(({ spot }) => spot !== undefined);
  const unknown = ids.find((id) => !known.some(({ spot }) => spot?.request === id));
  if (unknown !== undefined)
    throw new Refusal(
      'InvalidSpotInstanceRequestID.NotFound',
      `The spot instance request ID '${unknown}' does not exist`,
    );
  const shown = filtered(known, parameters, (instance, name) =>
    name === 'state' ? [requestState(instance)] : undefined,
  );
  return shown.flatMap((instance) => {
    const { spot, launchedAt, type } = instance;
    if (spot === undefined || (ids.length > 0 && !ids.includes(spot.request))) return [];
    const { code, at } = spot.status;
    return [
      {
        spotInstanceRequestId: spot.request,
        type: 'one-time',
        state: requestState(instance),
        status: { code, message: code, updateTime: new Date(at).toISOString() },
        spotPrice: String(spot.maxPrice),
        instanceId: instance.id,
        createTime: new Date(launchedAt).toISOString(),
        productDescription: 'Linux/UNIX',
        launchSpecification: { instanceType: type.name },
      },
    ];
  });
}

/** The price in effect in each pool. */
function spotPrices(cloud: Cloud, parameters: Parameters): readonly Members[] {
  const types = parameters.list('InstanceType').map((name) => cloud.inventory.type(name));
  const zones = new Set([...cloud.inventory.subnets.values()].map(({ zone }) => zone));
  const timestamp = new Date().toISOString();
  return (types.length === 0 ? [...cloud.inventory.types.values()] : types).flatMap((type) =>
    [...zones].map((availabilityZone) => ({
      instanceType: type.name,
      productDescription: 'Linux/UNIX',
      spotPrice: cloud.price(type, availabilityZone).toFixed(6),
      timestamp,
      availabilityZone,
    })),
  );
}

const SUBNET_FILTERS: Readonly<Record<string, (subnet: Subnet) => readonly string[]>> = {
  'default-for-az': ({ isDefault }) => [String(isDefault)],
  'availability-zone': ({ zone }) => [zone],
  'subnet-id': ({ id }) => [id],
};

function known<T>(store: ReadonlyMap<string, T>, id: string, code: string): T {
  const one = store.get(id);
  if (one === undefined) throw new Refusal(code, `'${id}' does not exist`);
  return one;
}

const newId = (kind: string): string => `${kind}-${randomUUID().replaceAll('-', '').slice(0, 17)}`;
