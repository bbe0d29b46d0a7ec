// A front end that plays what it is told to, byte for byte: whatever one of some version, or a proxy before it, may answer.
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseXml } from '../../opennebula/xml-parser.ts';
import { decodeCall, encodeAnswer, type RpcValue } from '../../opennebula/documents/xml-rpc.ts';

/** What goes over the wire, and how. */
export interface Played {
  readonly bytes: string | Buffer;
  /** Bytes of a piece; default: all at once. */
  readonly piece?: number;
  /** What becomes of the connection then; default: it is closed. */
  readonly then?: 'close' | 'reset' | 'keep';
}

/** What it answers to a call; nothing: it says nothing, and keeps the connection. */
export type Play = (method: string, params: readonly RpcValue[]) => Played | undefined | Promise<Played | undefined>;

export interface PlayedFrontEnd {
  readonly url: string;
  /** The methods called so far, with what followed the session. */
  readonly calls: readonly (readonly [string, ...RpcValue[]])[];
  close(): Promise<void>;
}

export async function playFrontEnd(play: Play): Promise<PlayedFrontEnd> {
  const calls: [string, ...RpcValue[]][] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(received.toString('latin1', 0, Math.max(0, end)))?.[1]);
      if (end < 0 || received.length < end + 4 + length) return;
      const { method, params } = decodeCall(parseXml(received.toString('utf8', end + 4)));
      received = Buffer.alloc(0);
      calls.push([method, ...params.slice(1)]);
      void Promise.resolve(play(method, params.slice(1))).then((answer) => answer && put(socket, answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/RPC2`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function put(socket: Socket, { bytes, piece = Infinity, then = 'close' }: Played): Promise<void> {
  const all = Buffer.from(bytes as string, 'latin1');
  socket.setNoDelay(true);
  for (let at = 0; at < all.length; at += piece) {
    socket.write(all.subarray(at, at + piece));
    if (at + piece < all.length) await sleep(0);
  }
  if (then === 'close') socket.end();
  if (then === 'reset') socket.resetAndDestroy();
}

/** As the HTTP server of a front end sends it. */
export const http = (body: string | Buffer, status = '200 OK', fields = ''): Buffer => {
  const content = Buffer.from(body as string, 'utf8');
  const head =
    `HTTP/1.1 ${status}\r\nContent-type: text/xml; charset=utf-8\r\n${fields}Connection: close\r\n` +
    `Content-length: ${content.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), content]);
};

export const xml = (value: RpcValue): Played => ({ bytes: http(encodeAnswer({ value })) });
export const success = (value: RpcValue): Played => xml([true, value, 0]);
export const refusal = (code: number, message: string): Played => xml([false, message, code, -1, -1n]);
export const fault = (code: number, message: string): Played => ({
  bytes: http(encodeAnswer({ fault: { code, message } })),
});

export interface PlayedVm {
  readonly id: number;
  readonly state?: readonly [number, number];
  readonly mark?: string;
  readonly group?: string;
  /** Of its USER_TEMPLATE. */
  readonly own?: string;
  /** Of its TEMPLATE. */
  readonly nics?: string;
  /** Anything else. */
  readonly more?: string;
}

/** One VM as the pool shows it. */
export function vmXml({ id, state = [3, 3], mark = `m${id}`, group = 'demo', own = '', nics, more = '' }: PlayedVm) {
  const template = nics ?? `<NIC><IP><![CDATA[10.0.0.${id}]]></IP><NIC_ID><![CDATA[0]]></NIC_ID></NIC>`;
  return (
    `<VM><ID>${id}</ID><UID>2</UID><GID>1</GID><NAME>${group}-epcis-${mark}</NAME><STATE>${state[0]}</STATE>` +
    `<LCM_STATE>${state[1]}</LCM_STATE><STIME>1600000000</STIME><TEMPLATE>${template}</TEMPLATE><USER_TEMPLATE>` +
    `<MMELIOT_GROUP><![CDATA[${group}]]></MMELIOT_GROUP><MMELIOT_MARK><![CDATA[${mark}]]></MMELIOT_MARK>${own}` +
    `</USER_TEMPLATE><HISTORY_RECORDS/>${more}</VM>`
  );
}

export const pool = (...vms: readonly string[]): Played => success(`<VM_POOL>${vms.join('')}</VM_POOL>`);
export const TEMPLATE = success(
  '<VMTEMPLATE><ID>0</ID><NAME>mmeliot</NAME><TEMPLATE><CPU>1</CPU></TEMPLATE></VMTEMPLATE>',
);
