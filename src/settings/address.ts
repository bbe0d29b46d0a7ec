// Addresses as people write them.
import type { Address } from '../model.ts';

/** `127.0.0.1:8082`, `[::1]:8082`, `vm.example.org:80`. Undefined for what is none. */
export function parseAddress(text: string): Address | undefined {
  const [, bracketed, name, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/@]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? name;
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}

export const showAddress = ({ host, port }: Address): string => `${hostInUrl(host)}:${port}`;

/** An IPv6 address stands in brackets. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Whether only this machine reaches it: 127.0.0.0/8, ::1 and localhost, in all their spellings; no name that looks like it. */
export function isLoopback(host: string): boolean {
  const url = `http://${hostInUrl(host)}/`;
  if (!/^[\w.:-]+$/.test(host) || !URL.canParse(url)) return false;
  // a URL knows addresses in one spelling only: 127.1 is 127.0.0.1, ::ffff:127.0.0.1 is ::ffff:7f00:1
  return /^(localhost|\[::1\]|127(\.\d+){3}|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/.test(new URL(url).hostname);
}
