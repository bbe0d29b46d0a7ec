// An EPCIS event as the service sees it, whatever form it arrived in (EPCIS 1.x XML, 2.0 XML, JSON, JSON-LD).
//
// Known fields are named as in the standard's JSON form. Values of standard vocabularies (bizStep, disposition, error reason,
// business-transaction, source, destination and sensor types) are held as canonical URIs; identifiers as they were written.
// What the standard does not name stands in `extensions`, with full namespaces, in the order of the document.
// Beside this view each event carries its source, verbatim, so that nothing captured is lost or changed.

export const EVENT_TYPES = [
  'ObjectEvent',
  'AggregationEvent',
  'QuantityEvent',
  'TransactionEvent',
  'TransformationEvent',
  'AssociationEvent',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export type BusinessAction = 'ADD' | 'OBSERVE' | 'DELETE';

export interface EpcisEvent {
  /** One of EVENT_TYPES, or the URI of an extension event type (2.0 allows them). */
  readonly type: string;
  readonly eventID?: string;
  /** As written, offset included. */
  readonly eventTime: string;
  /** ±hh:mm */
  readonly eventTimeZoneOffset: string;
  readonly recordTime?: string;
  readonly errorDeclaration?: ErrorDeclaration;
  readonly certificationInfo?: readonly string[];

  readonly epcList?: readonly string[];
  readonly quantityList?: readonly QuantityElement[];
  readonly parentID?: string;
  readonly childEPCs?: readonly string[];
  readonly childQuantityList?: readonly QuantityElement[];
  readonly inputEPCList?: readonly string[];
  readonly inputQuantityList?: readonly QuantityElement[];
  readonly outputEPCList?: readonly string[];
  readonly outputQuantityList?: readonly QuantityElement[];
  readonly transformationID?: string;
  /** QuantityEvent (1.x) only. */
  readonly epcClass?: string;
  readonly quantity?: number;

  readonly action?: BusinessAction;
  readonly bizStep?: string;
  readonly disposition?: string;
  readonly persistentDisposition?: { readonly set: readonly string[]; readonly unset: readonly string[] };
  readonly readPoint?: Place;
  readonly bizLocation?: Place;
  readonly bizTransactionList?: readonly TypedValue[];
  readonly sourceList?: readonly TypedValue[];
  readonly destinationList?: readonly TypedValue[];
  readonly sensorElementList?: readonly SensorElement[];
  readonly ilmd?: readonly Field[];
  readonly extensions?: readonly Field[];

  /** Which of its URIs were written as CURIEs, and how: `https://example.com/ns/painting` → `ex:painting`. */
  readonly curies?: Readonly<Record<string, string>>;
}

/** Something the standard does not name: an element (XML) or a member (JSON) in a namespace of its own. */
export interface Field {
  /** Empty for none. */
  readonly namespace: string;
  readonly name: string;
  /** The prefix it was written with, to write it so again. */
  readonly prefix?: string;
  /**
   * Text as written, or children in order. A JSON array, like a repeated element, is one Field for each entry.
   * Text beside children (XML's mixed content, JSON's `#text`) is a child named `#text` without namespace.
   */
  readonly value: string | readonly Field[];
  /** What JSON said the text is, so that JSON gets it back as such; absent for a string and for XML. */
  readonly json?: 'number' | 'boolean' | 'null';
  readonly attributes?: readonly Attribute[];
}

export interface Attribute {
  readonly namespace: string;
  readonly name: string;
  readonly prefix?: string;
  readonly value: string;
}

export interface QuantityElement {
  readonly epcClass: string;
  readonly quantity?: number;
  readonly uom?: string;
  readonly extensions?: readonly Field[];
}

export interface Place {
  readonly id: string;
  readonly extensions?: readonly Field[];
}

/** A business transaction, source or destination. */
export interface TypedValue {
  readonly type?: string;
  readonly value: string;
}

export interface ErrorDeclaration {
  readonly declarationTime: string;
  readonly reason?: string;
  readonly correctiveEventIDs?: readonly string[];
  readonly extensions?: readonly Field[];
}

export interface SensorElement {
  readonly sensorMetadata?: SensorMetadata;
  readonly sensorReport: readonly SensorReport[];
  readonly extensions?: readonly Field[];
}

export interface SensorMetadata {
  readonly time?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly deviceID?: string;
  readonly deviceMetadata?: string;
  readonly rawData?: string;
  readonly dataProcessingMethod?: string;
  readonly bizRules?: string;
  readonly extensions?: readonly Field[];
}

export interface SensorReport {
  readonly type?: string;
  readonly exception?: string;
  readonly deviceID?: string;
  readonly deviceMetadata?: string;
  readonly rawData?: string;
  readonly dataProcessingMethod?: string;
  readonly bizRules?: string;
  readonly time?: string;
  readonly microorganism?: string;
  readonly chemicalSubstance?: string;
  readonly value?: number;
  readonly component?: string;
  readonly stringValue?: string;
  readonly booleanValue?: boolean;
  readonly hexBinaryValue?: string;
  readonly uriValue?: string;
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly meanValue?: number;
  readonly sDev?: number;
  readonly percRank?: number;
  readonly percValue?: number;
  readonly uom?: string;
  readonly coordinateReferenceSystem?: string;
  readonly extensions?: readonly Field[];
}

/** The event exactly as it was captured, self-contained. */
export interface EventSource {
  readonly format: 'xml' | 'json';
  /** XML: the event element with every namespace declaration it needs. JSON: the event object with its own `@context`. */
  readonly text: string;
}

/** An event with its identity and source: what capture stores and a query gives back. */
export interface CapturedEvent {
  readonly event: EpcisEvent;
  /** The event's identity hash after CBV 2.0, `ni:///sha-256;…?ver=CBV2.0`. */
  readonly hash: string;
  readonly source: EventSource;
}

/** Master data: one vocabulary element with its attributes and children. */
export interface VocabularyElement {
  /** The vocabulary's type URI, e.g. urn:epcglobal:epcis:vtype:BusinessLocation. */
  readonly vocabulary: string;
  readonly id: string;
  readonly attributes: readonly { readonly id: string; readonly value: string | readonly Field[] }[];
  readonly children: readonly string[];
}
