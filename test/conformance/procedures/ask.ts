// One question at each door: REST, a named query, SOAP of 1.x and of 2.0. What they find must be the same.
import { expectStatus, expectThat, type Answer, type Site } from './site.ts';

/** Parameter → value, as a query object has them; `own:` stands for this run's namespace. */
export type Question = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const DOORS: Readonly<Record<string, (site: Site, question: Question) => Promise<Answer>>> = {
  REST: (site, question) =>
    site.call(`/events?perPage=1000&${search(question)}`, {
      headers: { 'GS1-Extensions': `own=${site.namespace}` },
    }),
  'REST in XML': (site, question) =>
    site.call(`/events?perPage=1000&${search(question)}`, {
      headers: { 'GS1-Extensions': `own=${site.namespace}`, Accept: 'application/xml' },
    }),
  'SOAP of 1.x': (site, question) => site.soap(poll(site, question), 1),
  'SOAP of 2.0': (site, question) => site.soap(poll(site, question), 2),
};

export const DOOR_NAMES = Object.keys(DOORS);

export async function ask(site: Site, door: string, question: Question): Promise<Answer> {
  const open = DOORS[door];
  if (open === undefined) throw new Error(`there is no door ${door}`);
  return open(site, question);
}

/** The names of this run's events in an answer, as often as they are there. */
export function found(site: Site, answer: Answer): string[] {
  const prefix = site.eventID('');
  const ids = [...answer.text.matchAll(new RegExp(`(?:"eventID":"|<eventID>)${prefix}([\\w.-]+)`, 'g'))];
  return ids.map(([, name = '']) => name).sort();
}

export async function expectFound(site: Site, door: string, question: Question, names: readonly string[]) {
  const answer = expectStatus(await ask(site, door, question), 200);
  const got = found(site, answer);
  const wanted = [...names].sort();
  expectThat(
    got.join() === wanted.join(),
    `finds ${got.join(', ') || 'nothing'} where ${wanted.join(', ') || 'nothing'} is expected`,
  );
}

const asList = (value: Question[string]): readonly string[] => (typeof value === 'object' ? value : [String(value)]);

export function search(question: Question): string {
  return Object.entries(question)
    .map(([name, value]) => `${encodeURIComponent(name)}=${asList(value).map(encodeURIComponent).join('|')}`)
    .join('&');
}

/** Which parameters hold one value; all others are lists. */
const SINGLE =
  /^(G[TE]|L[TE])_|^(eventCountLimit|maxEventCount|orderBy|orderDirection|EXISTS_.*)$|^EQ_(value|minValue|maxValue|meanValue|sDev|percRank|percValue|booleanValue)/;

function poll(site: Site, question: Question): string {
  const parameters = Object.entries(question).map(([name, value]) => {
    const values = asList(value).map(escape);
    const content = name.startsWith('EXISTS_')
      ? ''
      : SINGLE.test(name)
        ? (values[0] ?? '')
        : values.map((each) => `<string>${each}</string>`).join('');
    return `<param><name>${escape(whole(site, name))}</name><value>${content}</value></param>`;
  });
  return `<q:Poll><queryName>SimpleEventQuery</queryName><params>${parameters.join('')}</params></q:Poll>`;
}

/** SOAP has no prefixes: fields are written whole. */
function whole(site: Site, name: string): string {
  const field = name.includes('_') && name.includes('own:') ? `${site.namespace}#` : '';
  return field === '' ? name : name.replaceAll('own:', field);
}

const escape = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
