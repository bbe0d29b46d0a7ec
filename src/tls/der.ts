// As much of ASN.1's DER (X.690) as a certificate is written in.

const value = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
};

/** 5 is 05, 200 is 81 c8, 600 is 82 02 58; nothing here is longer than 65,535. */
function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => value(0x30, ...content);
export const setOf = (...content: readonly Uint8Array[]): Buffer => value(0x31, ...content);
export const octets = (...content: readonly Uint8Array[]): Buffer => value(0x04, ...content);
export const bits = (content: Uint8Array, unused = 0): Buffer => value(0x03, Buffer.from([unused]), content);
export const text = (content: string): Buffer => value(0x0c, Buffer.from(content));
/** Big-endian, and not negative: the first bit is 0. */
export const integer = (content: Uint8Array): Buffer => value(0x02, content);
export const YES = value(0x01, Buffer.from([0xff]));

/** The member of a structure that has this number; `primitive` where it stands for a plain value. */
export const member = (n: number, content: Uint8Array): Buffer => value(0xa0 + n, content);
export const primitive = (n: number, content: Uint8Array): Buffer => value(0x80 + n, content);

/** `2.5.29.19`: the first two numbers share a byte, the others have seven bits to each. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = rest.flatMap((n) => (n < 0x80 ? [n] : [0x80 | (n >> 7), n & 0x7f]));
  return value(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

/** Of any century: `20260131120000Z`. */
export const time = (at: number): Buffer =>
  value(0x18, Buffer.from(new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')));
