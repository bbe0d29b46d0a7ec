// Where results may be sent. A subscriber names the URL and this server calls it, so by default nothing is allowed: else a
// client could make it call what only it can reach (server-side request forgery).
//
// `allow` holds host patterns and address ranges:
//   receiver.example.com, *.example.com, * (any), each with an optional :port   names, and the PUBLIC addresses they have
//   10.1.0.0/16, fd00::/8, 127.0.0.1                                            addresses, whatever name leads to them
// A name alone never leads to a private, loopback or link-local address. The address that was checked is the one that is
// connected to: the check sits in the connection's own lookup, so a name that changes its address in between gains nothing.
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { hostOf, parseHost, type Host } from '../domain/address.ts';
import { EpcisException } from '../domain/exceptions.ts';

export interface TargetOptions {
  /** Default: none, so every subscription with a URL is refused. */
  readonly allow: readonly string[];
}

export interface Targets {
  /** Rejects with an InvalidURIException where the URI is malformed or not allowed. */
  check(destination: string): Promise<void>;
  /** For the connection: fails unless an address of the host is allowed, and gives only allowed ones. */
  readonly lookup: LookupFunction;
}

type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export function createTargets({ allow }: TargetOptions, resolve: Resolve = resolveBySystem): Targets {
  const names = allow.filter((pattern) => rangeOf(pattern) === undefined).map(parsePattern);
  const ranges = new BlockList();
  for (const pattern of allow) addRange(ranges, pattern);

  const isNamed = (host: string, port: number | undefined): boolean =>
    names.some((pattern) => matches(pattern, host) && (port === undefined || (pattern.port ?? port) === port));
  const isAllowed = (host: string, port: number | undefined, address: string): boolean =>
    inside(ranges, address) || (isNamed(host, port) && isPublic(address));

  return {
    async check(destination) {
      const { host, port } = parseDestination(destination);
      if (isIP(host) === 0 && !isNamed(host, port) && allow.every((pattern) => rangeOf(pattern) === undefined)) {
        throw notAllowed(destination);
      }
      const addresses = await addressesOf(host, resolve).catch(() => {
        throw invalid(`The host of '${destination}' has no address.`);
      });
      if (!addresses.some(({ address }) => isAllowed(host, port, address))) throw notAllowed(destination);
    },
    lookup(hostname, options, callback) {
      addressesOf(hostname, resolve).then(
        (all) => {
          // the port was checked with the URL, right before
          const found = all.filter(({ address }) => isAllowed(hostname.toLowerCase(), undefined, address));
          const [first] = found;
          if (first === undefined) callback(new Error(`No address of ${hostname} is an allowed target.`), '');
          else if (options.all === true) callback(null, [...found]);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, ''),
      );
    },
  };
}

function parseDestination(destination: string): { readonly host: string; readonly port: number } {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(destination)?.[1]?.toLowerCase();
  if (scheme !== 'http' && scheme !== 'https') {
    throw invalid(scheme === undefined ? `'${destination}' is no URI.` : `The URI scheme '${scheme}' is invalid.`);
  }
  const url = URL.canParse(destination) ? new URL(destination) : undefined;
  if (url === undefined) throw invalid(`'${destination}' is no URI.`);
  if (url.username !== '' || url.password !== '') throw invalid('A destination must hold no user name or password.');
  const host = hostOf(url).toLowerCase();
  return { host, port: url.port === '' ? { http: 80, https: 443 }[scheme] : Number(url.port) };
}

function invalid(reason: string): EpcisException {
  return new EpcisException('InvalidURIException', reason);
}

function notAllowed(destination: string): EpcisException {
  return invalid(
    `'${destination}' is not among the targets that this repository may send to (its operator sets them).`,
  );
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  return family === 0 ? resolve(host) : [{ address: host, family }];
}

function resolveBySystem(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((done, fail) => {
    systemLookup(host, { all: true }, (error, addresses) => (error === null ? done(addresses) : fail(error)));
  });
}

function parsePattern(pattern: string): Host {
  const parsed = parseHost(pattern.toLowerCase());
  if (parsed === undefined)
    throw new Error(`'${pattern}' is no target: write it like *.example.org, crm.example.org:8443 or 10.0.0.0/8.`);
  return parsed;
}

function matches({ host: pattern }: Host, host: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

/** `10.0.0.0/8` or a bare address; undefined for a host pattern. */
function rangeOf(
  pattern: string,
): { readonly address: string; readonly bits: number; readonly type: Family } | undefined {
  const [address = '', bits] = pattern.replace(/^\[|\]$/g, '').split('/');
  const family = isIP(address);
  if (family === 0) return undefined;
  const longest = family === 4 ? 32 : 128;
  return { address, bits: bits === undefined ? longest : Number(bits), type: family === 4 ? 'ipv4' : 'ipv6' };
}

type Family = 'ipv4' | 'ipv6';

function addRange(list: BlockList, pattern: string): void {
  const range = rangeOf(pattern);
  if (range !== undefined) list.addSubnet(range.address, range.bits, range.type);
}

function inside(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The IANA registries of special-purpose addresses: what is not globally reachable, or stands for something else. */
const SPECIAL = new BlockList();
for (const range of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]) {
  addRange(SPECIAL, range);
}
const GLOBAL_V6 = new BlockList();
GLOBAL_V6.addSubnet('2000::', 3, 'ipv6');

/** 8.8.8.8 → true; 127.0.0.1, ::1, ::ffff:127.0.0.1 and fd00::1 → false. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 6 && !GLOBAL_V6.check(address, 'ipv6')) return false;
  return !inside(SPECIAL, address);
}
