// Addresses as people write them.

/** A host, and its port where one is named. */
export interface Host {
  readonly host: string;
  readonly port?: number;
}

/** `127.0.0.1:8082`, `[::1]:8082`, `vm.example.org`. Undefined for what is none. */
export function parseHost(text: string): Host | undefined {
  const [, bracketed, name, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/@]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? name;
  if (host === undefined || Number(port ?? 0) > 65_535) return undefined;
  return { host, ...(port !== undefined && { port: Number(port) }) };
}

/** The same with a port. */
export function parseAddress(text: string): Required<Host> | undefined {
  const { host = '', port } = parseHost(text) ?? {};
  return port === undefined ? undefined : { host, port };
}

export const showAddress = ({ host, port }: Required<Host>): string => `${hostInUrl(host)}:${port}`;

/** An IPv6 address stands in brackets. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** And without them everywhere else. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Every interface is no address to connect to: from this machine it is loopback. */
export const hostFromHere = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);

/** Whether only this machine reaches it: 127.0.0.0/8, ::1 and localhost, in all their spellings; no name that looks like it. */
export function isLoopback(host: string): boolean {
  const url = `http://${hostInUrl(host)}/`;
  if (!/^[\w.:-]+$/.test(host) || !URL.canParse(url)) return false;
  // a URL knows addresses in one spelling only: 127.1 is 127.0.0.1, ::ffff:127.0.0.1 is ::ffff:7f00:1
  return /^(localhost|\[::1\]|127(\.\d+){3}|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/.test(new URL(url).hostname);
}

/** Whether nobody on the way reads or changes what goes there: https, or http that does not leave this machine. */
export function isUnseen(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostOf(new URL(url))));
}

/** Whoever has one address of IPv6 has the 2⁶⁴ beside it: 2001:db8::1 → 2001:db8:0:0::/64. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [front = [], back] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const gap = new Array<string>(Math.max(0, 8 - front.length - (back?.length ?? 0))).fill('0');
  const groups = back === undefined ? front : [...front, ...gap, ...back];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
