// Every class of query parameter, at each door: what it must find among the sample events, and what it must not.
import { ask, DOOR_NAMES, expectFound, type Question } from './ask.ts';
import { expectProblem, expectThat, type Site, type Step } from './site.ts';

type Table = readonly (readonly [question: Question, found: readonly string[]])[];

function standard(own: (name: string) => string, site: Site): Table {
  const mine = (question: Question): Question => ({ ...question, EQ_eventID: idsOf(site) });
  return [
    [mine({ eventType: 'ObjectEvent' }), ['made', 'measured', 'seen', 'seen']],
    [mine({ eventType: 'AggregationEvent' }), ['packed']],
    [mine({ eventType: 'TransactionEvent' }), ['ordered']],
    [mine({ eventType: 'TransformationEvent' }), ['cooked']],
    [mine({ eventType: 'AssociationEvent' }), ['joined']],
    [mine({ eventType: ['AggregationEvent', 'AssociationEvent'] }), ['joined', 'packed']],
    [mine({ GE_eventTime: '2019-03-04T09:05:00Z' }), ['cooked', 'joined', 'measured']],
    [mine({ LT_eventTime: '2019-03-04T10:02:00+01:00' }), ['made']],
    [mine({ GE_eventTime: '2019-03-04T10:03:00+01:00', LT_eventTime: '2019-03-04T09:04:00.000Z' }), ['packed']],
    [mine({ GE_recordTime: '2019-03-04T09:05:00Z', eventType: 'AggregationEvent' }), ['packed']],
    [mine({ LT_recordTime: '2019-03-04T09:05:00Z' }), []],
    [mine({ EQ_action: 'ADD' }), ['joined', 'made', 'ordered', 'packed']],
    [mine({ EQ_action: ['OBSERVE', 'DELETE'] }), ['measured', 'seen', 'seen']],
    [mine({ EQ_bizStep: 'commissioning' }), ['made']],
    [mine({ EQ_bizStep: 'urn:epcglobal:cbv:bizstep:commissioning' }), ['made']],
    [mine({ EQ_bizStep: 'https://ref.gs1.org/cbv/BizStep-commissioning' }), ['made']],
    [mine({ EQ_bizStep: ['packing', 'installing'] }), ['joined', 'packed']],
    [mine({ EQ_disposition: 'active' }), ['made']],
    [mine({ EQ_disposition: 'urn:epcglobal:cbv:disp:in_transit' }), ['seen', 'seen']],
    [mine({ EQ_persistentDisposition_set: 'completeness_verified' }), ['made']],
    [mine({ EQ_persistentDisposition_unset: 'completeness_inferred' }), ['made']],
    [mine({ EQ_persistentDisposition_set: 'completeness_inferred' }), []],
    [{ EQ_readPoint: own('read:1') }, ['made']],
    [{ EQ_readPoint: [own('read:1'), own('read:2')] }, ['made', 'seen', 'seen']],
    [{ WD_readPoint: own('read:1') }, ['made']],
    [{ EQ_bizLocation: own('place:1') }, ['made']],
    [{ WD_bizLocation: own('place:1') }, ['made']],
    [{ EQ_bizTransaction_po: own('po:1') }, ['made']],
    [{ 'EQ_bizTransaction_urn:epcglobal:cbv:btt:po': own('po:1') }, ['made']],
    [{ EQ_bizTransaction_inv: own('po:1') }, []],
    [{ EQ_bizTransaction_inv: own('inv:1') }, ['ordered']],
    [{ EQ_source_possessing_party: own('party:1') }, ['made']],
    [{ EQ_source_owning_party: own('party:1') }, []],
    [{ EQ_destination_owning_party: own('party:2') }, ['made']],
    [{ EQ_transformationID: own('xform:1') }, ['cooked']],
    [{ MATCH_epc: own('item:1') }, ['made', 'packed']],
    [{ MATCH_epc: own('pallet:1') }, []],
    [{ MATCH_epc: own('item:5') }, []],
    [{ MATCH_parentID: own('pallet:1') }, ['packed']],
    [{ MATCH_parentID: [own('pallet:2'), own('room:1')] }, ['joined', 'ordered']],
    [{ MATCH_inputEPC: own('item:5') }, ['cooked']],
    [{ MATCH_inputEPC: own('item:6') }, []],
    [{ MATCH_outputEPC: own('item:6') }, ['cooked']],
    [{ MATCH_anyEPC: [own('item:5'), own('room:1'), own('item:4')] }, ['cooked', 'joined', 'ordered']],
    [mine({ MATCH_epc: 'urn:epc:id:sgtin:0614141.107346.2018' }), ['seen', 'seen']],
    [mine({ MATCH_epc: 'https://id.gs1.org/01/10614141073464/21/2017' }), ['made']],
    [mine({ MATCH_epc: 'urn:epc:idpat:sgtin:0614141.107346.*' }), ['made', 'seen', 'seen']],
    [mine({ MATCH_anyEPC: 'urn:epc:idpat:sgtin:0614141.*.*' }), ['made', 'seen', 'seen']],
    [mine({ MATCH_epc: 'urn:epc:idpat:sgtin:0614141.999999.*' }), []],
    [{ MATCH_epcClass: own('class:1') }, ['made']],
    [{ MATCH_epcClass: [own('class:2'), own('class:3')] }, ['packed']],
    [mine({ MATCH_epcClass: 'urn:epc:class:lgtin:4012345.012345.998877' }), ['made']],
    [mine({ MATCH_epcClass: 'urn:epc:idpat:lgtin:4012345.012345.*' }), ['made']],
    [{ MATCH_inputEPCClass: own('class:3') }, ['cooked']],
    [{ MATCH_inputEPCClass: own('class:4') }, []],
    [{ MATCH_outputEPCClass: own('class:4') }, ['cooked']],
    [{ MATCH_anyEPCClass: [own('class:2'), own('class:3'), own('class:4')] }, ['cooked', 'packed']],
    [{ EQ_eventID: [site.eventID('packed'), site.eventID('joined')] }, ['joined', 'packed']],
    [mine({ EXISTS_errorDeclaration: '' }), ['seen']],
    [mine({ GE_errorDeclarationTime: '2019-03-05T00:00:00Z' }), ['seen']],
    [mine({ LT_errorDeclarationTime: '2019-03-05T00:00:00Z' }), []],
    [mine({ EQ_errorReason: 'incorrect_data' }), ['seen']],
    [mine({ EQ_errorReason: 'did_not_occur' }), []],
    [{ EQ_correctiveEventID: site.eventID('made') }, ['seen']],
    // what is asked for must all hold
    [mine({ EQ_action: 'ADD', EQ_bizStep: 'packing' }), ['packed']],
    [mine({ EQ_action: 'DELETE', EQ_bizStep: 'packing' }), []],
  ];
}

