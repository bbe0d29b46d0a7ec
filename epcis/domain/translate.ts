// The same event with its identifiers written in another form.
import type { EpcisEvent, Place, QuantityElement, TypedValue } from './event.ts';

export type TranslateUri = (uri: string) => string;

/** All identifiers of the standard's own fields, of devices too; extensions, and links to data, stay as they are. */
export function translateIdentifiers(event: EpcisEvent, translate: TranslateUri): EpcisEvent {
  const one = (uri: string | undefined): string | undefined => (uri === undefined ? undefined : translate(uri));
  const list = (uris: readonly string[] | undefined): readonly string[] | undefined => uris?.map(translate);
  const classes = (elements: readonly QuantityElement[] | undefined): readonly QuantityElement[] | undefined =>
    elements?.map((element) => ({ ...element, epcClass: translate(element.epcClass) }));
  const place = (value: Place | undefined): Place | undefined => value && { ...value, id: translate(value.id) };
  const typed = (values: readonly TypedValue[] | undefined): readonly TypedValue[] | undefined =>
    values?.map((entry) => ({ ...entry, value: translate(entry.value) }));

  const device = <T extends { readonly deviceID?: string }>(of: T): T =>
    of.deviceID === undefined ? of : { ...of, deviceID: translate(of.deviceID) };

  return withoutUndefined({
    ...event,
    epcList: list(event.epcList),
    childEPCs: list(event.childEPCs),
    inputEPCList: list(event.inputEPCList),
    outputEPCList: list(event.outputEPCList),
    quantityList: classes(event.quantityList),
    childQuantityList: classes(event.childQuantityList),
    inputQuantityList: classes(event.inputQuantityList),
    outputQuantityList: classes(event.outputQuantityList),
    parentID: one(event.parentID),
    transformationID: one(event.transformationID),
    epcClass: one(event.epcClass),
    readPoint: place(event.readPoint),
    bizLocation: place(event.bizLocation),
    bizTransactionList: typed(event.bizTransactionList),
    sourceList: typed(event.sourceList),
    destinationList: typed(event.destinationList),
    sensorElementList: event.sensorElementList?.map((element) => ({
      ...element,
      ...(element.sensorMetadata && { sensorMetadata: device(element.sensorMetadata) }),
      sensorReport: element.sensorReport.map(device),
    })),
  }) as unknown as EpcisEvent;
}

function withoutUndefined(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(object)) if (object[name] !== undefined) kept[name] = object[name];
  return kept;
}
