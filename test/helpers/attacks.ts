// Who shares what with whom in the table of attacks (epcis/access/ATTACKS.md), and what they capture and ask.

export const NS = 'https://acme.example/ns#';
export const DOCK = 'urn:epc:id:sgln:0614141.00001.0';
export const SITE = 'urn:x:acme:site';
export const ACME_EPC = 'urn:epc:id:sgtin:0614141.107346.';
const NOBODYS = 'urn:epc:id:sgtin:4012345.098765.1';
export const BETA_EPC = 'urn:epc:id:sgtin:9521141.012345.';
export const ACME_LINK = 'https://id.gs1.org/01/10614141073464/21/';
export const ID = (end: string) => `urn:uuid:00000000-0000-4000-8000-0000000000${end}`;

export const EVERYTHING = ['see', 'capture', 'masterData'].map((what) => ({
  name: what,
  for: 'everybody',
  [what]: 'everything',
}));
export const RULES = [
  { name: 'acme sees', for: 'client:acme', see: { epc: 'urn:epc:idpat:sgtin:0614141.*.*' } },
  { name: 'auditor sees', for: 'client:auditor', see: 'everything' },
  { name: 'acme captures', for: 'client:acme', capture: 'everything' },
  { name: 'acme has places', for: 'client:acme', capture: { masterData: 'everything' } },
  {
    name: 'beta sees its own',
    for: 'client:beta',
    see: { epc: 'urn:epc:idpat:sgtin:9521141.*.*' },
    hide: [`${NS}price`],
  },
  { name: 'beta captures its own', for: 'client:beta', capture: { everyEPC: 'urn:epc:idpat:sgtin:9521141.*.*' } },
  { name: 'gamma sees all', for: 'client:gamma', see: 'everything', hide: [`${NS}price`] },
  ...[
    { epc: 'urn:epc:idpat:sgtin:0614141.*.*' },
    { location: SITE },
    { EQ_bizStep: 'destroying' },
    { [`EQ_${NS}grade`]: ['secret', 'urn:x:secret', '20'] },
  ].map((deny, n) => ({ name: `but not ${n}`, for: 'client:gamma', deny })),
  { name: 'gamma captures as beta', for: 'client:gamma', capture: { everyEPC: 'urn:epc:idpat:sgtin:9521141.*.*' } },
];
/** Each with a partner's rights by other rules: what lets see its own; what lets see everything, and denies the rest. */
export const PARTNERS = ['beta', 'gamma'] as const;

export const event = (id: string, epcs: readonly string[], more: object = {}) => ({
  '@context': [{ acme: NS }],
  type: 'ObjectEvent',
  eventID: ID(id),
  eventTime: '2026-01-01T00:00:00Z',
  eventTimeZoneOffset: '+00:00',
  action: 'OBSERVE',
  epcList: epcs,
  ...more,
});
export const acmes = (id: string) =>
  event(id, [`${ACME_EPC}1`], { readPoint: { id: DOCK }, 'acme:note': 'of-acme', 'acme:price': '10' });
export const betas = (id: string) => event(id, [`${BETA_EPC}1`], { 'acme:note': 'of-beta', 'acme:price': '11' });
const documentOf = (epcs: readonly string[], fields = '') =>
  `<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:1" xmlns:a="${NS}" schemaVersion="1.2" creationDate="2026-01-01T00:00:00Z"><EPCISBody><EventList>` +
  '<ObjectEvent><eventTime>2026-02-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>' +
  `<epcList>${epcs.map((epc) => `<epc>${epc}</epc>`).join('')}</epcList><action>OBSERVE</action>${fields}</ObjectEvent></EventList></EPCISBody></e:EPCISDocument>`;
export const xmlOf = (...epcs: string[]) => documentOf(epcs);
/** Of nobody's EPCs: seen by whom everything is seen, but for what is denied. Each is by one of the rules, in another spelling than its own. */
export const denied = (): readonly object[] =>
  [
    { epcList: [`${ACME_LINK}7`] },
    { epcList: [`HTTPS://x.example/gtin/10614141073464/lot/A/ser/7`] },
    { epcList: [`${ACME_EPC}7`.toUpperCase()] },
    { epcList: ['urn:epc:idpat:sgtin:0614141.107346.*'] },
    { readPoint: { id: DOCK } },
    { bizLocation: { id: 'https://id.gs1.org/414/0614141000012' } },
    { bizStep: 'destroying' },
    { bizStep: 'https://ref.gs1.org/cbv/BizStep-destroying' },
    ...['secret', ['open', 'secret'], { '@value': 'secret' }, { '@value': 'secret', '@language': 'en' }].map(
      (grade) => ({
        'acme:grade': grade,
      }),
    ),
    ...[[{ '@list': [{ '@value': 'secret' }] }], { '@id': 'urn:x:secret' }, 2e1, { '@value': 20.0 }].map((grade) => ({
      'acme:grade': grade,
    })),
  ].map((more, n) => ({ ...event(`d${n.toString(16)}`, [NOBODYS]), 'acme:note': 'of-acme', ...more }));
export const DENIED_XML = [
  `<bizStep>urn:epcglobal:cbv:bizstep:destroying</bizStep>`,
  `<readPoint><id>\n${DOCK}</id></readPoint>`,
  '<a:grade>secret</a:grade>',
  '<a:grade a:by="x"><![CDATA[sec]]>ret</a:grade>',
  '<a:grade>secret<a:why/></a:grade>',
].map((fields) => documentOf([NOBODYS], `${fields}<a:note>of-acme</a:note>`));
export const PLACES =
  '<e:EPCISMasterDataDocument xmlns:e="urn:epcglobal:epcis-masterdata:xsd:1" schemaVersion="1.0" creationDate="2026-01-01T00:00:00Z">' +
  `<EPCISBody><VocabularyList>${['ReadPoint', 'BusinessLocation']
    .map(
      (type) =>
        `<Vocabulary type="urn:epcglobal:epcis:vtype:${type}"><VocabularyElementList><VocabularyElement id="${DOCK}"/>` +
        `<VocabularyElement id="${SITE}"><children><id>${DOCK}</id></children></VocabularyElement></VocabularyElementList></Vocabulary>`,
    )
    .join('')}</VocabularyList></EPCISBody></e:EPCISMasterDataDocument>`;
export const envelope = (operation: string) =>
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:q="urn:epcglobal:epcis-query:xsd:1">' +
  `<s:Body>${operation}</s:Body></s:Envelope>`;
export const poll = (name: string, parameters: Readonly<Record<string, string>> = {}) => {
  const params = Object.entries(parameters).map(([key, value]) => {
    const written = /^(?:max|include|orderBy)/.test(key) ? value : `<string>${value}</string>`;
    return `<param><name>${key}</name><value>${written}</value></param>`;
  });
  return `<q:Poll><queryName>${name}</queryName><params>${params.join('')}</params></q:Poll>`;
};