function fields(own: (name: string) => string, site: Site): Table {
  const mine = (question: Question): Question => ({ ...question, EQ_eventID: idsOf(site) });
  return [
    [{ 'EQ_own:text': 'red' }, ['made']],
    [{ 'EQ_own:text': ['blue', 'red'] }, ['made']],
    [{ 'EQ_own:text': 'blue' }, []],
    [{ 'EQ_own:count': '5' }, ['made']],
    [{ 'GT_own:count': '5' }, ['seen', 'seen']],
    [{ 'GE_own:count': '5' }, ['made', 'seen', 'seen']],
    [{ 'LT_own:count': '6' }, ['made']],
    [{ 'LE_own:count': '6' }, ['made', 'seen', 'seen']],
    [{ 'GE_own:when': '2019-03-04T11:00:00+01:00' }, ['made']],
    [{ 'LT_own:when': '2019-03-04T10:00:00Z' }, []],
    [{ 'EXISTS_own:box': '' }, ['made']],
    [{ 'EQ_own:inner': '9' }, []],
    [{ 'EQ_INNER_own:inner': '9' }, ['made']],
    [{ 'GT_INNER_own:inner': '8' }, ['made']],
    [{ 'LT_INNER_own:inner': '9' }, []],
    [{ 'EXISTS_INNER_own:inner': '' }, ['made']],
    [{ 'EQ_INNER_own:text': 'red' }, []],
    [{ 'EQ_ILMD_own:lot': 'L1' }, ['made']],
    [{ 'EXISTS_ILMD_own:lot': '' }, ['made']],
    [{ 'EXISTS_ILMD_own:before': '' }, []],
    [{ 'GE_INNER_ILMD_own:before': '2020-01-01T00:00:00Z' }, ['made']],
    [{ 'LT_INNER_ILMD_own:before': '2020-01-01T00:00:00Z' }, []],
    [{ 'EXISTS_INNER_ILMD_own:before': '' }, ['made']],
    [{ 'EQ_ERROR_DECLARATION_own:told': 'Anna' }, ['seen']],
    [{ 'EXISTS_ERROR_DECLARATION_own:told': '' }, ['seen']],
    [{ 'EQ_readPoint_own:gate': 'north' }, ['made']],
    [{ 'GE_bizLocation_own:floor': '3' }, ['made']],
    [mine({ EXISTS_sensorElementList: '' }), ['measured']],
    [mine({ GE_time: '2019-03-04T09:07:00Z' }), ['measured']],
    [mine({ LT_time: '2019-03-04T09:07:00Z' }), []],
    [mine({ GE_startTime: '2019-03-04T10:00:00+01:00', LT_startTime: '2019-03-04T09:00:00.001Z' }), ['measured']],
    [mine({ GE_endTime: '2019-03-04T09:06:00Z' }), ['measured']],
    [mine({ LT_endTime: '2019-03-04T09:06:00Z' }), []],
    [mine({ EQ_type: 'Temperature' }), ['measured']],
    [mine({ EQ_type: 'gs1:Temperature' }), ['measured']],
    [mine({ EQ_type: 'https://gs1.org/voc/RelativeHumidity' }), ['measured']],
    [mine({ EQ_type: 'Speed' }), []],
    [{ EQ_deviceID: own('device:1') }, ['measured']],
    [{ EQ_dataProcessingMethod: own('method:1') }, ['measured']],
    [{ EQ_microorganism: own('germ:1') }, ['measured']],
    [{ EQ_chemicalSubstance: own('salt:1') }, ['measured']],
    [{ EQ_bizRules: own('rules:1') }, ['measured']],
    [{ EQ_stringValue: own('text') }, ['measured']],
    [mine({ EQ_booleanValue: 'true' }), ['measured']],
    [mine({ EQ_booleanValue: 'false' }), []],
    [mine({ EQ_hexBinaryValue: 'F0F1' }), ['measured']],
    [{ EQ_uriValue: own('value:1') }, ['measured']],
    [mine({ EQ_value_CEL: '26.5' }), ['measured']],
    [mine({ GE_value_CEL: '26.5', LT_value_CEL: '26.6' }), ['measured']],
    [mine({ GT_value_CEL: '26.5' }), []],
    [mine({ GE_value_KEL: '299', LT_value_KEL: '300' }), ['measured']],
    [mine({ LT_value_FAH: '70' }), []],
    [mine({ GE_minValue_CEL: '26' }), ['measured']],
    [mine({ LT_maxValue_CEL: '26.9' }), []],
    [mine({ LE_maxValue_CEL: '26.9' }), ['measured']],
    [mine({ GE_meanValue_CEL: '26.4' }), ['measured']],
    [mine({ LT_sDev_CEL: '0.2' }), ['measured']],
    [mine({ GE_percRank: '50' }), ['measured']],
    [mine({ LT_percRank: '50' }), []],
    [mine({ GE_percValue_CEL: '12' }), ['measured']],
    [{ 'EQ_SENSORELEMENT_own:layer': '4' }, ['measured']],
    [{ 'GT_SENSORELEMENT_own:layer': '4' }, []],
    [{ 'EXISTS_SENSORELEMENT_own:layer': '' }, ['measured']],
    [{ 'EQ_SENSORMETADATA_own:grade': 'A' }, ['measured']],
    [{ 'EXISTS_SENSORMETADATA_own:layer': '' }, []],
    [{ 'EQ_SENSORREPORT_own:place': 'top' }, ['measured']],
    [{ 'EXISTS_SENSORREPORT_own:place': '' }, ['measured']],
    // order and limits
    [{ 'GE_own:count': '5', orderBy: 'eventTime', orderDirection: 'ASC', eventCountLimit: '1' }, ['made']],
    [{ 'GE_own:count': '5', orderBy: 'eventTime', orderDirection: 'DESC', eventCountLimit: '2' }, ['seen', 'seen']],
    [{ 'GE_own:count': '5', orderBy: 'eventTime', eventCountLimit: '1' }, ['seen']],
    [{ 'EQ_own:count': '5', maxEventCount: '1' }, ['made']],
  ];
}

