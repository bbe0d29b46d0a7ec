// XML-RPC, the pure part: values and elements in, text and values out. Parsing text is xml-parser.ts.

/** One element of a parsed document; CDATA and text alike are in `text`. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** What XML-RPC can carry. A struct is a Map, so that a member called `__proto__` is a member like any other. */
export type RpcValue = null | string | number | bigint | boolean | readonly RpcValue[] | ReadonlyMap<string, RpcValue>;

/** A document that is not what the protocol says. */
export class XmlRpcError extends Error {}

/** A malformed call, as the server reports it. */
export interface Fault {
  readonly code: number;
  readonly message: string;
}

export type Answer = { readonly value: RpcValue } | { readonly fault: Fault };

export interface Call {
  readonly method: string;
  readonly params: readonly RpcValue[];
}

// ── elements ────────────────────────────────────────────────────────────────

/** All children of that name: none, one and many are read alike. */
export function children(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The first element down that path. */
export function child(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>((at, name) => at?.children.find((c) => c.name === name), element);
}

/** The text down that path; undefined when the element is missing or empty. */
export function text(element: XmlElement | undefined, ...path: readonly string[]): string | undefined {
  return child(element, ...path)?.text.trim() || undefined;
}

// ── writing ─────────────────────────────────────────────────────────────────

/** What XML 1.0 cannot carry. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

export function escapeXml(value: string): string {
  if (FORBIDDEN.test(value) || !value.isWellFormed())
    throw new XmlRpcError('A text holds a character that XML cannot carry.');
  return value.replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? character);
}

const INT_LIMIT = 2 ** 31;

/** A client's handwriting and the front end's: the recordings are matched byte for byte. */
interface Style {
  readonly int: 'int' | 'i4';
  readonly nl: '\n' | '\r\n';
}
const CALL: Style = { int: 'int', nl: '\n' };
const ANSWER: Style = { int: 'i4', nl: '\r\n' };

function encodeValue(value: RpcValue, style: Style): string {
  const { nl } = style;
  if (typeof value === 'string') return `<value><string>${escapeXml(value)}</string></value>`;
  if (value === null) return '<value><nil/></value>';
  if (typeof value === 'boolean') return `<value><boolean>${value ? 1 : 0}</boolean></value>`;
  if (typeof value === 'bigint') return `<value><i8>${value}</i8></value>`;
  if (typeof value === 'number') return `<value>${encodeNumber(value, style.int)}</value>`;
  if (value instanceof Map) {
    const member = ([name, item]: [string, RpcValue]): string =>
      `<member><name>${escapeXml(name)}</name>${nl}${encodeValue(item, style)}</member>${nl}`;
    return `<value><struct>${nl}${[...asMap(value)].map(member).join('')}</struct></value>`;
  }
  const items = (value as readonly RpcValue[]).map((item) => encodeValue(item, style) + nl).join('');
  return `<value><array><data>${nl}${items}</data></array></value>`;
}

/** 32 bits as an int, more as i8, fractions as double: 7 → <int>, 2^40 → <i8>, 0.5 → <double>. */
function encodeNumber(value: number, int: 'int' | 'i4'): string {
  if (!Number.isFinite(value)) throw new XmlRpcError('XML-RPC has no way to write an infinite number or NaN.');
  if (!Number.isSafeInteger(value)) return `<double>${value}</double>`;
  const type = value >= -INT_LIMIT && value < INT_LIMIT ? int : 'i8';
  return `<${type}>${value}</${type}>`;
}

const lines = (style: Style, ...all: readonly string[]): string => all.map((line) => line + style.nl).join('');

export function encodeCall({ method, params }: Call): string {
  const list = params.flatMap((value) => ['<param>', encodeValue(value, CALL), '</param>']);
  const name = `<methodName>${escapeXml(method)}</methodName>`;
  return lines(CALL, `<?xml version='1.0'?>`, '<methodCall>', name, '<params>', ...list, '</params>', '</methodCall>');
}

export function encodeAnswer(answer: Answer): string {
  const content =
    'value' in answer
      ? ['<params>', `<param>${encodeValue(answer.value, ANSWER)}</param>`, '</params>']
      : ['<fault>', encodeValue(faultStruct(answer.fault), ANSWER), '</fault>'];
  return lines(ANSWER, '<?xml version="1.0" encoding="UTF-8"?>', '<methodResponse>', ...content, '</methodResponse>');
}

const faultStruct = ({ code, message }: Fault): RpcValue =>
  new Map<string, RpcValue>([
    ['faultCode', code],
    ['faultString', message],
  ]);

// ── reading ─────────────────────────────────────────────────────────────────

function integer(raw: string): number | bigint {
  if (!/^[+-]?\d+$/.test(raw)) throw new XmlRpcError(`"${raw.slice(0, 40)}" is no integer.`);
  const number = Number(raw);
  return Number.isSafeInteger(number) ? number : BigInt(raw);
}

function decimal(raw: string): number {
  const number = Number(raw);
  if (raw === '' || !Number.isFinite(number)) throw new XmlRpcError(`"${raw.slice(0, 40)}" is no number.`);
  return number;
}

function boolean(raw: string): boolean {
  if (raw !== '0' && raw !== '1') throw new XmlRpcError(`"${raw.slice(0, 40)}" is no boolean.`);
  return raw === '1';
}

/** Bytes that are text, in UTF-8: `w7w=` → `ü`. */
function fromBase64(raw: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(raw), (byte) => byte.charCodeAt(0)));
  } catch {
    throw new XmlRpcError(`"${raw.slice(0, 40)}" is no base64.`);
  }
}

