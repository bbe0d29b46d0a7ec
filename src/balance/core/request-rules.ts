// Rules about requests, compiled once: which class one belongs to, and whether it may be repeated.
import type { RequestClass, RequestRule } from './options.ts';

/** What rules may ask about a request; asked only when a rule needs it. */
export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  header(name: string): string | undefined;
  client(): string;
  /** The body where it is small enough to have been read, else undefined. */
  body(): string | undefined;
}

export type Rule = (request: RequestFacts) => boolean;

const QUERY_PATH = /\/queries\/([^/?]+)/;
/** With the white space around it: a pattern that leaves it out takes the cube of its length where no `<` comes behind it. */
const QUERY_NAME = /<(?:[\w.-]+:)?queryName>([^<]*)</;

/** The name of the query that a request runs: of `/queries/{name}/...`, or of a SOAP poll. */
export function queryName(request: RequestFacts): string | undefined {
  const inPath = QUERY_PATH.exec(request.path)?.[1];
  if (inPath !== undefined) return inPath;
  const body = request.method === 'POST' ? request.body() : undefined;
  return body === undefined ? undefined : QUERY_NAME.exec(body)?.[1]?.trim();
}

function compileRule(rule: RequestRule): Rule {
  const checks: Rule[] = [];
  const add = (pattern: string | undefined, value: (request: RequestFacts) => string | undefined) => {
    if (pattern === undefined) return;
    const regex = new RegExp(pattern);
    checks.push((request) => regex.test(value(request) ?? ''));
  };
  add(rule.method, (request) => request.method);
  add(rule.path, (request) => request.path);
  add(rule.header?.value, (request) => request.header(rule.header?.name.toLowerCase() ?? ''));
  add(rule.client, (request) => request.client());
  if (rule.query !== undefined) {
    const regex = new RegExp(rule.query);
    checks.push((request) => {
      const name = queryName(request);
      return name !== undefined && regex.test(name);
    });
  }
  add(rule.body, (request) => request.body());
  if (rule.notBody !== undefined) {
    const regex = new RegExp(rule.notBody);
    // a body too large to look into may hold anything
    checks.push((request) => {
      const body = request.body();
      return body !== undefined && !regex.test(body);
    });
  }
  return (request) => checks.every((check) => check(request));
}

export function compileAny(rules: readonly RequestRule[]): Rule {
  const compiled = rules.map(compileRule);
  return (request) => compiled.some((rule) => rule(request));
}

/** The place of a request's class in the list: the least important that matches, else the one without rules. */
export function classifier(classes: readonly RequestClass[]): (request: RequestFacts) => number {
  const rest = Math.max(
    0,
    classes.findIndex((one) => one.rules === undefined),
  );
  const compiled = classes.map((one) => (one.rules === undefined ? undefined : compileAny(one.rules)));
  return (request) => {
    for (let level = compiled.length - 1; level >= 0; level--) if (compiled[level]?.(request) === true) return level;
    return rest;
  };
}