const idsOf = (site: Site): readonly string[] =>
  ['made', 'seen', 'packed', 'ordered', 'cooked', 'joined', 'measured'].map((name) => site.eventID(name));

/** Questions that the standard refuses, whatever the repository holds. */
const REFUSED: readonly (readonly [question: Question, exception: string, why: string])[] = [
  [{ EQ_nothing: 'x' }, 'QueryParameterException', 'an unknown parameter'],
  [{ EQ_bizstep: 'shipping' }, 'QueryParameterException', 'another case'],
  [{ GE_eventTime: 'yesterday' }, 'QueryParameterException', 'no time'],
  [{ LT_recordTime: '2019-13-01T00:00:00Z' }, 'QueryParameterException', 'no month'],
  [{ EQ_action: 'CREATE' }, 'QueryParameterException', 'no action'],
  [{ GE_quantity: 'many' }, 'QueryParameterException', 'no number'],
  [{ GE_value_CEL: 'warm' }, 'QueryParameterException', 'no number'],
  [{ EQ_booleanValue: 'maybe' }, 'QueryParameterException', 'no boolean'],
  [{ orderBy: 'nothing' }, 'QueryParameterException', 'no order'],
  [{ orderBy: 'eventTime', orderDirection: 'UP' }, 'QueryParameterException', 'no direction'],
  [{ eventCountLimit: '2' }, 'QueryParameterException', 'a limit without order'],
  [
    { eventCountLimit: '2', maxEventCount: '2', orderBy: 'eventTime' },
    'QueryParameterException',
    'both limits together',
  ],
  [{ eventCountLimit: 'two', orderBy: 'eventTime' }, 'QueryParameterException', 'no count'],
  [{ maxEventCount: '-1' }, 'QueryParameterException', 'a negative count'],
];

