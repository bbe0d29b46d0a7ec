// The admin API, described: OpenAPI 3.1, served at /api/openapi.json. A test holds it against what the API answers.
import { VM_DEEDS } from '../act/by-hand.ts';
import { policyNames } from '../decide/policies/index.ts';
import { answers, keyAsked } from './openapi-answers.ts';
import type { Schema } from './openapi-forms.ts';

interface Operation {
  readonly summary: string;
  /** Of the answer: a schema of openapi-answers.ts. */
  readonly answer: keyof typeof answers | { readonly list: keyof typeof answers };
  readonly status?: 200 | 201 | 202;
  readonly query?: Readonly<Record<string, object>>;
  readonly body?: Schema;
  /** What may be refused besides what everything may. */
  readonly refusals?: readonly (keyof typeof WHY)[];
}

const text = { type: 'string' };
const limit = { type: 'integer', minimum: 1, maximum: 8640, default: 50, description: 'so many, newest first' };
const span = {
  span: { ...text, default: '1h', description: 'a duration up to now, such as 30m or 7d' },
  from: { ...text, description: 'ISO 8601, or ms since the epoch' },
  until: { ...text, description: 'ISO 8601, or ms since the epoch' },
};
const object = (properties: object, required: readonly string[] = Object.keys(properties)): Schema => ({
  ...{ type: 'object', properties, required },
});

/** What each role has not of its own. */
const OF_ALL = ['/config', '/events', '/keys', '/audit', '/session', '/openapi.json'];

/** Paths below /api. */
const paths: Readonly<Record<string, Readonly<Partial<Record<'get' | 'post' | 'patch' | 'delete', Operation>>>>> = {
  '/state': { get: { summary: 'The manager as it is now', answer: 'ManagerView' } },
  '/decisions': {
    get: { summary: 'The latest periods', answer: { list: 'DecisionRecord' }, query: { limit }, refusals: [400] },
  },
  '/periods': {
    get: {
      summary: 'The latest periods without what was seen of each VM',
      answer: { list: 'Period' },
      query: { limit, holds: { type: 'boolean', default: true, description: 'also those in which nothing was done' } },
      refusals: [400],
    },
  },
  '/config': { get: { summary: 'The configuration in force, without secrets', answer: 'Anything' } },
  '/parameters': {
    get: { summary: 'The parameters in force, as people write them', answer: 'Parameters' },
    patch: {
      summary: 'Changes some of them from the next period on; null: the configured value',
      answer: 'ChangeResult',
      body: { type: 'object', minProperties: 1, examples: [{ high: 75, period: '5s' }] },
      refusals: [400, 422],
    },
    delete: { summary: 'Back to the configuration', answer: 'ResetResult' },
  },
  '/parameters/undo': {
    post: {
      summary: 'Takes the last change back',
      answer: 'ChangeResult',
      body: object(
        { at: { type: 'number', description: 'of the change that is meant: refused where another one came after it' } },
        [],
      ),
      refusals: [400, 422],
    },
  },
  '/settings': {
    get: {
      summary: 'What can be set',
      answer: { list: 'Setting' },
      query: { policy: { ...text, enum: policyNames, description: 'also of one that is not in force' } },
      refusals: [400],
    },
  },
  '/history': { get: { summary: 'The past in at most 800 points', answer: 'History', query: span, refusals: [400] } },
  '/preview': {
    get: {
      summary: 'What other settings would have done with what was recorded',
      answer: 'Preview',
      query: {
        set: { type: 'array', items: text, description: 'name=value, as for mmeliot set' },
        ...span,
      },
      refusals: [400, 422],
    },
  },
  '/events': {
    get: {
      summary: 'Server-sent events: history, then state and period as they come',
      answer: 'Stream',
      refusals: [503],
    },
  },
  '/vms': {
    post: {
      summary: 'Adds VMs beside what the policy decides, up to max',
      answer: 'Added',
      status: 202,
      body: object({ count: { type: 'integer', minimum: 1, maximum: 1000, default: 1 } }, []),
      refusals: [400],
    },
  },
  '/vms/{id}': {
    get: { summary: 'One VM: samples, life, the end of its log', answer: 'VmPage', refusals: [400, 404] },
  },
  ...Object.fromEntries(
    VM_DEEDS.map((deed) => [
      `/vms/{id}/${deed}`,
      { post: { summary: `By hand: ${deed}`, answer: 'VmAnswer', refusals: [400, 404] } } as const,
    ]),
  ),
  '/problems/acknowledge': {
    post: {
      summary: 'Says that one looks after a problem, until it is over',
      answer: 'ProblemAnswer',
      body: object({ problem: { ...text, description: 'its condition, or its sentence' } }),
      refusals: [400, 404],
    },
  },
  '/keys': {
    get: { summary: "The clients' keys, without the keys themselves", answer: { list: 'Key' } },
    post: {
      summary: 'Makes one, which is shown this once',
      answer: 'NewKey',
      status: 201,
      body: keyAsked,
      refusals: [400],
    },
  },
  '/keys/{id}': { delete: { summary: 'Ends one at all gateways', answer: 'Key', refusals: [400] } },
  '/audit': { get: { summary: 'Who changed what', answer: { list: 'AuditEntry' }, query: { limit }, refusals: [400] } },
  '/session': {
    get: { summary: 'Who one is taken for', answer: 'Visitor' },
    post: { summary: 'Begins a session', answer: 'Visitor', body: object({ token: text }), refusals: [400] },
    delete: { summary: 'Ends it', answer: 'Anything' },
  },
  '/openapi.json': { get: { summary: 'This description', answer: 'Anything' } },
};

