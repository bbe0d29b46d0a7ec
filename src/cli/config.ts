import { Command } from 'commander';
import { jsonSchema, toYaml } from '../config/print.ts';
import { configOf, withConfig } from './shared/options.ts';

export function configCommand(): Command {
  const print = (text: string) => process.stdout.write(text);
  return new Command('config')
    .description('check, print or describe the configuration')
    .addCommand(
      withConfig(new Command('check').description('say whether the configuration is right')).action((options) => {
        configOf(options as Parameters<typeof configOf>[0]);
        print('The configuration is right.\n');
      }),
    )
    .addCommand(
      withConfig(new Command('print').description('print every setting in force, secrets hidden')).action(
        (options) => void print(toYaml(configOf(options as Parameters<typeof configOf>[0]))),
      ),
    )
    .addCommand(
      new Command('schema')
        .description('print the JSON schema of the configuration file')
        .action(() => void print(`${JSON.stringify(jsonSchema(), null, 2)}\n`)),
    );
}
