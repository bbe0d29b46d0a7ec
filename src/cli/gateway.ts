import { Command } from 'commander';
import { rememberingFleet } from '../balance/remote/fleet-file.ts';
import { secretsIn } from '../config/secrets.ts';
import { createLog } from '../telemetry/log.ts';
import { clientAccess } from '../manager/client-access.ts';
import { readKeys } from '../manager/key-store.ts';
import { exposedAmong } from '../manager/exposed-files.ts';
import { Closing } from '../manager/closing.ts';
import { openDataFolder } from '../manager/data-folder.ts';
import { openGroupSecret } from '../manager/group-secret.ts';
import { gatewayTracing, openControlServer, openGateway } from '../manager/open-gateway.ts';
import { secretOfFleet } from '../manager/open-provider.ts';
import { originsOf, withConfig, type ConfigOptions } from './shared/options.ts';
import { showAddress } from '../../epcis/domain/address.ts';
import { untilInterrupted } from './shared/signals.ts';

/** Beside another gateway on its port: clients that use a connection steadily are told to open another. */
const LAST_REQUESTS_MS = 500;

export function gatewayCommand(): Command {
  return withConfig(
    new Command('gateway').description(
      'start a gateway alone; a manager in another process (mmeliot manager) steers it',
    ),
  ).action((options) => gateway(options as ConfigOptions));
}

async function gateway(options: ConfigOptions): Promise<void> {
  const { config, secretFiles } = originsOf(options);
  const log = createLog({ level: config.logLevel, secrets: secretsIn(config) });
  for (const file of await exposedAmong(secretFiles))
    log.warn({ file }, 'Every user of this machine can read this file, and secrets stand there: chmod o-r');
  const interrupted = untilInterrupted();
  const closing = new Closing();
  const folder = openDataFolder(config.dataDir, `gateway-${config.gateway.port}`);
  closing.add(async () => folder.unlock());
  try {
    const ofFleet = () => secretOfFleet(config);
    const secret = await openGroupSecret(config.collector.secret, folder, ofFleet, log.conceal);
    closing.add(async () => secret.close());
    const keysFile = folder.file(`gateway-${config.gateway.port}-keys.json`);
    const access = clientAccess(config, secret, readKeys(keysFile));
    const tracing = gatewayTracing(config, log);
    closing.add(async () => tracing?.close());
    const opened = await openGateway(config, folder, log, { secret, access, tracer: tracing?.tracer });
    closing.add(() => opened.close(LAST_REQUESTS_MS));
    const fleetFile = folder.file(`gateway-${config.gateway.port}.json`);
    const gateway = await rememberingFleet(opened, fleetFile, keysFile, log);
    const control = await openControlServer(gateway, config, log, secret);
    closing.add(() => control.close());
    const { address } = gateway;
    process.stdout.write(
      `The gateway is ready.\n\n  clients connect to     ${gateway.secure ? 'https' : 'http'}://${showAddress(address)}/\n` +
        `  a manager connects to  ${control.secure ? 'https' : 'http'}://${showAddress(control.address)}/   (manager.gateways)\n`,
    );
    await interrupted;
  } finally {
    await closing.close();
  }
}
