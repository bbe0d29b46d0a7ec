// The smallest thing that can be a local VM: listens, writes its address file, burns CPU, eats memory, prints or fails when told to.
import { renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [, , addressFile = '', mode = ''] = process.argv;

const server = createServer((_request, response) => response.end(process.env['MMELIOT_VM_ID']));
if (mode !== 'crash') {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    writeFileSync(`${addressFile}.new`, JSON.stringify({ host: '127.0.0.1', port, pid: process.pid }));
    renameSync(`${addressFile}.new`, addressFile);
    if (mode === 'busy')
      setImmediate(function burn() {
        for (let i = 0; i < 1e6; i++) Math.sqrt(i);
        setImmediate(burn);
      });
  });
}
if (mode === 'complain')
  setImmediate(() => {
    throw new Error('there is no reader');
  });
if (mode === 'hungry') {
  const eaten: Buffer[] = [];
  setInterval(() => eaten.length < 25 && eaten.push(Buffer.alloc(2 ** 24, 1)), 20); // 400 MiB are enough
}
if (mode === 'chatty') setInterval(() => process.stdout.write(`${'a line '.repeat(10_000)}\n`), 10);

if (mode === 'deaf') process.on('SIGTERM', () => undefined);
else process.on('SIGTERM', () => process.exit(0));
