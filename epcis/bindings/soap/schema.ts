// The types of the query interface for the WSDL: EPCIS 1.2's messages and events, from tables.
// A field is `name type`, with `?` for optional and `*` for any number; a type without a prefix is one of the same schema.

export type Fields = readonly string[];

const PLACE = ['bizStep xsd:anyURI ?', 'disposition xsd:anyURI ?', 'readPoint Place ?', 'bizLocation Place ?'];
const LISTS = ['sourceList Sources ?', 'destinationList Destinations ?'];
const TRANSACTIONS = 'bizTransactionList BizTransactions';

/** What an event type adds to the fields of every event, and what its `extension` element holds since EPCIS 1.1. */
const EVENTS: Readonly<Record<string, { readonly fields: Fields; readonly extension: Fields }>> = {
  ObjectEvent: {
    fields: ['epcList EPCs', 'action Action', ...PLACE, `${TRANSACTIONS} ?`],
    extension: ['quantityList Quantities ?', ...LISTS, 'ilmd Open ?', 'extension Open ?'],
  },
  AggregationEvent: {
    fields: ['parentID xsd:anyURI ?', 'childEPCs EPCs', 'action Action', ...PLACE, `${TRANSACTIONS} ?`],
    extension: ['childQuantityList Quantities ?', ...LISTS, 'extension Open ?'],
  },
  QuantityEvent: {
    fields: ['epcClass xsd:anyURI', 'quantity xsd:int', ...PLACE, `${TRANSACTIONS} ?`],
    extension: [],
  },
  TransactionEvent: {
    fields: [TRANSACTIONS, 'parentID xsd:anyURI ?', 'epcList EPCs', 'action Action', ...PLACE],
    extension: ['quantityList Quantities ?', ...LISTS, 'extension Open ?'],
  },
  TransformationEvent: {
    fields: [
      'inputEPCList EPCs ?',
      'inputQuantityList Quantities ?',
      'outputEPCList EPCs ?',
      'outputQuantityList Quantities ?',
      'transformationID xsd:anyURI ?',
      ...PLACE,
      `${TRANSACTIONS} ?`,
      ...LISTS,
      'ilmd Open ?',
    ],
    extension: [],
  },
};

const EPCIS_TYPES: Readonly<Record<string, Fields>> = {
  EPCs: ['epc xsd:anyURI *'],
  Quantities: ['quantityElement Quantity *'],
  Quantity: ['epcClass xsd:anyURI', 'quantity xsd:decimal ?', 'uom xsd:string ?'],
  BizTransactions: ['bizTransaction TypedURI *'],
  Sources: ['source TypedURI *'],
  Destinations: ['destination TypedURI *'],
  BaseExtension: ['eventID xsd:anyURI ?', 'errorDeclaration ErrorDeclaration ?', 'extension Open ?'],
  CorrectiveEventIDs: ['correctiveEventID xsd:anyURI *'],
  VocabularyList: ['Vocabulary Vocabulary *'],
  VocabularyElementList: ['VocabularyElement VocabularyElement *'],
  Children: ['id xsd:anyURI *'],
};

/** Message elements whose type is a sequence of its own. */
export const MESSAGES: Readonly<Record<string, Fields>> = {
  GetQueryNames: [],
  GetQueryNamesResult: ['string xsd:string *'],
  Subscribe: [
    'queryName xsd:string',
    'params QueryParams',
    'dest xsd:anyURI',
    'controls SubscriptionControls',
    'subscriptionID xsd:string',
  ],
  SubscribeResult: [],
  Unsubscribe: ['subscriptionID xsd:string'],
  UnsubscribeResult: [],
  GetSubscriptionIDs: ['queryName xsd:string'],
  GetSubscriptionIDsResult: ['string xsd:string *'],
  Poll: ['queryName xsd:string', 'params QueryParams'],
  QueryResults: ['queryName xsd:string', 'subscriptionID xsd:string ?', 'resultsBody QueryResultsBody'],
  GetStandardVersion: [],
  GetVendorVersion: [],
};

export const QUERY_TYPES: Readonly<Record<string, Fields>> = {
  ArrayOfString: ['string xsd:string *'],
  VoidHolder: [],
  QueryParams: ['param QueryParam *'],
  QueryParam: ['name xsd:string', 'value xsd:anyType'],
  SubscriptionControls: [
    'schedule QuerySchedule ?',
    'trigger xsd:anyURI ?',
    'initialRecordTime xsd:dateTime ?',
    'reportIfEmpty xsd:boolean',
  ],
  QuerySchedule: ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'].map((name) => `${name} xsd:string ?`),
  QueryResultsBody: ['EventList epcis:EventList ?', 'VocabularyList epcis:VocabularyList ?'],
};

const SUBJECT = ['queryName xsd:string ?', 'subscriptionID xsd:string ?'];

const EXCEPTIONS: Readonly<Record<string, Fields>> = {
  DuplicateNameException: [],
  InvalidURIException: [],
  NoSuchNameException: [],
  NoSuchSubscriptionException: [],
  DuplicateSubscriptionException: [],
  QueryParameterException: [],
  QueryTooLargeException: SUBJECT,
  QueryTooComplexException: [],
  SubscriptionControlsException: [],
  SubscribeNotPermittedException: [],
  SecurityException: [],
  ValidationException: [],
  ImplementationException: ['severity xsd:NCName', ...SUBJECT],
};

const ANY = '<xsd:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>';

export function schemas(): string {
  return `${schema('epcis', epcisTypes())}\n${schema('epcisq', queryTypes())}`;
}

