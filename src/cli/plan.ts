import { resolve } from 'node:path';
import { Command } from 'commander';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { parametersOf } from '../config/schema.ts';
import { MmeliotError } from '../errors.ts';
import { planText } from './shared/plan-text.ts';
import { askOffers } from '../manager/open-provider.ts';
import { wholeNumber } from './shared/load-options.ts';
import { configOf, withConfig } from './shared/options.ts';

type Options = Parameters<typeof configOf>[0] & { readonly vms?: string };

export const planCommand = (): Command =>
  withConfig(
    new Command('plan').description("what the mix would buy at the provider's prices of now; nothing is allocated"),
  )
    .option('--vms <number>', 'for a fleet of that size (default: from elasticity.min to elasticity.max)')
    .action((options: Options) => plan(options));

/** They are bought one after the other. */
const MOST_VMS = 10_000;

async function plan(options: Options): Promise<void> {
  const config = configOf(options);
  const parameters = parametersOf(config);
  const only = options.vms === undefined ? undefined : wholeNumber('--vms', options.vms);
  if (only !== undefined && only > MOST_VMS)
    throw new OptionError(`--vms ${options.vms}: a whole number up to ${MOST_VMS} is expected.`);
  const offers = await askOffers(config, resolve(config.dataDir));
  if (offers.length === 0) throw new MmeliotError('PROVIDER_FAILED', `${config.provider} offers nothing.`);
  process.stdout.write(planText(offers, parameters, only));
}
