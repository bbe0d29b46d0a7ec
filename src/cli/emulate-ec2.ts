import { createHash } from 'node:crypto';
import { Command } from 'commander';
import { environmentOf, type MachineOrder } from '../../ec2/emulator/machine-room.ts';
import { startEmulator } from '../../ec2/emulator/server.ts';
import { parseDuration } from '../../loadgen/cli.ts';
import { LocalProvider } from '../act/local/local-provider.ts';
import { roomOf } from '../act/local/machine-room.ts';
import type { Config } from '../config/schema.ts';
import { Closing } from '../manager/closing.ts';
import { openDataFolder, type DataFolder } from '../manager/data-folder.ts';
import { listenError } from '../manager/open-gateway.ts';
import { COMMAND } from '../manager/program.ts';
import { sqliteUrl } from '../manager/repository-urls.ts';
import { vmProgram } from '../manager/vm-program.ts';
import { optionErrors, wholeNumber } from './shared/load-options.ts';
import { configOf, withConfig } from './shared/options.ts';
import { readPriceTraces } from './shared/price-traces.ts';
import { untilInterrupted } from './shared/signals.ts';
import { positive } from './shared/simulated-load.ts';

interface Options {
  readonly port: string;
  readonly controlPort: string;
  readonly prices?: string;
  readonly speed: string;
  readonly notice: string;
  readonly boot: string;
}

export const emulateEc2Command = (): Command =>
  withConfig(new Command('emulate-ec2').description('play Amazon EC2, its instances being processes of this machine'))
    .option('--port <port>', 'port of the EC2 API', '8773')
    .option('--control-port <port>', 'port of the door where faults are switched on and instances taken', '8774')
    .option(
      '--prices <path>',
      'recorded spot prices: files time,price such as m3.medium-us-east-1a.csv, or their folder',
    )
    .option('--speed <number>', 'so many times as fast as recorded', '1')
    .option('--notice <duration>', 'how long before it is taken a spot instance is told so', '120s')
    .option('--boot <duration>', 'time until an instance starts', '2s')
    .action((options: Options & Parameters<typeof configOf>[0]) => optionErrors(() => emulate(options)));

const LOGIN = { accessKeyId: 'AKIAEMULATED', secretAccessKey: 'emulated' };

async function emulate(options: Options & Parameters<typeof configOf>[0]): Promise<void> {
  const config = configOf(options);
  const traces = options.prices === undefined ? [] : await readPriceTraces(options.prices);
  const interrupted = untilInterrupted();
  const closing = new Closing();
  const folder = openDataFolder(config.dataDir, 'emulator');
  closing.add(async () => folder.unlock());
  try {
    let next: MachineOrder | undefined;
    const machines = machinesIn(folder, config, () => (next === undefined ? {} : environmentOf(next)));
    closing.add(() => machines.close());
    closing.add(async () => {
      for (const { id } of await machines.list()) await machines.release(id);
    });
    const port = wholeNumber('--port', options.port);
    const emulator = await startEmulator(
      {
        ...LOGIN,
        port,
        controlPort: wholeNumber('--control-port', options.controlPort),
        traces: new Map(traces.map(({ pool, points }) => [pool, points])),
        speed: positive('--speed', options.speed),
        noticeMs: parseDuration(options.notice),
        bootMs: parseDuration(options.boot),
      },
      roomOf(machines, (order: MachineOrder) => (next = order)),
    ).catch((error: unknown) => {
      throw listenError(error, '--', { host: '127.0.0.1', port });
    });
    closing.add(() => emulator.close());
    process.stdout.write(text(emulator.url, emulator.controlUrl, folder));
    await interrupted;
  } finally {
    await closing.close();
  }
}

/** The emulated instances' hosts: each a process with the CPU quota of a local VM, told who it is by its user data. */
function machinesIn(folder: DataFolder, config: Config, environment: () => Readonly<Record<string, string>>) {
  return new LocalProvider({
    folder: folder.file('machines'),
    name: `mmeliot-cloud-${createHash('sha256').update(folder.path).digest('hex').slice(0, 12)}`,
    ...config.local,
    command: ({ addressFile, cpu }) =>
      vmProgram(folder, {
        ...environment(),
        MMELIOT_LISTEN: '127.0.0.1:0', // many VMs on one address: each has a port of its own
        MMELIOT_ADDRESS_FILE: addressFile,
        MMELIOT_CPU: String(cpu),
      }),
  });
}

const text = (url: string, controlUrl: string, folder: DataFolder): string => `
The emulated EC2 is ready.

  EC2 API     ${url}   access key ${LOGIN.accessKeyId}, secret ${LOGIN.secretAccessKey}, region us-east-1, launch template mmeliot
  faults      ${controlUrl}   (GET shows them, POST {"noCapacity": "*/spot"} switches one on)
  take away   ${controlUrl.replace('/faults', '/interrupt')}   (POST {"count": 2}, or {"pool": "us-east-1a/m3.medium"})

Start mmeliot on it, in another terminal:
  export AWS_ACCESS_KEY_ID=${LOGIN.accessKeyId} AWS_SECRET_ACCESS_KEY=${LOGIN.secretAccessKey}
  ${COMMAND} up --set provider=ec2 --set ec2.endpoint=${url} --set ec2.region=us-east-1 --set fleet.spotShare=80 \\
    --set 'repository.url=${sqliteUrl(folder.file('epcis.db'))}'

Ctrl-C ends the cloud and its instances.
`;
