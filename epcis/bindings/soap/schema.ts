// The types of the query interface for the WSDL: EPCIS 1.2's messages and events, from tables, under the schema's own names.
// A field is `name type`, with `?` for optional, `~` for optional or nil, and `*` for any number; a type without a prefix is one of the same schema.
// `##other` and `##local` are whatever elements of other namespaces and of none; `@name type use` is an attribute, `@` any.
import { EPCIS_TYPES, TYPED_URIS, URIS, type ComplexType } from './event-types.ts';

export type Fields = readonly string[];

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
  QueryResults: [
    'queryName xsd:string',
    'subscriptionID xsd:string ?',
    'resultsBody QueryResultsBody',
    'extension QueryResultsExtensionType ?',
    '##other',
  ],
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
    'extension SubscriptionControlsExtensionType ?',
    '##other',
  ],
  QuerySchedule: [
    ...['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'].map((name) => `${name} xsd:string ?`),
    'extension QueryScheduleExtensionType ?',
    '##other',
  ],
};

/** Messages whose type has another name than they. */
const OF_TYPE: Readonly<Record<string, string>> = {
  GetQueryNames: 'EmptyParms',
  GetStandardVersion: 'EmptyParms',
  GetVendorVersion: 'EmptyParms',
  GetQueryNamesResult: 'ArrayOfString',
  GetSubscriptionIDsResult: 'ArrayOfString',
  SubscribeResult: 'VoidHolder',
  UnsubscribeResult: 'VoidHolder',
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
  ImplementationException: ['severity ImplementationExceptionSeverity', ...SUBJECT],
};

const NAMESPACES = {
  epcglobal: 'urn:epcglobal:xsd:1',
  epcis: 'urn:epcglobal:epcis:xsd:1',
  epcisq: 'urn:epcglobal:epcis-query:xsd:1',
} as const;
type Prefix = keyof typeof NAMESPACES;

export function schemas(): string {
  // a type and no more, as in the standard: a string that tools may know by its name
  const epc = '<xsd:simpleContent><xsd:extension base="xsd:string"/></xsd:simpleContent>';
  return [
    schema('epcglobal', [], [named('EPC', epc)]),
    schema('epcis', ['epcglobal'], epcisTypes()),
    schema('epcisq', ['epcis'], queryTypes()),
  ].join('\n');
}

function schema(prefix: Prefix, imports: readonly Prefix[], content: readonly string[]): string {
  const declared = Object.entries(NAMESPACES).map(([name, uri]) => ` xmlns:${name}="${uri}"`);
  const imported = imports.map((name) => `<xsd:import namespace="${NAMESPACES[name]}"/>`);
  return `<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"${declared.join('')}
  targetNamespace="${NAMESPACES[prefix]}" elementFormDefault="unqualified" attributeFormDefault="unqualified">
${[...imported, ...content].join('\n')}
</xsd:schema>`;
}

function epcisTypes(): string[] {
  const typed = Object.entries(TYPED_URIS).map(([name, [uri, type, use]]) => {
    const content = `<xsd:extension base="epcis:${uri}">${part(`@type epcis:${type} ${use}`, 'epcis')}</xsd:extension>`;
    return named(name, `<xsd:simpleContent>${content}</xsd:simpleContent>`);
  });
  // the text or the elements of an attribute of master data
  const attribute = `<xsd:extension base="xsd:anyType">${part('@id xsd:anyURI required', 'epcis')}${part('@', 'epcis')}</xsd:extension>`;
  return [
    ...URIS.map((name) => restricted(name, 'xsd:anyURI')),
    restricted('UOMType', 'xsd:string'),
    restricted('ActionType', 'xsd:string', ['ADD', 'OBSERVE', 'DELETE']),
    ...Object.entries(EPCIS_TYPES).map(([name, type]) => complex(name, type, 'epcis')),
    ...typed,
    named('AttributeType', `<xsd:complexContent mixed="true">${attribute}</xsd:complexContent>`),
  ];
}

function queryTypes(): string[] {
  const own = Object.entries(MESSAGES).filter(([name]) => !Object.hasOwn(OF_TYPE, name));
  const plain: Readonly<Record<string, Fields>> = { ...QUERY_TYPES, EmptyParms: [], ...Object.fromEntries(own) };
  const versions = ['Standard', 'Vendor'].map((v) => `<xsd:element name="Get${v}VersionResult" type="xsd:string"/>`);
  const open = ['SubscriptionControls', 'QuerySchedule', 'QueryResults'].map((name) => `${name}ExtensionType`);
  const body = {
    choice: 'one',
    fields: ['EventList epcis:EventListType', 'VocabularyList epcis:VocabularyListType'],
  } as const;
  const exceptions = Object.entries(EXCEPTIONS).flatMap(([name, fields]) => [
    declared(name),
    complex(name, { base: 'EPCISException', fields }, 'epcisq'),
  ]);
  return [
    ...Object.keys(MESSAGES).map(declared),
    ...versions,
    ...Object.entries(plain).map(([name, fields]) => complex(name, { fields }, 'epcisq')),
    ...open.map((name) => complex(name, { fields: ['##local', '@'] }, 'epcisq')),
    complex('QueryResultsBody', body, 'epcisq'),
    restricted('ImplementationExceptionSeverity', 'xsd:NCName', ['ERROR', 'SEVERE']),
    declared('EPCISException'),
    complex('EPCISException', { fields: ['reason xsd:string'] }, 'epcisq'),
    ...exceptions,
  ];
}

const declared = (name: string): string => `<xsd:element name="${name}" type="epcisq:${OF_TYPE[name] ?? name}"/>`;

function complex(name: string, { fields, base, abstract, choice }: ComplexType, schema: Prefix): string {
  const parts = (attributes: boolean): string =>
    fields
      .filter((field) => field.startsWith('@') === attributes)
      .map((field) => part(field, schema))
      .join('');
  const many = choice === 'many' ? OCCURS['*'] : '';
  const group = choice === undefined ? 'sequence' : 'choice';
  const all = `<xsd:${group}${many}>${parts(false)}</xsd:${group}>`;
  const content = all + parts(true);
  const extended = `<xsd:complexContent><xsd:extension base="${schema}:${base}">${content}</xsd:extension></xsd:complexContent>`;
  return named(name, base === undefined ? content : extended, abstract ? ' abstract="true"' : '');
}

const named = (name: string, content: string, attributes = ''): string =>
  `<xsd:complexType name="${name}"${attributes}>${content}</xsd:complexType>`;

function restricted(name: string, base: string, values: readonly string[] = []): string {
  const enumeration = values.map((value) => `<xsd:enumeration value="${value}"/>`).join('');
  return `<xsd:simpleType name="${name}"><xsd:restriction base="${base}">${enumeration}</xsd:restriction></xsd:simpleType>`;
}

const OCCURS = {
  '?': ' minOccurs="0"',
  '~': ' minOccurs="0" nillable="true"',
  '*': ' minOccurs="0" maxOccurs="unbounded"',
};

function part(field: string, schema: Prefix): string {
  const [name = '', type = '', many] = field.split(' ');
  if (name === '@') return '<xsd:anyAttribute processContents="lax"/>';
  if (name.startsWith('@')) return `<xsd:attribute name="${name.slice(1)}" type="${type}" use="${many}"/>`;
  if (name.startsWith('##')) return `<xsd:any namespace="${name}" processContents="lax"${OCCURS['*']}/>`;
  const times = many === undefined ? '' : OCCURS[many as keyof typeof OCCURS];
  return `<xsd:element name="${name}" type="${type.includes(':') ? type : `${schema}:${type}`}"${times}/>`;
}
