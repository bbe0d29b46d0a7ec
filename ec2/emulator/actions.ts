// The calls that the emulated EC2 answers: what each uses, for the policy, and what it does.
import { randomUUID } from 'node:crypto';
import type { Cloud, Instance } from './cloud.ts';
import type { LaunchTemplate, Subnet } from './inventory.ts';
import type { Use } from './policy.ts';
import { filtered, type Parameters } from './query.ts';
import { Refusal } from './refusal.ts';
import { runInstances, tagsIn, usesOfRun } from './run-instances.ts';
import { describedInstance, found, shownInstances, spotPrices, spotRequests, stateOf } from './shown.ts';
import type { Members } from './xml.ts';

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

const useOfInstance = ({ id, tags }: Instance): Omit<Use, 'action'> => ({
  resource: `instance/${id}`,
  context: Object.fromEntries([...tags].map(([key, value]) => [`aws:ResourceTag/${key}`, value])),
});

const named = (cloud: Cloud, parameters: Parameters): readonly Instance[] =>
  found(cloud, parameters.list('InstanceId'));
const tagged = (cloud: Cloud, parameters: Parameters): readonly Instance[] =>
  found(cloud, parameters.list('ResourceId'));

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
