// The call that launches an instance: once a token, and what it uses of the account's.
import type { Cloud, Instance } from './cloud.ts';
import type { Use } from './policy.ts';
import type { Parameters } from './query.ts';
import { Refusal } from './refusal.ts';
import { describedInstance } from './shown.ts';
import type { Members } from './xml.ts';

export function runInstances(cloud: Cloud, parameters: Parameters): Members {
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
/** What all images here are for. */
const IMAGES = 'x86_64';
const fingerprints = new WeakMap<Instance, string>();

const ofToken = ({ instances }: Cloud, token: string | undefined): Instance | undefined =>
  token === undefined ? undefined : [...instances.values()].find(({ clientToken }) => clientToken === token);

function wanted({ inventory }: Cloud, parameters: Parameters) {
  const named = parameters.structure('LaunchTemplate');
  const template = inventory.template(named.get('LaunchTemplateId'), named.get('LaunchTemplateName'));
  const type = inventory.type(parameters.get('InstanceType') ?? template.instanceType ?? 'm3.medium');
  if (type.architecture !== IMAGES)
    throw new Refusal(
      'InvalidParameterValue',
      `The architecture '${type.architecture}' of the specified instance type does not match the architecture '${IMAGES}' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again.`,
    );
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

export function usesOfRun(cloud: Cloud, parameters: Parameters): readonly Omit<Use, 'action'>[] {
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

export const tagsIn = (parameters: Parameters): readonly (readonly [string, string])[] =>
  parameters.structures('Tag').map((tag) => [tag.need('Key'), tag.get('Value') ?? '']);

const requestTags = (parameters: Parameters): readonly (readonly [string, string])[] =>
  parameters
    .structures('TagSpecification')
    .filter((specification) => specification.get('ResourceType') === 'instance')
    .flatMap(tagsIn);
