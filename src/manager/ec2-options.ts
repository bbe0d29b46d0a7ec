// The section ec2 of the configuration as its provider takes it, the files that it names being read.
import { parsePrices } from '../../ec2/documents/prices.ts';
import type { Ec2Options } from '../../ec2/provider.ts';
import type { Config } from '../config/schema.ts';
import { MmeliotError } from '../errors.ts';
import { readWhole, whyUnreadable } from '../../epcis/files/read-whole.ts';

/** Where every instance of EC2 finds its metadata service. */
export const METADATA = 'http://169.254.169.254';

export function ec2Options({ ec2 }: Config): Omit<Ec2Options, 'group' | 'environment'> {
  const { setup, prices, noticeEvery, template, ...options } = ec2;
  return {
    ...options,
    template: String(template),
    setup: setup === '' ? '' : read('ec2.setup', setup),
    prices: prices === '' ? undefined : parsePrices(read('ec2.prices', prices), prices),
    ...(noticeEvery > 0 && { noticeMs: noticeEvery }),
  };
}

function read(setting: string, file: string): string {
  try {
    return readWhole(file).toString();
  } catch (error) {
    throw new MmeliotError('CONFIG_INVALID', `${setting} ${file} ${whyUnreadable(error)}.`, { cause: error });
  }
}
