// What else is told to the service, the manager and the tools: schedules, the calendar, queries as JSON, names of EPCs, plans, what a cloud
// lists, journals, what is stored of an event, and exports as Parquet.
import { gunzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { createWriteExport } from '../../epcis/bindings/delivery/write-export.ts';
import { extensionsOf } from '../../epcis/bindings/rest/headers.ts';
import { readQueryObject } from '../../epcis/bindings/rest/query-string.ts';
import { scheduleOf } from '../../epcis/bindings/rest/subscriptions.ts';
import { writeEvent } from '../../epcis/bindings/write.ts';
import { epcKey } from '../../epcis/domain/epc.ts';
import { epcPattern, matchesPattern } from '../../epcis/domain/epc-pattern.ts';
import { EpcisException } from '../../epcis/domain/exceptions.ts';
import { atOnce } from '../../epcis/domain/in-pieces.ts';
import { parseTime } from '../../epcis/domain/time.ts';
import { packEvent, unpackEvent, unpackSource } from '../../epcis/repository/payload.ts';
import { planEvents } from '../../epcis/service/parameters.ts';
import { nextRun, parseSchedule } from '../../epcis/service/schedule.ts';
import type { StoredEvent } from '../../epcis/service/services.ts';
import { readContext, writeParent } from '../../epcis/tracing/context.ts';
import { parsePlan } from '../../loadgen/plan.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { readMonitoring, readVm } from '../../opennebula/documents/vm.ts';
import { XmlRpcError } from '../../opennebula/documents/xml-rpc.ts';
import { parseXml } from '../../opennebula/xml-parser.ts';
import { decodeEntry, encodeEntry } from '../../src/loop/journal.ts';
import { holdsAt, parseWindow } from '../../src/settings/time-window.ts';
import { json2, objectJson, readAll, RECORD_TIME } from '../helpers/epcis-documents.ts';
import { orRefused, same } from './doors.ts';
import type { Target } from './fuzz.ts';

const NOON = Date.UTC(2024, 1, 29, 12);

function jsonOf(input: Buffer): unknown {
  try {
    return JSON.parse(input.toString()) as unknown;
  } catch {
    return undefined; // no JSON
  }
}

const EVENTS = [
  json2(objectJson()),
  json2(objectJson({ 'x:note': 'é \u0000 😀', childEPCs: [], bizStep: 'shipping' }), '{"x":"https://x.example.org/"}'),
];

async function eventsIn(input: Buffer): Promise<readonly StoredEvent[]> {
  const items = (await orRefused(EpcisException, () => readAll(input, 'json'))) ?? [];
  return items.flatMap((item) => (item.kind === 'event' ? [{ ...item.captured, recordTime: RECORD_TIME }] : []));
}

/** -0, which is written as 0, as that. */
function unsigned(value: unknown): unknown {
  if (typeof value === 'number') return value + 0;
  if (Array.isArray(value)) return value.map(unsigned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unsigned(each)]));
}

