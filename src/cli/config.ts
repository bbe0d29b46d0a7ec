import { resolve } from 'node:path';
import { Command } from 'commander';
import { parse } from 'yaml';
import { effective, type Effective } from '../config/effective.ts';
import { jsonSchema, toYaml } from '../config/print.ts';
import { openStateFile, STATE_FILE } from '../manager/state-file.ts';
import { configOf, originsOf, withConfig, type ConfigOptions } from './shared/options.ts';
import { table } from './shared/table.ts';

interface PrintOptions extends ConfigOptions {
  readonly effective?: true;
  readonly json?: true;
}

const print = (text: string): void => void process.stdout.write(text);

export const configCommand = (): Command =>
  new Command('config')
    .description('check, print or describe the configuration')
    .addCommand(
      withConfig(new Command('check').description('say whether the configuration is right')).action((options) => {
        configOf(options as ConfigOptions);
        print('The configuration is right.\n');
      }),
    )
    .addCommand(
      withConfig(new Command('print').description('print every setting of the configuration, secrets hidden'))
        .option('--effective', 'every setting in force with where it comes from, with what `mmeliot set` changed')
        .option('--json', 'the same as JSON')
        .action((options) => printConfig(options as PrintOptions)),
    )
    .addCommand(
      new Command('schema')
        .description('print the JSON schema of the configuration file')
        .action(() => print(`${JSON.stringify(jsonSchema(), null, 2)}\n`)),
    );

async function printConfig(options: PrintOptions): Promise<void> {
  const { config, originOf } = originsOf(options);
  if (!options.effective) {
    const yaml = toYaml(config);
    return print(options.json ? `${JSON.stringify(parse(yaml), null, 2)}\n` : yaml);
  }
  const saved = await openStateFile(resolve(config.dataDir, STATE_FILE)).load();
  const all = effective(config, originOf, saved?.changes ?? {});
  print(options.json ? `${JSON.stringify(all, null, 2)}\n` : effectiveText(all));
}

function effectiveText({ settings, warnings }: Effective): string {
  const rows = settings.map(({ name, value, origin, configured }) => {
    const over = configured && ` (${configured.origin}: ${JSON.stringify(configured.value)})`;
    return [name, origin, `${JSON.stringify(value)}${over ?? ''}`]; // the longest last
  });
  const lines = [
    '# Each beats those before it: default, file (with its environment variables), command line, mmeliot set.',
    ...table(rows),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  return `${lines.join('\n')}\n`;
}
