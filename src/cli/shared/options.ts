// What several commands take: a configuration file and single settings.
import type { Command } from 'commander';
import { loadWithOrigins } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';

export interface ConfigOptions {
  readonly config?: string;
  readonly set: readonly string[];
}

export const withConfig = (command: Command): Command =>
  command
    .option('-c, --config <file>', 'configuration file (default: mmeliot.yaml where it exists)')
    .option('--set <key=value>', 'one setting, for instance gateway.port=9090; repeatable', collect, []);

const collect = (value: string, earlier: readonly string[]) => [...earlier, value];

export const configOf = (options: ConfigOptions): Config => originsOf(options).config;

/** With where each setting comes from. */
export const originsOf = (options: ConfigOptions): ReturnType<typeof loadWithOrigins> =>
  loadWithOrigins({
    env: process.env,
    set: options.set,
    ...(options.config !== undefined && { file: options.config }),
  });
