import { Command } from 'commander';
import { environmentOf } from '../../ec2/emulator/machine-room.ts';
import { startEmulator } from '../../ec2/emulator/server.ts';
import type { DataFolder } from '../manager/data-folder.ts';
import { COMMAND } from '../manager/program.ts';
import { sqliteUrl } from '../manager/repository-urls.ts';
import { emulate, type CloudCommand } from './shared/emulated-cloud.ts';
import { durationOf } from './shared/load-options.ts';
import { withConfig } from './shared/options.ts';
import { readPriceTraces } from './shared/price-traces.ts';
import { positive } from './shared/simulated-load.ts';

interface Options extends CloudCommand {
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
      'recorded spot prices: files time,price such as m3.medium-us-east-1a.csv, or as AWS CLI prints them, or their folder',
    )
    .option('--speed <number>', 'so many times as fast as recorded', '1')
    .option('--notice <duration>', 'how long before it is taken a spot instance is told so', '120s')
    .option('--boot <duration>', 'time until an instance starts', '2s')
    .action((options: Options) => emulateEc2(options));

const LOGIN = { accessKeyId: 'AKIAEMULATED', secretAccessKey: 'emulated' };

async function emulateEc2(options: Options): Promise<void> {
  const { prices, speed, notice, boot } = options;
  const traces = prices === undefined ? [] : await readPriceTraces(prices);
  const market = {
    traces: new Map(traces.map(({ pool, points }) => [pool, points])),
    speed: positive('--speed', speed),
    noticeMs: durationOf('--notice', notice),
    bootMs: durationOf('--boot', boot),
  };
  await emulate(options, {
    host: '127.0.0.1',
    environmentOf,
    start: (ports, room) => startEmulator({ ...LOGIN, ...ports, ...market }, room),
    text: ({ url, controlUrl }, folder) => text(url, controlUrl, folder),
  });
}

const text = (url: string, controlUrl: string, folder: DataFolder): string => `
The emulated EC2 is ready.

  EC2 API     ${url}   access key ${LOGIN.accessKeyId}, secret ${LOGIN.secretAccessKey}, region us-east-1, launch template mmeliot
  faults      ${controlUrl}   (GET shows them, POST {"noCapacity": "*/spot"} switches one on)
  take away   ${controlUrl.replace('/faults', '/interrupt')}   (POST {"count": 2}, or {"pool": "us-east-1a/m3.medium"})

Start mmeliot on it, in another terminal:
  export AWS_ACCESS_KEY_ID=${LOGIN.accessKeyId} AWS_SECRET_ACCESS_KEY=${LOGIN.secretAccessKey}
  ${COMMAND} up --set provider=ec2 --set access=open --set ec2.endpoint=${url} --set ec2.region=us-east-1 --set fleet.spotShare=80 \\
    --set 'repository.url=${sqliteUrl(folder.file('epcis.db'))}'

Ctrl-C ends the cloud and its instances.
`;
