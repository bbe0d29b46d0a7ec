// The types of events and master data for the WSDL, as EPCIS 1.2's schema names them: clients meet those names (xsi:type) in documents.
// What stands in a type's table is explained in schema.ts.

/** How a type is made: from another one, or what differs from a plain sequence. */
export interface ComplexType {
  readonly fields: readonly string[];
  readonly base?: string;
  readonly abstract?: true;
  /** One of the fields, or any number of them in any order. */
  readonly choice?: 'one' | 'many';
}

/** What others may add behind a type's own fields, and as attributes. */
const open = (extension: string): string[] => [`extension ${extension} ?`, '##other'];

const PLACES = ['readPoint epcis:ReadPointType ?', 'bizLocation epcis:BusinessLocationType ?'];
const WHY = ['bizStep epcis:BusinessStepIDType ?', 'disposition epcis:DispositionIDType ?', ...PLACES];
const TRANSACTIONS = 'bizTransactionList epcis:BusinessTransactionListType';
const ACTION = 'action epcis:ActionType';
const PARENT = 'parentID epcis:ParentIDType ?';
const SOURCES = ['sourceList epcis:SourceListType ?', 'destinationList epcis:DestinationListType ?'];
const ILMD = 'ilmd epcis:ILMDType ?';

/** What an event type adds to the fields of every event, and what its `extension` element holds since EPCIS 1.1. */
const EVENTS: Readonly<Record<string, { readonly fields: readonly string[]; readonly added?: readonly string[] }>> = {
  ObjectEvent: {
    fields: ['epcList epcis:EPCListType', ACTION, ...WHY, `${TRANSACTIONS} ?`],
    added: ['quantityList epcis:QuantityListType ?', ...SOURCES, ILMD],
  },
  AggregationEvent: {
    fields: [PARENT, 'childEPCs epcis:EPCListType', ACTION, ...WHY, `${TRANSACTIONS} ?`],
    added: ['childQuantityList epcis:QuantityListType ?', ...SOURCES],
  },
  QuantityEvent: { fields: ['epcClass epcis:EPCClassType', 'quantity xsd:int', ...WHY, `${TRANSACTIONS} ?`] },
  TransactionEvent: {
    fields: [TRANSACTIONS, PARENT, 'epcList epcis:EPCListType', ACTION, ...WHY],
    added: ['quantityList epcis:QuantityListType ?', ...SOURCES],
  },
  TransformationEvent: {
    fields: [
      'inputEPCList epcis:EPCListType ?',
      'inputQuantityList epcis:QuantityListType ?',
      'outputEPCList epcis:EPCListType ?',
      'outputQuantityList epcis:QuantityListType ?',
      'transformationID epcis:TransformationIDType ?',
      ...WHY,
      `${TRANSACTIONS} ?`,
      ...SOURCES,
      ILMD,
    ],
  },
};

export const URIS: readonly string[] = [
  ...['ParentIDType', 'BusinessStepIDType', 'DispositionIDType', 'EPCClassType', 'ReadPointIDType'],
  ...['BusinessLocationIDType', 'BusinessTransactionIDType', 'BusinessTransactionTypeIDType', 'SourceDestIDType'],
  ...['SourceDestTypeIDType', 'TransformationIDType', 'EventIDType', 'ErrorReasonIDType'],
];

/** A URI with a type of its own: what it is, what its type is, and whether it must have one. */
export const TYPED_URIS: Readonly<Record<string, readonly [string, string, 'optional' | 'required']>> = {
  BusinessTransactionType: ['BusinessTransactionIDType', 'BusinessTransactionTypeIDType', 'optional'],
  SourceDestType: ['SourceDestIDType', 'SourceDestTypeIDType', 'required'],
};

/** Of EPCIS itself: what later versions put there. */
const LATER: ComplexType = { fields: ['##local', '@'] };

function eventTypes(): [string, ComplexType][] {
  return Object.entries(EVENTS).flatMap(([name, { fields, added }]): [string, ComplexType][] => {
    const extension = `${name}ExtensionType`;
    const event = { base: 'EPCISEventType', fields: [...fields, ...open(`epcis:${extension}`), '@'] };
    const own: [string, ComplexType] = [`${name}Type`, event];
    if (added === undefined) return [own, [extension, LATER]];
    const later = `${name}Extension2Type`;
    return [own, [extension, { fields: [...added, `extension epcis:${later} ?`, '@'] }], [later, LATER]];
  });
}

