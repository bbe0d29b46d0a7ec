// A front end that plays what it is told to, byte for byte: whatever one of some version, or a proxy before it, may answer.
import { parseXml } from '../../opennebula/xml-parser.ts';
import { decodeCall, encodeAnswer, type RpcValue } from '../../opennebula/documents/xml-rpc.ts';
import { http, playServer, type Played } from '../helpers/played.ts';

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
  const server = await playServer((body) => {
    const { method, params } = decodeCall(parseXml(body));
    calls.push([method, ...params.slice(1)]);
    return play(method, params.slice(1));
  });
  return { url: `${server.url}/RPC2`, calls, close: () => server.close() };
}

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