function schema(prefix: 'epcis' | 'epcisq', content: readonly string[]): string {
  const epcis = 'urn:epcglobal:epcis:xsd:1';
  const query = 'urn:epcglobal:epcis-query:xsd:1';
  const namespace = prefix === 'epcis' ? epcis : query;
  const own = prefix === 'epcis' ? '' : `\n<xsd:import namespace="${epcis}"/>`;
  return `<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:epcis="${epcis}" xmlns:epcisq="${query}"
  targetNamespace="${namespace}" elementFormDefault="unqualified" attributeFormDefault="unqualified">${own}
${content.join('\n')}
</xsd:schema>`;
}

function epcisTypes(): string[] {
  const event = [
    'eventTime xsd:dateTime',
    'recordTime xsd:dateTime ?',
    'eventTimeZoneOffset xsd:string',
    'baseExtension BaseExtension ?',
  ];
  const declaration = [
    'declarationTime xsd:dateTime',
    'reason xsd:anyURI ?',
    'correctiveEventIDs CorrectiveEventIDs ?',
  ];
  const types = Object.entries(EVENTS).flatMap(([name, { fields, extension }]) => {
    const own = [
      ...fields.map((field) => element(field, 'epcis')),
      element(`extension ${name}Extension ?`, 'epcis'),
      ANY,
    ];
    const extended = `<xsd:complexContent><xsd:extension base="epcis:EPCISEvent">${sequence(own)}</xsd:extension></xsd:complexContent>`;
    // without fields of its own an extension can hold anything
    const more = extension.length === 0 ? open(`${name}Extension`) : plain(`${name}Extension`, extension, 'epcis');
    return [type(name, extended), more];
  });
  const choices = Object.keys(EVENTS).filter((name) => name !== 'TransformationEvent');
  // EPCIS 1.1 and later put their event types into an extension of the list
  // (`*` inside an unbounded choice says nothing new, but some tools take the fields for single ones without it)
  const lists = [...choices.map((name) => `${name} ${name} *`), 'extension EventListExtension *'];
  return [
    type('EPCISEvent', sequence(event.map((field) => element(field, 'epcis'))), ' abstract="true"'),
    ...types,
    type(
      'EventList',
      `<xsd:choice minOccurs="0" maxOccurs="unbounded">${lists.map((f) => element(f, 'epcis')).join('')}</xsd:choice>`,
    ),
    type(
      'EventListExtension',
      sequence([element('TransformationEvent TransformationEvent ?', 'epcis'), element('extension Open ?', 'epcis')]),
    ),
    type('Place', sequence([element('id xsd:anyURI', 'epcis'), element('extension Open ?', 'epcis'), ANY])),
    type(
      'ErrorDeclaration',
      sequence([...declaration.map((f) => element(f, 'epcis')), element('extension Open ?', 'epcis'), ANY]),
    ),
    type(
      'TypedURI',
      `<xsd:simpleContent><xsd:extension base="xsd:anyURI">${attribute('type', 'optional')}</xsd:extension></xsd:simpleContent>`,
    ),
    type(
      'Vocabulary',
      sequence([element('VocabularyElementList VocabularyElementList ?', 'epcis')]) + attribute('type', 'required'),
    ),
    type(
      'VocabularyElement',
      sequence([element('attribute Attribute *', 'epcis'), element('children Children ?', 'epcis')]) +
        attribute('id', 'required'),
    ),
    type('Attribute', `${sequence([ANY])}${attribute('id', 'required')}`, ' mixed="true"'),
    ...Object.entries(EPCIS_TYPES).map(([name, fields]) => plain(name, fields, 'epcis')),
    open('Open'),
    '<xsd:simpleType name="Action"><xsd:restriction base="xsd:string">' +
      ['ADD', 'OBSERVE', 'DELETE'].map((value) => `<xsd:enumeration value="${value}"/>`).join('') +
      '</xsd:restriction></xsd:simpleType>',
  ];
}

function queryTypes(): string[] {
  const messages = Object.entries(MESSAGES).flatMap(([name, fields]) => [
    declared(name),
    plain(name, fields, 'epcisq'),
  ]);
  const versions = ['Standard', 'Vendor'].map((v) => `<xsd:element name="Get${v}VersionResult" type="xsd:string"/>`);
  const exceptions = Object.entries(EXCEPTIONS).flatMap(([name, fields]) => [
    declared(name),
    plain(name, ['reason xsd:string', ...fields], 'epcisq'),
  ]);
  const types = Object.entries(QUERY_TYPES).map(([name, fields]) => plain(name, fields, 'epcisq'));
  return [...messages, ...versions, ...types, ...exceptions];
}

function declared(name: string): string {
  return `<xsd:element name="${name}" type="epcisq:${name}"/>`;
}

function plain(name: string, fields: Fields, schema: string): string {
  return type(name, sequence(fields.map((field) => element(field, schema))));
}

/** Whatever is inside, of any namespace. */
function open(name: string): string {
  return type(
    name,
    sequence(['<xsd:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>']),
  );
}

function type(name: string, content: string, attributes = ''): string {
  return `<xsd:complexType name="${name}"${attributes}>${content}</xsd:complexType>`;
}

function sequence(content: readonly string[]): string {
  return `<xsd:sequence>${content.join('')}</xsd:sequence>`;
}

function element(field: string, schema: string): string {
  const [name, type = '', many] = field.split(' ');
  const occurs = { '?': ' minOccurs="0"', '*': ' minOccurs="0" maxOccurs="unbounded"' };
  const times = many === undefined ? '' : occurs[many as keyof typeof occurs];
  return `<xsd:element name="${name}" type="${type.includes(':') ? type : `${schema}:${type}`}"${times}/>`;
}

function attribute(name: string, use: 'required' | 'optional'): string {
  return `<xsd:attribute name="${name}" type="xsd:anyURI" use="${use}"/>`;
}
