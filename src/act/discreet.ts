// A provider whose sentences quote no secret, however the cloud behind it came to know it and wherever it repeats it.
import { messageOf, MmeliotError } from '../errors.ts';
import { createSecrets, type Secrets } from '../secrets.ts';
import type { ProvidedVm, Provider } from './provider.ts';

/** A cloud that quotes a whole template must not fill the page. */
const LONGEST = 500;

/** Every sentence that comes from the provider, an error's or a VM's note, goes through here and nowhere else. */
export function discreet(provider: Provider, secrets: Secrets): Provider {
  const clean = cleaner(secrets);
  const spoken = <T>(work: Promise<T>): Promise<T> => discreetly(work, secrets);

  const shown = (vm: ProvidedVm): ProvidedVm => (vm.note === undefined ? vm : { ...vm, note: clean(vm.note) });
  return {
    name: provider.name,
    ...(provider.lookEvery !== undefined && { lookEvery: provider.lookEvery }),
    list: async () => (await spoken(provider.list())).map(shown),
    offers: () => spoken(provider.offers()),
    allocate(request) {
      const its = createSecrets(...Object.values(request.environment ?? {}));
      return discreetly(spoken(provider.allocate(request)), its);
    },
    release: (id) => spoken(provider.release(id)),
    mayCome: () => provider.mayCome?.() ?? false,
    log: async (id) => {
      const text = await spoken(Promise.resolve(provider.log?.(id)));
      return text === undefined ? undefined : secrets.hide(text);
    },
  };
}

/** What comes of the work, or its error in a sentence that quotes nothing. */
export async function discreetly<T>(work: Promise<T>, secrets: Secrets): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw cleaned(error, cleaner(secrets));
  }
}

const cleaner =
  ({ hide }: Secrets) =>
  (sentence: string): string =>
    shortened(hide(sentence));

/** A new error without cause and details, since these may quote as well. */
function cleaned(error: unknown, clean: (sentence: string) => string): Error {
  const message = clean(messageOf(error));
  return error instanceof MmeliotError ? new MmeliotError(error.code, message) : new Error(message);
}

const shortened = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`);
