// What an operator's templates are as offers: OpenNebula itself has neither prices nor VMs that may be taken away.
import { onlyOffer } from '../src/act/provider.ts';
import type { Market, Offer } from '../src/model.ts';
import type { OpenNebulaClient } from './client.ts';
import { child, text } from './documents/xml-rpc.ts';
import { readTemplate } from './reading.ts';

export interface TemplateOffer {
  readonly template: string;
  readonly market: Market;
  readonly price: number;
}

/** `mmeliot-small interruptible 0.02`: template (its name may have spaces), market, price an hour. */
export function parseOffer(written: string): TemplateOffer {
  const words = written.split(' ');
  const [market, price] = words.splice(-2);
  return { template: words.join(' '), market: market as Market, price: Number(price) };
}

export interface TemplateOffers {
  all(): Promise<readonly Offer[]>;
  /** The template of that offer, or the configured one. */
  templateOf(offer: string | undefined): string | number;
  /** As far as it has been read. */
  named(offer: string | undefined): Offer | undefined;
}

/** Sizes are the templates' own, read once. Without offers the configured template is the only one. */
export function templateOffers(
  client: OpenNebulaClient,
  configured: readonly TemplateOffer[],
  template: string | number,
): TemplateOffers {
  const idOf = ({ template: name, market }: TemplateOffer): string => `${name}/${market}`;
  const read = new Map<string, Offer>();

  async function offerOf(offer: TemplateOffer): Promise<Offer> {
    const id = idOf(offer);
    const known = read.get(id);
    if (known !== undefined) return known;
    const { template: name, market, price } = offer;
    const content = child(await readTemplate(client, name), 'TEMPLATE');
    const vcpu = Number(text(content, 'VCPU') ?? Math.ceil(Number(text(content, 'CPU') ?? 1))) || 1;
    const memoryBytes = Number(text(content, 'MEMORY') ?? 0) * 2 ** 20;
    const size = { name, vcpu, ...(memoryBytes > 0 && { memoryBytes }) };
    const found = { id, size, market, pool: name, price };
    read.set(id, found);
    return found;
  }

  return {
    all: () =>
      configured.length === 0 ? Promise.resolve([onlyOffer(String(template))]) : Promise.all(configured.map(offerOf)),
    templateOf: (offer) => configured.find((one) => idOf(one) === offer)?.template ?? template,
    named: (offer) => (offer === undefined ? undefined : read.get(offer)),
  };
}