function struct(element: XmlElement): ReadonlyMap<string, RpcValue> {
  return new Map(
    children(element, 'member').map((member) => [
      child(member, 'name')?.text ?? '',
      decodeValue(required(member, 'value')),
    ]),
  );
}

function decodeValue(element: XmlElement): RpcValue {
  const typed = element.children[0];
  if (!typed) return element.text; // a value without a type is a string
  const raw = typed.text.trim();
  // with its prefix a type is an extension (`ex:nil`, `ex:i8`), and means the same
  switch (typed.name.replace(/^\w+:/, '')) {
    case 'string':
    case 'dateTime.iso8601':
      return typed.text;
    case 'base64':
      return fromBase64(raw);
    case 'nil':
      return null;
    case 'int':
    case 'i1':
    case 'i2':
    case 'i4':
    case 'i8':
      return integer(raw);
    case 'double':
    case 'float':
      return decimal(raw);
    case 'boolean':
      return boolean(raw);
    case 'array':
      return children(required(typed, 'data'), 'value').map(decodeValue);
    case 'struct':
      return struct(typed);
    default:
      throw new XmlRpcError(`There is no XML-RPC type <${typed.name.slice(0, 40)}>.`);
  }
}

function required(element: XmlElement, ...path: readonly string[]): XmlElement {
  const found = child(element, ...path);
  if (!found) throw new XmlRpcError(`<${element.name}> lacks <${path.join('/')}>.`);
  return found;
}

export function decodeCall(root: XmlElement): Call {
  if (root.name !== 'methodCall') throw new XmlRpcError(`<${root.name}> is no XML-RPC call.`);
  const params = children(child(root, 'params'), 'param').map((param) => decodeValue(required(param, 'value')));
  return { method: required(root, 'methodName').text.trim(), params };
}

export function decodeAnswer(root: XmlElement): Answer {
  if (root.name !== 'methodResponse') throw new XmlRpcError(`<${root.name}> is no XML-RPC response.`);
  const fault = child(root, 'fault');
  if (!fault) return { value: decodeValue(required(root, 'params', 'param', 'value')) };
  const members = decodeValue(required(fault, 'value'));
  const member = (name: string): RpcValue | undefined =>
    members instanceof Map ? asMap(members).get(name) : undefined;
  const message = member('faultString');
  const code = Number(member('faultCode') ?? 0);
  // a fault it is, whatever is written where its code should be
  return { fault: { code: Number.isFinite(code) ? code : 0, message: typeof message === 'string' ? message : '' } };
}

function asMap(value: RpcValue): ReadonlyMap<string, RpcValue> {
  return value as ReadonlyMap<string, RpcValue>;
}
