// What Describe calls tell of instances, spot requests and prices.
import { STATES, type Cloud, type Instance } from './cloud.ts';
import { filtered, type Parameters } from './query.ts';
import { Refusal } from './refusal.ts';
import type { Members } from './xml.ts';

export function found(cloud: Cloud, ids: readonly string[]): readonly Instance[] {
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

export function shownInstances(cloud: Cloud, parameters: Parameters): readonly Instance[] {
  const ids = parameters.list('InstanceId');
  const all = ids.length === 0 ? cloud.visible : found(cloud, ids);
  return filtered(all, parameters, (instance, name) => {
    if (name.startsWith('tag:')) return [instance.tags.get(name.slice(4))].filter((value) => value !== undefined);
    if (name === 'instance-state-name') return [instance.state];
    return name === 'client-token' ? [instance.clientToken ?? ''] : undefined;
  });
}

export const stateOf = ({ state }: Instance): Members => ({ code: STATES[state], name: state });

export function describedInstance(instance: Instance): Members {
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

export function spotRequests(cloud: Cloud, parameters: Parameters): readonly Members[] {
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
export function spotPrices(cloud: Cloud, parameters: Parameters): readonly Members[] {
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
