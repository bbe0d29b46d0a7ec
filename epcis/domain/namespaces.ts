// Which prefix to write each namespace with: the one it was captured with, if no other namespace has it already.
import type { Attribute, EpcisEvent, Field } from './event.ts';

/** Namespaces whose every name the standard itself defines: nothing in them is an extension. */
export const isStandardNamespace = (namespace: string): boolean =>
  /^(?:urn:epcglobal:epcis(?:-[a-z]+)?:xsd:\d+|https:\/\/(?:ref|ns)\.gs1\.org\/epcis\/)$/.test(namespace);

/** Every namespace of an event's extensions, each with one prefix; `fixed` are prefixes that mean something already, `schemes` is what may be none. */
export function allocatePrefixes(
  fields: Iterable<Pick<Attribute, 'namespace' | 'prefix'>>,
  fixed: ReadonlyMap<string, string>,
  isPrefix: (text: string) => boolean,
  schemes: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, string> {
  const byNamespace = new Map<string, string>();
  const taken = new Map<string, string>();
  let n = 0;
  const free = (): string => {
    do n++;
    while (taken.has(`ns${n}`) || fixed.has(`ns${n}`) || schemes.has(`ns${n}`));
    return `ns${n}`;
  };
  for (const { namespace, prefix } of fields) {
    if (namespace === '' || byNamespace.has(namespace)) continue;
    const isFree = prefix !== undefined && isPrefix(prefix) && !schemes.has(prefix);
    const owner = isFree ? (taken.get(prefix) ?? fixed.get(prefix) ?? namespace) : undefined;
    const chosen = isFree && owner === namespace ? prefix : free();
    byNamespace.set(namespace, chosen);
    taken.set(chosen, namespace);
  }
  return byNamespace;
}

/** All extension fields and attributes of an event, at every level. */
export function* extensionsOf(event: EpcisEvent): Iterable<Field | Attribute> {
  const places = [event.readPoint, event.bizLocation, event.errorDeclaration];
  const sensors = (event.sensorElementList ?? []).flatMap((element) => [
    element,
    element.sensorMetadata,
    ...element.sensorReport,
  ]);
  for (const holder of [...places, ...sensors, event]) yield* deep(holder?.extensions);
  yield* deep(event.ilmd);
}

export function* deep(fields: readonly Field[] | undefined): Iterable<Field | Attribute> {
  for (const field of fields ?? []) {
    yield field;
    yield* field.attributes ?? [];
    if (typeof field.value !== 'string') yield* deep(field.value);
  }
}
