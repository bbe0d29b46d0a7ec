// Answers as EC2 writes them: every list is a sequence of <item>.
export type Answer = string | number | boolean | undefined | readonly Answer[] | { readonly [name: string]: Answer };
export type Members = { readonly [name: string]: Answer };

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function content(value: Answer): string {
  if (value === undefined) return '';
  if (isList(value)) return value.map((each) => `<item>${content(each)}</item>`).join('');
  if (typeof value !== 'object') return escaped(String(value));
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `<${name}>${content(each)}</${name}>`)
    .join('');
}

const isList = (value: Answer): value is readonly Answer[] => Array.isArray(value);

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

export const answerXml = (action: string, requestId: string, answer: Members): string =>
  `${HEAD}<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${content({ requestId, ...answer })}</${action}Response>`;

export const errorXml = (requestId: string, code: string, message: string): string =>
  `${HEAD}<Response><Errors><Error>${content({ Code: code, Message: message })}</Error></Errors><RequestID>${requestId}</RequestID></Response>`;