export const TOLD: readonly Target[] = [
  {
    name: 'schedule',
    samples: [
      '{"second":"0/30"}',
      '{"minute":"0,[5-10]","hour":"1"}',
      '{"dayOfMonth":"30","month":"2","dayOfWeek":"7"}',
    ],
    words: ['"second":', '"dayOfWeek":', '[1-7]', '0/30', ',', '-1', '59', '31', '[', '-', '/0'],
    take: (input) =>
      orRefused(EpcisException, () => {
        const given = jsonOf(input);
        if (given === undefined) return;
        const schedule = parseSchedule(scheduleOf(given));
        const at = nextRun(schedule, NOON);
        if (at === undefined) return;
        const date = new Date(at);
        if (
          !(at > NOON) ||
          !schedule.second.includes(date.getUTCSeconds()) ||
          !schedule.hour.includes(date.getUTCHours())
        )
          throw new Error(`it runs at ${date.toISOString()}`);
      }),
  },
  {
    name: 'calendar',
    samples: [
      'mon-fri 08:00-20:00 Europe/Athens min=3',
      'nov-feb sat,sun 22:00-06:00 max=4',
      '1-5,24 dec 00:00-24:00 UTC',
    ],
    words: ['mon', 'fri-mon', 'dec', '24:00', '00:00', ' ', ',', '-', 'min=', 'America/Sao_Paulo', 'UTC', '31'],
    take(input) {
      const window = parseWindow(input.toString());
      if (window === '') throw new Error('refused without a word');
      if (typeof window === 'string') return;
      for (let day = 0; day < 7; day++) holdsAt(window, NOON + day * 86_400_000);
      if (!(window.from >= 0 && window.to <= 1_440 && window.from !== window.to))
        throw new Error(JSON.stringify(window));
    },
  },
  {
    name: 'query-json',
    samples: [
      '{"EQ_bizStep":["shipping","receiving"],"GE_eventTime":"2030-01-01T00:00:00Z"}',
      '{"@context":[{"ex":"https://ex.example.org/"}],"EQ_ex:color":["red"],"orderBy":"eventTime","eventCountLimit":5}',
      '{"MATCH_anyEPC":["urn:epc:idpat:sgtin:*.*.*"],"EXISTS_INNER_ex:a":true}',
    ],
    words: ['"@context":', '"EQ_ex:', 'null', '[[', '{}', 'ex:', '"MATCH_epc":', '1e400', '__proto__', '"@base"'],
    take: (input) =>
      orRefused(EpcisException, () => {
        const given = jsonOf(input);
        if (given !== undefined) planEvents(readQueryObject(given, new Map([['ex', 'https://ex.example.org/']])));
      }),
  },
  {
    name: 'extensions',
    samples: ['ex=http://example.com/ns/, ex2=urn:x:', 'a=b=c,,=d, e='],
    words: ['=', ',', ' ', 'ex', 'urn:x:', '<', '"', 'xmlns'],
    take(input) {
      for (const [prefix, namespace] of extensionsOf({ 'gs1-extensions': input.toString('latin1') }))
        if (!/^[A-Za-z_][\w.-]*$/.test(prefix) || namespace === '') throw new Error(`${prefix} for ${namespace}`);
    },
  },
  {
    name: 'epc',
    samples: [
      'urn:epc:id:sgtin:0614141.107346.2017',
      'https://id.gs1.org/01/10614141073464/21/2017?a=b',
      'urn:epc:idpat:sgtin:0614141.*.*',
      'https://example.com/some/path/gtin/9521141123454/lot/ABC/ser/1%2F2',
      'urn:epc:id:grai:0614141.12345.400',
      'urn:epc:idpat:gid:95100000.*.*',
      'urn:epc:id:cpi:0614141.123%2FABC.123',
    ],
    words: ['.', '*', '%2F', '%2f', '/01/', '/414/', '/254/0', 'urn:epc:idpat:', 'sgln', 'itip', '/', '?', '(', '0'],
    take(input) {
      const uri = input.toString();
      const key = epcKey(uri);
      same(epcKey(key), key, 'the key of its key');
      for (const what of ['instance', 'class'] as const) {
        const pattern = epcPattern(uri, what);
        if (pattern.exact !== undefined && !matchesPattern(pattern.exact, pattern))
          throw new Error('it does not meet itself');
        matchesPattern('https://id.gs1.org/01/10614141073464/21/2017', pattern);
      }
    },
  },
  {
    name: 'time',
    samples: [
      '2024-02-29T12:00:00.123456789+05:30',
      '0001-01-01T00:00:00Z',
      '9999-12-31T24:00:00-14:00',
      '2023-02-29T00:00:00Z',
    ],
    words: ['-', ':', 'T', 'Z', '+14:00', '.', '24:00:00', '02-29', '60', '0000', ' '],
    take(input) {
      const text = input.toString();
      const instant = parseTime(text, 'optional');
      // a day that exists, as Date has it: that knows no 24:00, and reads more than three digits of a second wrongly
      const short = text.replace(/(\.\d{3})\d+/, '$1');
      const known = /T24/.test(text) ? NaN : Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(short) ? short : `${short}Z`);
      if (instant !== undefined && !Number.isNaN(known) && known !== instant.ms)
        throw new Error(`${instant.ms} and ${known}`);
    },
  },
  {
    name: 'trace-context',
    samples: [
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-x',
    ],
    words: ['-', '00', 'ff', '0', 'A', ' '],
    take(input) {
      const context = readContext(input.toString());
      if (context !== undefined) same(readContext(writeParent(context)), context, 'written and read again');
    },
  },
  {
    name: 'plan',
    unhurried: true,
    samples: [
      'policies: [mmeliot, { eliot: {} }]\nprofiles:\n  up: { kind: ascending, max: 80%, duration: 3m }\nrepetitions: 2\nseed: 7\n',
      'policies:\n  - hpa\nprofiles:\n  day: { trace: a.csv, duration: 1h }\nload: { mix: queries }\n',
    ],
    words: [
      'policies:',
      'profiles:',
      'load:',
      'objective:',
      '&a',
      '*a',
      '<<: ',
      '- ',
      '80%',
      '1h',
      '{',
      '!!set',
      'null',
    ],
    take: (input) => orRefused(OptionError, () => parsePlan(input.toString(), 'plan.yaml')),
  },
  {
    name: 'opennebula-vm',
    samples: [
      '<VM_POOL><VM><ID>7</ID><NAME>n</NAME><STATE>3</STATE><LCM_STATE>3</LCM_STATE><STIME>1700000000</STIME><TEMPLATE><VCPU>2</VCPU><NIC><NIC_ID>0</NIC_ID><IP>10.0.0.1</IP></NIC></TEMPLATE><USER_TEMPLATE><MMELIOT_GROUP><![CDATA[g]]></MMELIOT_GROUP></USER_TEMPLATE></VM></VM_POOL>',
      '<MONITORING_DATA><MONITORING><ID>7</ID><TIMESTAMP>1700000000</TIMESTAMP><CPU>12.5</CPU></MONITORING></MONITORING_DATA>',
    ],
    words: ['<VM>', '</VM>', '<NIC>', '<STATE>', '<![CDATA[', ']]>', '<HISTORY_RECORDS><HISTORY>', '1e99', '&#27;'],
    async take(input) {
      const root = await orRefused(XmlRpcError, () => parseXml(input.toString()));
      if (root === undefined) return;
      for (const each of [root, ...root.children])
        if (readVm(each).phase === undefined) throw new Error('it is in no phase');
      for (const { at, cpu } of readMonitoring(root).values())
        if (!Number.isFinite(at + cpu)) throw new Error(`${cpu} at ${at}`);
    },
  },
  {
    name: 'journal',
    samples: [
      '{"kind":"step","at":1,"step":{"what":"drain"}}',
      '{"kind":"settings","at":1,"parameters":{"high":80,"preset":"paper"}}',
    ],
    words: [
      '"kind":',
      '"settings"',
      '"parameters":',
      'null',
      '{}',
      '[]',
      '"period"',
      '"policyParameters":',
      '__proto__',
    ],
    take(input) {
      const entry = decodeEntry(input.toString());
      if (entry !== undefined) same(decodeEntry(encodeEntry(entry)), unsigned(entry), 'written and read again');
    },
  },
  {
    name: 'stored-event',
    samples: EVENTS,
    words: ['\\ud800', '\\u0000', '"x:y"', '"a"', 'urn:epc:id:sgtin:9521141.012345.7', '😀'],
    async take(input) {
      for (const { event, hash, source } of await eventsIn(input)) {
        const payload = atOnce(packEvent({ event, hash, source }));
        same(unpackEvent(payload), event, 'the event again');
        same(unpackSource(payload), source, 'its source again');
      }
    },
  },
  {
    name: 'parquet',
    samples: EVENTS,
    words: [
      '\\ud800',
      '\\u0000',
      '"x:y"',
      '[]',
      '"childEPCs":[',
      '"bizLocation":{"id":',
      '2024-02-29T24:00:00Z',
      '0001-01-01',
    ],
    async take(input) {
      const event = (stored: StoredEvent): string => writeEvent(stored, { form: 'json', version: '2.0' });
      const request = { queryName: 'q', parameters: [], format: 'parquet', version: '2.0' } as const;
      const made = createWriteExport({ event }, () => new Date(0))(request);
      const events = (await eventsIn(input)).map((stored) => made.event(stored));
      const { bytes = new Uint8Array() } = made.page(events, { isFirst: true, isLast: true, isBehind: false });
      const rows = await parquetReadObjects({
        file: new Uint8Array(bytes).buffer,
        compressors: { GZIP: (packed) => new Uint8Array(gunzipSync(packed)) },
      });
      same(
        rows.map((row: Record<string, unknown>) => row['event']),
        events.map((text) => text.toWellFormed()),
        'the events again',
      );
    },
  },
];