// `*` inside an unbounded choice says nothing new, but some tools take the fields for single ones without it
const LISTED = Object.keys(EVENTS).filter((name) => name !== 'TransformationEvent');

export const EPCIS_TYPES: Readonly<Record<string, ComplexType>> = {
  EPCISEventType: {
    abstract: true,
    fields: [
      'eventTime xsd:dateTime',
      'recordTime xsd:dateTime ?',
      'eventTimeZoneOffset xsd:string',
      'baseExtension epcis:EPCISEventExtensionType ?',
      '@',
    ],
  },
  EPCISEventExtensionType: {
    fields: [
      'eventID epcis:EventIDType ?',
      'errorDeclaration epcis:ErrorDeclarationType ?',
      'extension epcis:EPCISEventExtension2Type ?',
      '@',
    ],
  },
  EPCISEventExtension2Type: LATER,
  ...Object.fromEntries(eventTypes()),
  EventListType: {
    choice: 'many',
    fields: [
      ...LISTED.map((name) => `${name} epcis:${name}Type *`),
      'extension epcis:EPCISEventListExtensionType *',
      '@',
    ],
  },
  // EPCIS 1.1 and later put their event types into an extension of the list
  EPCISEventListExtensionType: {
    choice: 'one',
    fields: ['TransformationEvent epcis:TransformationEventType', 'extension epcis:EPCISEventListExtension2Type'],
  },
  EPCISEventListExtension2Type: LATER,
  EPCListType: { fields: ['epc epcglobal:EPC *'] },
  QuantityListType: { fields: ['quantityElement epcis:QuantityElementType *'] },
  QuantityElementType: {
    fields: ['epcClass epcis:EPCClassType', 'quantity xsd:decimal ~', 'uom epcis:UOMType ?'],
  },
  ReadPointType: { fields: ['id epcis:ReadPointIDType', ...open('epcis:ReadPointExtensionType')] },
  ReadPointExtensionType: LATER,
  BusinessLocationType: { fields: ['id epcis:BusinessLocationIDType', ...open('epcis:BusinessLocationExtensionType')] },
  BusinessLocationExtensionType: LATER,
  BusinessTransactionListType: { fields: ['bizTransaction epcis:BusinessTransactionType *'] },
  SourceListType: { fields: ['source epcis:SourceDestType *'] },
  DestinationListType: { fields: ['destination epcis:SourceDestType *'] },
  ILMDType: { fields: [...open('epcis:ILMDExtensionType'), '@'] },
  ILMDExtensionType: LATER,
  ErrorDeclarationType: {
    fields: [
      'declarationTime xsd:dateTime',
      'reason epcis:ErrorReasonIDType ?',
      'correctiveEventIDs epcis:CorrectiveEventIDsType ?',
      ...open('epcis:ErrorDeclarationExtensionType'),
      '@',
    ],
  },
  ErrorDeclarationExtensionType: LATER,
  CorrectiveEventIDsType: { fields: ['correctiveEventID epcis:EventIDType *'] },
  VocabularyListType: { fields: ['Vocabulary epcis:VocabularyType *'] },
  VocabularyType: {
    fields: [
      'VocabularyElementList epcis:VocabularyElementListType ?',
      ...open('epcis:VocabularyExtensionType'),
      '@type xsd:anyURI required',
      '@',
    ],
  },
  VocabularyExtensionType: LATER,
  VocabularyElementListType: { fields: ['VocabularyElement epcis:VocabularyElementType *'] },
  VocabularyElementType: {
    fields: [
      'attribute epcis:AttributeType *',
      'children epcis:IDListType ?',
      ...open('epcis:VocabularyElementExtensionType'),
      '@id xsd:anyURI required',
      '@',
    ],
  },
  VocabularyElementExtensionType: LATER,
  IDListType: { fields: ['id xsd:anyURI *', '@'] },
};
