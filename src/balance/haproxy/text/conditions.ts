// When a rule about requests holds, in HAProxy's words.
import type { RequestRule } from '../../core/options.ts';

export function condition(rule: RequestRule): string {
  const parts: string[] = [];
  const matches = (what: string, pattern: string | undefined, not = '') => {
    if (pattern !== undefined) parts.push(`${not}{ ${what} -m reg -- ${quote(pattern)} }`);
  };
  matches('method', rule.method);
  matches('pathq', rule.path);
  matches(`req.hdr(${rule.header?.name ?? ''})`, rule.header?.value);
  matches('src,concat()', rule.client);
  matches('req.body', rule.body);
  matches('req.body', rule.notBody, '!');
  if (rule.query !== undefined) {
    // the name out of the SOAP body: what follows <queryName>, up to the next <
    parts.push('{ req.body -m sub queryName> }');
    matches("req.body,regsub('^[\\s\\S]*queryName>\\s*',''),regsub('\\s*<[\\s\\S]*$','')", rule.query);
  }
  return parts.join(' ');
}

export function looksIntoBody(rule: RequestRule): boolean {
  return rule.body !== undefined || rule.notBody !== undefined || rule.query !== undefined;
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