const WHY = {
  400: 'it cannot be understood, or cannot be',
  401: 'a token is asked for',
  403: 'a viewer changes nothing, and neither does the page of another site',
  404: 'there is no such thing',
  413: 'the body is too large',
  415: 'a body is JSON',
  421: 'the server has another name, and asks for no token that would make up for it',
  422: 'it contradicts what stays: one sentence',
  429: 'too many wrong tokens came from there',
  500: 'the server failed; its log says why',
  503: 'too many pages are open',
} as const;

/** What everything may be refused with; changes; and what has a body. */
const EVERYTHING = [401, 421, 429, 500] as const;
const CHANGE = [403, 415] as const;
const WITH_BODY = [400, 413] as const;

const json = (schema: object, type = 'application/json'): object => ({ content: { [type]: { schema } } });
const named = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

function describe(
  method: string,
  path: string,
  { summary, answer, status = 200, query = {}, body, refusals = [] }: Operation,
): object {
  const schema = typeof answer === 'string' ? named(answer) : { type: 'array', items: named(answer.list) };
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: text }));
  const asked = Object.entries(query).map(([name, one]) => ({ name, in: 'query', schema: one }));
  const may = [...EVERYTHING, ...(method === 'get' ? [] : CHANGE), ...(body ? WITH_BODY : []), ...refusals];
  const refused = [...new Set(may)].map((code) => [code, { description: WHY[code], ...json(named('Error')) }]);
  return {
    summary,
    parameters: [...ids, ...asked],
    ...(body && { requestBody: { required: body.required?.length !== 0, ...json(body) } }),
    responses: {
      [status]: { description: 'so it is', ...json(schema, answer === 'Stream' ? 'text/event-stream' : undefined) },
      ...(Object.fromEntries(refused) as object),
    },
  };
}

/** The same of the VMs for stored work, where the group has such. */
const ofWork = Object.fromEntries(
  Object.entries(paths)
    .filter(([path]) => !OF_ALL.some((one) => path.startsWith(one)))
    .map(([path, operations]) => [`/roles/work${path}`, operations]),
);

export const openapi = (version: string): object => ({
  openapi: '3.1.0',
  info: {
    title: 'mmeliot, admin API',
    version,
    description: 'What the page and the command line ask of a manager. Changes may say who makes them by X-Mmeliot-By.',
  },
  servers: [{ url: '/api' }],
  security: [{ token: [] }, {}],
  paths: Object.fromEntries(
    Object.entries({ ...paths, ...ofWork }).map(([path, operations]) => [
      path,
      Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, describe(method, path, one)])),
    ]),
  ),
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } }, schemas: answers },
});
