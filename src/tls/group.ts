// The certificates of a group: by them gateway, manager and VMs know each other. Their authority's key comes from the group's secret,
// which all of them have anyhow, so that there is nothing to hand out, to keep or to lose: each writes its own certificate.
// (Node.js can read certificates and not write them. Ed25519 alone, so that the root is the same, bit for bit, wherever it is made.)
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto';
import { sign, type KeyObject } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import { bits, identifier, integer, member, octets, primitive, sequence, setOf, text, time, YES } from './der.ts';
import type { Pair } from './certificate.ts';

/** Who shows a certificate of the group; it is the name that the other side expects in it. */
export const VM_NAME = 'vm.mmeliot.internal';
export const GATEWAY_NAME = 'gateway.mmeliot.internal';

const DAY = 86_400_000;
/** A certificate is good from a day ago, for clocks that are late, and is written anew long before it ends. */
const GOOD_FOR = 8 * DAY;
export const RENEW_MS = DAY;

const ROOT = { subject: 'mmeliot group', from: Date.UTC(2020, 0), until: Date.UTC(2120, 0) };
const ED25519 = sequence(identifier('1.3.101.112'));

/** The beginning of an Ed25519 key in PKCS #8; its 32 bytes follow. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const authority = (secret: string): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.from(hkdfSync('sha256', secret, '', 'certificates of the group', 32))]),
    format: 'der',
    type: 'pkcs8',
  });

/** What certificates of this group are signed by, in PEM. */
export function groupRoot(secret: string): string {
  const signer = authority(secret);
  const key = createPublicKey(signer);
  const extensions = [
    extension('2.5.29.19', sequence(YES), 'critical'), // an authority
    extension('2.5.29.15', bits(Buffer.of(0x06), 1), 'critical'), // which signs certificates
    extension('2.5.29.14', octets(idOf(key))),
  ];
  return certificate({ ...ROOT, serial: Buffer.of(1), key, signer, extensions });
}

/** For who gets its certificate from the manager, and none after it: longer than any machine is kept. */
export const FOR_LIFE = 10 * 365 * DAY;

/** A certificate with a key of its own. `now`: ms since 1970. */
export function groupCertificate(secret: string, name: string, now: number, goodFor = GOOD_FOR): Pair {
  const signer = authority(secret);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const extensions = [
    extension('2.5.29.15', bits(Buffer.of(0x80), 7), 'critical'), // it signs handshakes
    extension('2.5.29.37', sequence(identifier('1.3.6.1.5.5.7.3.1'))), // as a server
    extension('2.5.29.17', sequence(primitive(2, Buffer.from(name)))),
    extension('2.5.29.35', sequence(primitive(0, idOf(createPublicKey(signer))))),
  ];
  const serial = Buffer.concat([Buffer.of(1), randomBytes(15)]);
  const life = { from: now - DAY, until: now + goodFor };
  const cert = certificate({ ...life, subject: name, serial, key: publicKey, signer, extensions });
  return { cert, key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })) };
}

/** What a client is told that connects to who shows such a certificate. */
export interface GroupTrust {
  /** The root, in PEM; of several, one below the other. */
  readonly ca: string;
  readonly name: string;
}

export const trustIn = (secret: string, name: string): GroupTrust => ({ ca: groupRoot(secret), name });

/** The same where the secret may change: each is good. */
export function trustInAll(secrets: () => readonly string[], name: string): GroupTrust {
  const roots = new Map<string, string>();
  const rootOf = (secret: string) => {
    const root = roots.get(secret) ?? groupRoot(secret);
    roots.set(secret, root);
    return root;
  };
  return {
    name,
    get ca() {
      return secrets().map(rootOf).join('');
    },
  };
}

export const connectionOf = ({ ca, name }: GroupTrust): ConnectionOptions => ({
  ca,
  servername: name,
  minVersion: 'TLSv1.3',
});

interface Content {
  readonly subject: string;
  readonly from: number;
  readonly until: number;
  readonly serial: Uint8Array;
  readonly key: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: readonly Buffer[];
}

function certificate({ subject, from, until, serial, key, signer, extensions }: Content): string {
  const content = sequence(
    member(0, integer(Buffer.of(2))), // version 3
    integer(serial),
    ED25519,
    nameOf(ROOT.subject),
    sequence(time(from), time(until)),
    nameOf(subject),
    key.export({ format: 'der', type: 'spki' }),
    member(3, sequence(...extensions)),
  );
  const whole = sequence(content, ED25519, bits(sign(null, content, signer)));
  const lines = whole.toString('base64').replace(/.{1,64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
}

const nameOf = (common: string): Buffer => sequence(setOf(sequence(identifier('2.5.4.3'), text(common))));

const extension = (id: string, content: Buffer, critical?: 'critical'): Buffer =>
  sequence(identifier(id), ...(critical === undefined ? [] : [YES]), octets(content));

const idOf = (key: KeyObject): Buffer =>
  createHash('sha256')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest()
    .subarray(0, 20);
