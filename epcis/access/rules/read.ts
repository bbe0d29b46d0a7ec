// A document of rules (YAML or JSON, parsed already) as rules. Every error says where, what and what to do.
import { captureFilter, filterOf } from './filter.ts';
import { readScope } from './read-scope.ts';
import { PARTS, type HiddenField, type Part } from './hidden.ts';
import type { Party, Rule } from './rule.ts';
import { each, fail, isRecord, only, textsOf, type Place } from './document.ts';

const EFFECTS = ['see', 'deny', 'hide', 'capture', 'masterData'] as const;
const MEMBERS = ['name', 'for', ...EFFECTS, 'where'];
/** A client's rights are made of all rules that are about it. */
const MOST_RULES = 1000;

export function readRules(document: unknown): readonly Rule[] {
  if (!isRecord(document)) return fail('the document', 'is no object: write rules: and below it a list of rules');
  only(document, ['rules'], 'the document');
  const { rules } = document;
  if (!Array.isArray(rules)) return fail('rules', 'is no list of rules');
  if (rules.length > MOST_RULES) return fail('rules', `has ${rules.length} rules, and ${MOST_RULES} are possible`);
  const read = rules.map((rule: unknown, n) => readRule(rule, `rules[${n}]`));
  const names = new Set<string>();
  for (const [n, { name }] of read.entries()) {
    if (names.has(name)) fail(`rules[${n}].name`, `is '${name}', which another rule has: names tell rules apart`);
    names.add(name);
  }
  return read;
}

function readRule(rule: unknown, place: Place): Rule {
  if (!isRecord(rule)) return fail(place, 'is no rule: it needs name, for, and what it does');
  only(rule, MEMBERS, place);
  const name = rule['name'];
  if (typeof name !== 'string' || !/^\S(?:.{0,98}\S)?$/u.test(name))
    return fail(`${place}.name`, 'must be a text of up to 100 characters');
  const at = `${place} (${name})`;
  const effects = EFFECTS.filter((effect) => rule[effect] !== undefined);
  const isPair = effects.length === 2 && effects[0] === 'see' && effects[1] === 'hide';
  if (effects.length !== 1 && !isPair)
    return fail(
      at,
      `must have one of ${EFFECTS.join(', ')} (or see with hide), and has ${effects.join(', ') || 'none'}`,
    );
  if (rule['where'] !== undefined && (effects[0] !== 'hide' || isPair))
    return fail(`${at}.where`, 'says of which events fields are hidden, so it goes with hide alone');
  const parties = each(rule['for'], `${at}.for`, readParty);
  const events = rule['see'] ?? rule['where'] ?? 'everything';
  return {
    name,
    parties,
    ...(rule['see'] !== undefined && { see: filterOf(rule['see'], `${at}.see`) }),
    ...(rule['deny'] !== undefined && { deny: filterOf(rule['deny'], `${at}.deny`) }),
    ...(rule['capture'] !== undefined && { capture: captureFilter(rule['capture'], `${at}.capture`) }),
    ...(rule['masterData'] !== undefined && { masterData: readScope(rule['masterData'], `${at}.masterData`) }),
    ...(rule['hide'] !== undefined && {
      hide: {
        fields: each(rule['hide'], `${at}.hide`, readField),
        of: filterOf(events, `${at}.${isPair ? 'see' : 'where'}`),
      },
    }),
  };
}

function readParty(party: unknown, place: Place): Party {
  if (party === 'everybody') return { kind: 'everybody' };
  const [, kind, name = ''] = typeof party === 'string' ? (/^(client|group):(.+)$/.exec(party) ?? []) : [];
  if (kind === 'client' || kind === 'group') return { kind, name };
  const wanted = 'must be everybody, client:NAME, group:NAME, or issuer: and claims: of a token';
  if (!isRecord(party)) return fail(place, wanted);
  only(party, ['issuer', 'claims'], place);
  const { issuer, claims = {} } = party;
  if (issuer !== undefined && typeof issuer !== 'string') return fail(`${place}.issuer`, 'must be a text');
  if (!isRecord(claims)) return fail(`${place}.claims`, 'must name claims, each with the values that will do');
  if (issuer === undefined && Object.keys(claims).length === 0) return fail(place, wanted);
  const values = Object.entries(claims).map(([name, value]) => [name, textsOf(value, `${place}.claims.${name}`)]);
  return {
    kind: 'claims',
    ...(issuer !== undefined && { issuer }),
    claims: Object.fromEntries(values) as Record<string, readonly string[]>,
  };
}

function readField(field: unknown, place: Place): HiddenField {
  if (typeof field !== 'string') return fail(place, 'must be the name of a field');
  if ((PARTS as readonly string[]).includes(field)) return { kind: 'part', part: field as Part };
  const hash = field.lastIndexOf('#');
  if (hash < 0 || hash === field.length - 1) {
    const parts = PARTS.join(', ');
    return fail(
      place,
      `is '${field}': an extension is written namespace#name (or namespace#*), of the standard's fields these can be hidden: ${parts}`,
    );
  }
  return { kind: 'extension', key: field };
}
