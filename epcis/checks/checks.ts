// The checks of an instance, on one document: the schemas of its fields' namespaces, then the business rules.
import { EpcisException } from '../domain/exceptions.ts';
import type { CapturedEvent } from '../domain/event.ts';
import { eachItem } from '../service/each-item.ts';
import { DocumentHistory } from '../service/rule-history.ts';
import { brokenRules, type History, type Rule } from '../service/rules.ts';
import type { CaptureItem, Warning } from '../service/services.ts';
import { fieldsOf } from './fields.ts';
import type { Schema } from './schema.ts';

export interface NamespaceSchema {
  readonly schema: Schema;
  readonly refuses: boolean;
}

export interface Checks {
  readonly schemas: ReadonlyMap<string, NamespaceSchema>;
  readonly rules: readonly Rule[];
}

/** A ValidationException, and whether the event is captured all the same. */
export interface CheckFault {
  readonly fault: EpcisException;
  readonly refuses: boolean;
}

/** To be given a document's items in their order: what stands in it before counts as the past of what comes later. */
export type CheckItem = (item: CaptureItem) => Promise<readonly CheckFault[]>;

export function checkDocument({ schemas, rules }: Checks, before: History): CheckItem {
  const history = new DocumentHistory(rules, before);
  return async (item) => {
    if (item.kind !== 'event') return [];
    const { event } = item.captured;
    const faults = schemaFaults(item.captured, item.at, schemas);
    for (const { rule, why } of await brokenRules(rules, event, history))
      faults.push(faultOf(`${rule.says.replace(/\.?\s*$/, '')}: ${why}`, item.at, rule.name, rule.refuses, RULE_HINT));
    if (!faults.some(({ refuses }) => refuses)) history.add(event);
    return faults;
  };
}

const RULE_HINT = 'A business rule of this service, not of the standard: its operator can say more.';

function schemaFaults({ event, source }: CapturedEvent, at: string, schemas: Checks['schemas']): CheckFault[] {
  if (schemas.size === 0) return [];
  return fieldsOf(event).flatMap(({ pointer, fields }) =>
    [...Map.groupBy(fields, ({ namespace }) => namespace)].flatMap(([namespace, own]) => {
      const known = schemas.get(namespace);
      if (known === undefined) return [];
      const hint = `Fields of ${namespace} are checked by a schema of this service's operator.`;
      const found = known.schema(own, source.format);
      const faults =
        found === 'too slow' ? [{ pointer: '', reason: `checking the fields of ${namespace} takes too long` }] : found;
      return faults.map((fault) => {
        // a line is a line, whatever stands deeper
        const place = at.startsWith('line') ? at : `${at === '/' ? '' : at}${pointer}${fault.pointer}`;
        return faultOf(fault.reason, place, 'extension-schema', known.refuses, hint);
      });
    }),
  );
}

function faultOf(reason: string, at: string, rule: string, refuses: boolean, hint: string): CheckFault {
  return { fault: new EpcisException('ValidationException', reason, at, { broken: { rule, hint } }), refuses };
}

/**
 * The items, checked: what a check refuses is thrown in its place, and `next` may be called again after that (as with proceed);
 * what one only warns of goes along.
 */
export function checkedItems(items: AsyncIterable<CaptureItem>, check: CheckItem): AsyncIterable<CaptureItem> {
  return eachItem(items, async (item) => {
    const faults = await check(item);
    const refused = faults.find(({ refuses }) => refuses);
    if (refused !== undefined) throw refused.fault;
    return faults.length === 0 || item.kind !== 'event' ? item : { ...item, warnings: faults.map(warningOf) };
  });
}

function warningOf({ fault: { reason, at = '', broken } }: CheckFault): Warning {
  return { rule: broken?.rule ?? '', reason, at };
}
