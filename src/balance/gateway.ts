// The gateway's one entry: starts the data plane that the options name.
import { startBuiltInGateway } from './builtin/gateway.ts';
import type { Gateway, GatewayDeps } from './core/contract.ts';
import type { GatewayOptions } from './core/options.ts';
import { startHaproxyGateway } from './haproxy/haproxy.ts';

export function startGateway(options: GatewayOptions, deps: GatewayDeps): Promise<Gateway> {
  return options.dataPlane === 'haproxy' ? startHaproxyGateway(options, deps) : startBuiltInGateway(options, deps);
}
