// After an upgrade (WebSocket) both connections are one: what one side sends the other gets.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Upgrade } from './incoming.ts';

type Fields = Readonly<Record<string, string | string[] | undefined>>;

/** Passes the VM's agreement on and joins both sides. Returns what cuts it; `ended` is called once, when it is over. */
export function tunnel(upgrade: Upgrade, status: number, fields: Fields, vm: Duplex, ended: () => void): () => void {
  const client = upgrade.socket;
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) head += `${name}: ${one}\r\n`;
  }
  client.write(`${head}\r\n`, 'latin1');
  if (upgrade.first.length > 0) vm.write(upgrade.first);

  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    client.destroy();
    vm.destroy();
    ended();
  };
  for (const side of [client, vm]) side.on('error', end).on('close', end);
  client.pipe(vm);
  vm.pipe(client);
  return end;
}
