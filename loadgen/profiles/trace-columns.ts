// Which columns of a trace are its times and its counts, and in what they are counted, by their names.
import type { Millis } from '../../src/model.ts';

export interface Column {
  readonly at: number;
  /** How long what it counts in is: "minute", "requests_per_second"; NaN: per something that is no time. */
  readonly unit?: Millis;
}

export interface Columns {
  readonly time?: Column;
  readonly counts: readonly Column[];
}

const SECOND = 1000;
const UNITS: readonly (readonly [RegExp, Millis])[] = [
  [/^(ns|nanos|nanoseconds?)$/, 1e-6],
  [/^(us|[µμ]s|micros|microseconds?)$/, 1e-3],
  [/^(ms|millis|milliseconds?)$/, 1],
  [/^(s|secs?|seconds?|sekunden?|segundos?|secondes?|second[oi])$/, SECOND],
  [/^(m|mins?|minutes?|minuten|minutos?|minuti)$/, 60 * SECOND],
  [/^(h|hrs?|hours?|stunden?|horas?|heures?|ora)$/, 3600 * SECOND],
  [/^(d|days?|tage|dias?|jours?|giorn[oi])$/, 86_400 * SECOND],
];
const TIME = either(
  /^(time|times|timestamp|timestamps|date|datetime|period|ds|step|interval|slot|bin|bucket|index|epoch|ts?)$/,
  // German, Dutch; Spanish, Portuguese; French; Italian
  /^(zeit|zeitpunkt|zeitstempel|uhrzeit|datum|intervall|tijd|tijdstip)$/,
  /^(fecha|hora|tiempo|instante|periodo|intervalo|tempo)$/,
  /^(heure|horodatage|temps|instant|periode|intervalle)$/,
);
/** Which row it is, where something else says when. */
const ORDINAL = /^(step|interval|slot|bin|bucket|index|period)$/;
/** A date in Portuguese and Italian; in English anything. */
const DATA = /^data$/;
const COUNT = either(
  /^(counts?|cnt|values?|requests?|reqs?|hits?|arrivals?|invocations?|loads?|rate|y|visits?|views|pageviews|transactions?|quer(y|ies)|calls?|events?|workload|traffic|throughput|[rqt]p[smh])$/,
  /^(anzahl|anfragen|abfragen|aufrufe|zugriffe|ankunfte|werte?|aantal|verzoeken)$/,
  /^(peticiones|solicitudes|cantidad|conteo|llegadas|visitas|valor|valores|requisicoes|pedidos|acessos|quantidade|contagem|chegadas)$/,
  /^(requetes|nombre|appels|arrivees|visites|valeurs?|richieste|conteggio|arrivi|valor[ei])$/,
);
/** Those that say it themselves: of several columns they are the counts. */
const PLAIN =
  /^((the |num |number of |no of |total |n )?(counts?|requests?|values?|y|request counts?|requests per \w+|rp[smh]))$/;
const SHORT_RATES: readonly (readonly [RegExp, Millis])[] = [
  [/^(rps|qps|tps|hz)$/, SECOND],
  [/^(rpm|qpm|tpm)$/, 60 * SECOND],
  [/^(rph|qph|tph)$/, 3600 * SECOND],
];
/** What a line is about. */
const EACH = /^(interval|bin|slot|step|period|bucket|line|row|sample)$/;
/** How long something took is no time that it came at. */
const TOOK = /^(response|service|duration|latency|processing|elapsed|cpu|wait|waiting|inter|interarrivals?|iat)$/;
/** What a request was is no count of them. */
const WHICH = /^(ids?|uuid|hash|name|type|method|url|uri|path|lengths?|tokens?|port|protocol|status|code)$/;
/** PromQL's are per second, whatever they look back on. */
const PER_SECOND = /\bi?rate\(/;

function either(...forms: readonly RegExp[]): RegExp {
  return new RegExp(forms.map(({ source }) => source).join('|'));
}

/** "count", "requests": nothing else in the sheet counts them. */
export const isPlain = (name: string): boolean => PLAIN.test(wordsOf(name).join(' '));

export function columnsOf(names: readonly string[]): Columns {
  const columns = names.map((name, at) => ({ at, words: wordsOf(name) }));
  const named = columns.filter(({ words }) => isTime(words));
  const saysWhen = named.find(({ words }) => words.some((word) => TIME.test(word) && !ORDINAL.test(word)));
  const times =
    saysWhen !== undefined
      ? [saysWhen]
      : named.length > 0
        ? named
        : columns.filter(({ words }) => words.some((word) => DATA.test(word)));
  // pandas gives the rows' numbers no name
  const unnamed = names[0] === '' ? columns.slice(0, 1) : [];
  const [time] = [...times, ...unnamed];
  const counts = columns.filter((column) => column.at !== time?.at && isCount(column.words));
  const plain = counts.filter(({ words }) => PLAIN.test(words.join(' ')));
  return {
    ...(time && { time: withUnit(time.at, unitIn(time.words)) }),
    counts: (plain.length === 1 ? plain : counts).map(({ at, words }) =>
      withUnit(at, PER_SECOND.test(names[at] ?? '') ? SECOND : rateUnit(words)),
    ),
  };
}

const withUnit = (at: number, unit: Millis | undefined): Column => ({ at, ...(unit !== undefined && { unit }) });

/** "RequestCount", "num_requests", "req/s", "Requisições": words, without accents, the third "req per s". */
const wordsOf = (name: string): readonly string[] =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll('/', ' per ')
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '');

const isCount = (words: readonly string[]): boolean =>
  words.some((word) => COUNT.test(word)) &&
  !words.some((word) => TOOK.test(word) || WHICH.test(word) || /^(time|timestamp|date)$/.test(word));

/** "user_id", "status": what a request was. */
export const saysWhich = (name: string): boolean => wordsOf(name).some((word) => WHICH.test(word));

const isTime = (words: readonly string[]): boolean =>
  words.some((word) => TIME.test(word) || UNITS.some(([unit]) => unit.test(word))) &&
  !isCount(words) &&
  !words.some((word) => TOOK.test(word));

const unitIn = (words: readonly string[]): Millis | undefined =>
  UNITS.find(([unit]) => words.some((word) => unit.test(word)))?.[1];

function rateUnit(words: readonly string[]): Millis | undefined {
  const short = SHORT_RATES.find(([rate]) => words.some((word) => rate.test(word)));
  if (short !== undefined) return short[1];
  const per = words.findIndex((word) => /^(per|pro|por|par)$/.test(word));
  if (per < 0) return undefined;
  // "per 5 minutes", "per 5min"
  const [first = '', second = ''] = words.slice(per + 1);
  const [, times, unit] = /^(\d+)([a-z]*)$/.exec(first) ?? [];
  if (EACH.test(first)) return undefined;
  return times === undefined
    ? (unitIn([first]) ?? NaN)
    : Number(times) * (unitIn([unit === '' ? second : (unit ?? '')]) ?? NaN);
}
