// Any EPCIS event, for properties: every type, every field, extensions at every level.
import fc from 'fast-check';
import type { EpcisEvent, Field, SensorElement } from '../../epcis/domain/event.ts';

const NAMESPACES = [
  { namespace: 'https://x.example.org/', prefix: 'x' },
  { namespace: 'urn:example:y', prefix: 'y' },
  { namespace: 'https://z.example.org/a#', prefix: 'z-1' },
] as const;

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9._-]{0,8}$/);
// text without what XML cannot hold, without line ends that indentation rules would take for layout
const text = fc.string({ unit: fc.constantFrom(...'aZ09 <>&"\'/{}[]:;,.-+=%ä€😀\\'), maxLength: 12 });
const uri = fc.oneof(
  fc.nat(999).map((n) => `urn:epc:id:sgtin:9521141.012345.${n}`),
  fc.nat(999).map((n) => `https://id.example.org/01/09521141123454/21/${n}`),
  fc.nat(999).map((n) => `urn:example:thing:${n}`),
);
const number = fc
  .oneof(fc.integer({ min: -1000, max: 1000 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((n) => n + 0 || 0);
const time = fc
  .tuple(
    fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true }),
    fc.constantFrom('Z', '+02:00', '-06:30', '+14:00'),
  )
  .map(([date, offset]) => date.toISOString().replace('Z', offset));
const word = (kind: string, ...words: string[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...words).map((each) => `https://ref.gs1.org/cbv/${kind}-${each}`),
    fc.constant('https://mine.example.org/own'),
  );

const leaf = fc.oneof(
  text.map((value) => ({ value })),
  number.map((value) => ({ value: String(value), json: 'number' as const })),
  fc.boolean().map((value) => ({ value: String(value), json: 'boolean' as const })),
  fc.constant({ value: '', json: 'null' as const }),
);
const { field } = fc.letrec<{ field: Field; fields: readonly Field[] }>((tie) => ({
  field: fc
    .tuple(
      fc.constantFrom(...NAMESPACES),
      name,
      fc.oneof(
        { depthSize: 'small' },
        leaf,
        tie('fields').map((value) => ({ value })),
      ),
    )
    .map(([namespace, local, value]) => ({ ...namespace, name: local, ...value })),
  fields: fc.array(tie('field'), { minLength: 1, maxLength: 3 }).map(grouped),
}));
/** In JSON fields of one name stand together, so only such events can come back in the same order. */
function grouped(fields: readonly Field[]): readonly Field[] {
  const key = (each: Field): string => `${each.namespace} ${each.name}`;
  const order = [...new Set(fields.map(key))];
  return [...fields].sort((a, b) => order.indexOf(key(a)) - order.indexOf(key(b)));
}
const fields = fc.array(field, { minLength: 1, maxLength: 3 }).map(grouped);
/** Sensor fields are attributes in XML: single texts. */
const flat = fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMESPACES), name, text), {
  selector: ([space, local]) => space.prefix + local,
  minLength: 1,
  maxLength: 2,
});
const attributes = flat.map((all) => all.map(([namespace, local, value]) => ({ ...namespace, name: local, value })));

const epcs = fc.array(uri, { minLength: 1, maxLength: 3 });
const quantity = fc.oneof(
  fc.record({ epcClass: uri, quantity: number, uom: fc.constantFrom('KGM', 'EA', 'LTR') }),
  fc.record({ epcClass: uri, quantity: optional(fc.integer({ min: -1000, max: 1000 })) }),
);
const quantities = fc.array(quantity, { minLength: 1, maxLength: 2 });
const place = fc.record({ id: uri, extensions: optional(fields) });
const transactions = fc.array(fc.record({ type: optional(word('BTT', 'po', 'inv')), value: uri }), {
  minLength: 1,
  maxLength: 2,
});
const parties = fc.array(fc.record({ type: word('SDT', 'location', 'owning_party'), value: uri }), {
  minLength: 1,
  maxLength: 2,
});
const report = fc.record({
  type: fc.constantFrom('https://gs1.org/voc/Temperature', 'example:own'),
  exception: optional(fc.constant('https://gs1.org/voc/ALARM_CONDITION')),
  time: optional(time),
  value: optional(number),
  component: optional(word('Comp', 'x', 'y')),
  stringValue: optional(text),
  booleanValue: optional(fc.boolean()),
  hexBinaryValue: optional(fc.constant('0fA0')),
  uriValue: optional(uri),
  percRank: optional(number),
  uom: optional(fc.constant('CEL')),
  bizRules: optional(uri),
  extensions: optional(attributes),
});
const sensors: fc.Arbitrary<readonly SensorElement[]> = fc.array(
  fc.record({
    sensorMetadata: optional(
      fc.record({ time: optional(time), deviceID: optional(uri), extensions: optional(attributes) }),
    ),
    sensorReport: fc.array(report, { minLength: 1, maxLength: 2 }),
    extensions: optional(fields),
  }),
  { minLength: 1, maxLength: 2 },
);

const common = {
  eventTime: time,
  eventTimeZoneOffset: fc.constantFrom('+00:00', '-06:00', '+02:00'),
  eventID: optional(uri),
  certificationInfo: optional(fc.array(uri, { minLength: 1, maxLength: 2 })),
  errorDeclaration: optional(
    fc.record({
      declarationTime: time,
      reason: optional(word('ER', 'did_not_occur')),
      correctiveEventIDs: optional(epcs),
      extensions: optional(fields),
    }),
  ),
  bizStep: optional(word('BizStep', 'shipping', 'packing')),
  disposition: optional(word('Disp', 'in_transit', 'damaged')),
  persistentDisposition: optional(
    fc.record({
      set: fc.array(word('Disp', 'damaged'), { minLength: 1, maxLength: 2 }),
      unset: fc.array(word('Disp', 'recalled'), { maxLength: 1 }),
    }),
  ),
  readPoint: optional(place),
  bizLocation: optional(place),
  sourceList: optional(parties),
  destinationList: optional(parties),
  sensorElementList: optional(sensors),
  extensions: optional(fields),
};
const ofType = (type: string, more: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<EpcisEvent> =>
  fc
    .record({ type: fc.constant(type), ...common, ...more })
    .map((event) => JSON.parse(JSON.stringify(event)) as EpcisEvent);

const action = fc.constantFrom('ADD', 'OBSERVE', 'DELETE');
const children = {
  parentID: uri,
  childEPCs: epcs,
  childQuantityList: optional(quantities),
  action,
  bizTransactionList: optional(transactions),
};

/** As reading gives it: nothing undefined. */
export const anyEvent: fc.Arbitrary<EpcisEvent> = fc.oneof(
  ofType('ObjectEvent', {
    epcList: epcs,
    quantityList: optional(quantities),
    action: fc.constant('ADD'),
    bizTransactionList: optional(transactions),
    ilmd: optional(fields),
  }),
  ofType('AggregationEvent', children),
  ofType('AssociationEvent', children),
  ofType('TransactionEvent', {
    bizTransactionList: transactions,
    parentID: optional(uri),
    epcList: epcs,
    quantityList: optional(quantities),
    action,
  }),
  ofType('TransformationEvent', {
    ...{
      inputEPCList: epcs,
      outputEPCList: epcs,
      inputQuantityList: optional(quantities),
      outputQuantityList: optional(quantities),
    },
    ...{ transformationID: optional(uri), bizTransactionList: optional(transactions), ilmd: optional(fields) },
  }),
);
