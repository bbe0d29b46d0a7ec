// An IAM policy as AWS reads it, as far as ours go: Allow, Action, Resource, and the conditions StringEquals and StringLike.
import { Refusal } from './refusal.ts';

type OneOrMore = string | readonly string[];

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: OneOrMore;
  readonly Resource: OneOrMore;
  readonly Condition?: Readonly<Record<'StringEquals' | 'StringLike', Readonly<Record<string, OneOrMore>>>>;
}

export interface Policy {
  readonly Version: '2012-10-17';
  readonly Statement: readonly Statement[];
}

/** What a call does to one thing. */
export interface Use {
  /** `ec2:RunInstances` */
  readonly action: string;
  /** `instance/*`, `subnet/subnet-1`; none where AWS asks for all (`*`). */
  readonly resource?: string;
  /** Condition keys: `aws:RequestTag/mmeliot:group`, … */
  readonly context?: Readonly<Record<string, string>>;
}

export function permit(policy: Policy, use: Use): void {
  if (policy.Statement.some((statement) => allows(statement, use))) return;
  const on = use.resource === undefined ? '' : ` on resource: ${arn(use.resource)}`;
  throw new Refusal(
    'UnauthorizedOperation',
    `You are not authorized to perform this operation. User: arn:aws:iam::123456789012:user/scaler is not authorized to perform: ${use.action}${on} because no identity-based policy allows the ${use.action} action`,
    403,
  );
}

function allows(
  { Action, Resource, Condition = undefined }: Statement,
  { action, resource, context = {} }: Use,
): boolean {
  const conditions = Object.values(Condition ?? {}).flatMap((keys) => Object.entries(keys));
  return (
    many(Action).some((pattern) => fits(pattern, action)) &&
    many(Resource).some((pattern) => (resource === undefined ? pattern === '*' : fits(pattern, arn(resource)))) &&
    conditions.every(([key, wanted]) => {
      const value = context[key];
      return value !== undefined && many(wanted).some((pattern) => fits(pattern, value));
    })
  );
}

const many = (value: OneOrMore): readonly string[] => (typeof value === 'string' ? [value] : value);
const arn = (resource: string): string => `arn:aws:ec2:us-east-1:123456789012:${resource}`;

/** `*` stands for anything. */
const fits = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(text);
