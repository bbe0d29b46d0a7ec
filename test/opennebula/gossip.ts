// A front end that quotes: it stands before the emulator and refuses the methods it is told to, in a sentence that
// says again everything it has ever been sent.
import { createServer, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import { parseXml } from '../../opennebula/xml-parser.ts';
import { decodeCall, encodeAnswer } from '../../opennebula/documents/xml-rpc.ts';
import { listening } from '../helpers/listening.ts';

export interface Gossip {
  readonly url: string;
  /** Refuses every method of that name from now on. */
  refuse(...methods: readonly string[]): void;
  close(): void;
}

export async function startGossip(frontEnd: string, secrets: readonly string[]): Promise<Gossip> {
  let refused: readonly string[] = [];
  const heard = new Set<string>();
  const server: Server = createServer((incoming, response) => {
    void (async () => {
      const body = await buffer(incoming);
      const { method, params } = decodeCall(parseXml(body.toString('utf8')));
      const said = params.map(String).join(' ');
      for (const secret of secrets) if (said.includes(secret)) heard.add(said);
      if (!refused.includes(method)) {
        const answer = await request(frontEnd, { method: 'POST', body });
        return void response.end(await answer.body.text());
      }
      // the secrets first, since a long sentence is cut
      const sentence = `[${method}] Error with ${secrets.join(' ')} ${[...heard].join(' ')}`;
      response.end(encodeAnswer({ value: [false, sentence, 16384, -1, -1n] }));
    })().catch(() => response.destroy());
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}/RPC2`,
    refuse: (...methods) => void (refused = methods),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
