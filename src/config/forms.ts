// Settings with a form of their own: rules about requests, and the elasticity section, whose policy has parameters of its own.
import { z } from 'zod';
import type { CertificateClient, Issuer, Tenant } from '../access/options.ts';
import { clientSettings, nameSetting, termSettings } from '../access/terms.ts';
import type { JobClass, JobRule } from '../../epcis/service/jobs-classes.ts';
import { classDeadline, type RequestClass, type RequestRule } from '../balance/core/options.ts';
import { elasticitySettings, type DecisionParameters } from '../decide/parameters.ts';
import { readOwn, writeOwn } from '../decide/own-parameters.ts';
import { read, refusal, write } from '../settings/values.ts';
import { jsonSchemaOf, leaf, MAY_BE_EMPTY, sectionOf } from './section.ts';

const pattern = () => z.string().refine(isPattern, 'a regular expression is expected');

// no field of the interfaces may be missing here
const rule = z.strictObject({
  method: pattern().optional(),
  path: pattern().optional(),
  header: z.strictObject({ name: z.string(), value: pattern() }).optional(),
  client: pattern().optional(),
  query: pattern().optional(),
  body: pattern().optional(),
  notBody: pattern().optional(),
} satisfies Record<keyof RequestRule, z.ZodType>);

const requestClass = z.strictObject({
  name: z.string().min(1),
  rules: z.array(rule).optional(),
  pinnedTo: z.array(z.string()).optional(),
  deadline: leaf(classDeadline).optional(),
} satisfies Record<keyof RequestClass, z.ZodType>);

/** With its unit; the number of bytes that a default is counts as well. */
const BYTES = { type: 'size', default: 0, min: 0, doc: 'documents of this size and more' } as const;
const size = z.codec(z.unknown().meta({ anyOf: [jsonSchemaOf(BYTES), { type: 'number', minimum: 0 }] }), z.unknown(), {
  decode(given, context) {
    const isCounted = typeof given === 'number' && refusal(BYTES, given) === undefined;
    const result = isCounted ? { value: given } : read(BYTES, given);
    if ('value' in result) return result.value;
    context.issues.push({ code: 'custom', input: given, message: result.refused });
    return z.NEVER;
  },
  encode: (value) => write(BYTES, value),
});

const jobRule = z.strictObject({
  path: pattern().optional(),
  header: z.strictObject({ name: z.string(), value: pattern() }).optional(),
  client: pattern().optional(),
  bytes: size.optional(),
} satisfies Record<keyof JobRule, z.ZodType>);

const jobClass = z.strictObject({
  name: z.string().min(1).max(64),
  rules: z.array(jobRule).optional(),
} satisfies Record<keyof JobClass, z.ZodType>);

const { requestsPerSecond, eventsPerSecond, subscriptions, requestClass: waitsIn } = termSettings;
const terms = {
  requestsPerSecond: leaf(requestsPerSecond).optional(),
  eventsPerSecond: leaf(eventsPerSecond).optional(),
  subscriptions: leaf(subscriptions).optional(),
  requestClass: leaf(waitsIn).optional(),
};

const issuer = z.strictObject({
  name: leaf(nameSetting),
  issuer: z.string().min(1),
  audience: z.string().min(1),
  jwks: z.string().min(1),
  clientClaim: z.string().min(1).optional(),
  groupsClaim: z.string().min(1).optional(),
  rolesClaim: z.string().min(1).optional(),
  tenantClaim: z.string().min(1).optional(),
  tenantByHost: z.boolean().optional(),
  roles: leaf(clientSettings.roles).optional(),
  claims: z.array(z.string()).optional(),
  ...terms,
} satisfies Record<keyof Issuer, z.ZodType>);

const certificate = z.strictObject({
  subject: z.string().min(1),
  client: leaf(clientSettings.client),
  roles: leaf(clientSettings.roles),
  groups: leaf(clientSettings.groups).optional(),
  tenant: leaf(clientSettings.tenant).optional(),
  ...terms,
} satisfies Record<keyof CertificateClient, z.ZodType>);

const tenant = z.strictObject({
  name: leaf(clientSettings.tenant),
  hosts: z
    .array(
      z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'a host name in small letters, without a port, is expected'),
    )
    .optional(),
  requestsPerSecond: terms.requestsPerSecond,
  requestClass: terms.requestClass,
} satisfies Record<keyof Tenant, z.ZodType>);

export const forms = {
  tenantTerms: z.array(tenant),
  certificates: z.array(certificate),
  issuers: z.array(issuer),
  classes: z.array(requestClass).min(1),
  jobClasses: z.array(jobClass),
  // read where it is known what they differ from (roles.ts)
  roles: z.strictObject({ work: z.record(z.string(), z.unknown()).meta(MAY_BE_EMPTY).optional() }).meta(MAY_BE_EMPTY),
  safe: z.array(rule),
  policyParameters: z.record(z.string(), z.unknown()),
};

/** The policy's own parameters are read once it is known which policy it is. */
export const elasticity = z.codec(
  sectionOf(elasticitySettings, forms) as z.ZodType<DecisionParameters>,
  z.custom<DecisionParameters>(),
  {
    decode(given, context) {
      const { own, refused } = readOwn(given.policy, given.policyParameters);
      for (const { name, sentence } of refused)
        context.issues.push({ code: 'custom', input: given, message: sentence, path: ['policyParameters', name] });
      return { ...given, policyParameters: own };
    },
    encode: (values) => ({ ...values, policyParameters: writeOwn(values.policy, values.policyParameters) }),
  },
);

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
