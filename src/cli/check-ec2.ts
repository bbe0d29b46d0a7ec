import { Command } from 'commander';
import { checkAccount } from '../../ec2/check.ts';
import { createEc2Provider } from '../../ec2/provider.ts';
import { ec2Options, METADATA } from '../manager/ec2-options.ts';
import { CHECK_DATABASE, CHECK_GROUP, clocks, interruption, print, reach } from './shared/checking.ts';
import { durationOf } from './shared/load-options.ts';
import { configOf, withConfig } from './shared/options.ts';

type Options = { readonly patience: string } & Parameters<typeof configOf>[0];

export const checkEc2Command = (): Command =>
  withConfig(
    new Command('ec2').description(
      'may mmeliot do all that it will do in that AWS account? Allocates one instance and gives it back',
    ),
  )
    .option('--patience <duration>', 'how long the instance may take to run, and to be gone', '5m')
    .action((options: Options) => check(options));

async function check(options: Options): Promise<void> {
  const patienceMs = durationOf('--patience', options.patience);
  const environment = { MMELIOT_REPOSITORY_URL: CHECK_DATABASE, MMELIOT_METADATA: METADATA };
  const provider = createEc2Provider({ ...ec2Options(configOf(options)), group: CHECK_GROUP, environment }, clocks.now);
  try {
    const deps = { provider, ...clocks, print, reach, signal: interruption() };
    process.exitCode = (await checkAccount(deps, patienceMs)) ? 0 : 1;
  } finally {
    await provider.close();
  }
}