export function querySteps(site: Site): Step[] {
  const own = (name: string) => site.name(`urn:example:${name}`);
  const table = [...standard(own, site), ...fields(own, site)];
  const steps = table.flatMap(([question, names]) =>
    DOOR_NAMES.map((door) => ({
      name: `${label(question)} by ${door}`,
      run: () => expectFound(site, door, question, names),
    })),
  );
  const refused = REFUSED.flatMap(([question, exception, why]) =>
    DOOR_NAMES.map((door) => ({
      name: `${label(question)}: ${why}, by ${door}`,
      run: () => expectRefused(site, door, question, 400, exception),
    })),
  );
  const tooLarge = DOOR_NAMES.map((door) => ({
    name: `more than maxEventCount by ${door}`,
    run: () => expectRefused(site, door, { 'GE_own:count': '5', maxEventCount: '1' }, 413, 'QueryTooLargeException'),
  }));
  return [...steps, ...refused, ...tooLarge];
}

async function expectRefused(site: Site, door: string, question: Question, status: number, exception: string) {
  const answer = await ask(site, door, question);
  if (door.startsWith('REST')) return expectProblem(answer, status, exception);
  expectThat(answer.status === 500, `a fault has status ${answer.status}`);
  expectThat(answer.text.includes(`:${exception}>`), `${answer.text} where ${exception} is expected`);
}

/** Without what only keeps other runs out. */
function label(question: Question): string {
  const shown = Object.entries(question).filter(([name], _at, all) => name !== 'EQ_eventID' || all.length === 1);
  return shown.map(([name, value]) => `${name}=${shorten(String(value))}`).join('&');
}

const shorten = (text: string): string => text.replace(/-?[0-9a-f]{8}-[0-9a-f-]{27}/g, '');
