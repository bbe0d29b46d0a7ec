import { isLoopback } from '../admin/protect.ts';
import { GATEWAY_DEFAULTS, type GatewayOptions } from '../balance/core/options.ts';
import type { Config } from '../config/schema.ts';

/** The VM's readiness check: answered 200 only when the repository answers it. */
export const READY_PATH = '/ready';

/** What is configured, over the defaults of what isn't for people to set. */
export function gatewayOptions({ gateway }: Config): GatewayOptions {
  const { queue, health, retry, limits, timeouts, nameVm, ...rest } = gateway;
  return {
    ...GATEWAY_DEFAULTS,
    ...rest,
    nameVm: nameVm === 'auto' ? isLoopback(gateway.host) : nameVm === 'always',
    queue: {
      capacity: queue.capacity,
      deadlineMs: queue.deadline,
      promoteAfterMs: queue.promoteAfter,
      classes: queue.classes,
    },
    health: {
      ...GATEWAY_DEFAULTS.health,
      path: READY_PATH,
      intervalMs: health.interval,
      timeoutMs: health.timeout,
      fall: health.fall,
      slowStartMs: health.slowStart,
    },
    retry: { ...GATEWAY_DEFAULTS.retry, ...retry },
    limits: { bodyBytes: limits.body },
    timeouts: {
      connectMs: timeouts.connect,
      responseMs: timeouts.response,
      uploadIdleMs: timeouts.uploadIdle,
      keepAliveMs: timeouts.keepAlive,
      closeMs: timeouts.close,
    },
  };
}
