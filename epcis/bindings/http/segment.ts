// A name as one part of a path, and back.
// Before they send a path, clients take `.` and `..` for steps in it, and `%2E%2E` too (WHATWG URL). So a name that is
// only dots is encoded once more: `..` is `%252E%252E`, and the name `%2E%2E`, which that would be, `%25252E%25252E`.

const DOTS = /^(?:\.|%(?:25)*2E){1,2}$/i;
const ENCODED_DOTS = /^(?:%(?:25)*2E){1,2}$/i;

export function segmentOf(name: string): string {
  return encodeURIComponent(DOTS.test(name) ? name.replaceAll('%', '%25').replaceAll('.', '%2E') : name);
}

/** `part` is decoded once, as a router does. */
export function nameOf(part: string): string {
  return ENCODED_DOTS.test(part) ? decodeURIComponent(part) : part;
}
