import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startReceiver, type Receiver } from '../../helpers/receiver.ts';

const run = promisify(execFile);

/** A process of its own: what it sends with must not have been loaded. */
const PROCESS = `
  const { execFileSync } = await import('node:child_process');
  const { openSync, closeSync } = await import('node:fs');
  const { createWebhook } = await import(process.argv[1]);
  const targets = { check: async () => {}, lookup: () => {} };
  const webhook = createWebhook(targets, { timeoutSeconds: 10, secret: 'a' });
  const subscription = { destination: process.argv[2] };
  const deliver = () =>
    webhook
      .deliver({ subscription, id: 'page', mediaType: 'application/json', text: '{}' }, new AbortController().signal)
      .catch(({ code }) => code);
  execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=40:']);
  const held = [];
  try {
    for (;;) held.push(openSync('/dev/null'));
  } catch {}
  console.log(await deliver());
  for (const one of held) closeSync(one);
  console.log(await deliver());
  await webhook.close();
`;

describe('webhook', () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.close());

  it('delivers when its process may open something again, also where that was not so at its first delivery', async () => {
    const webhook = join(import.meta.dirname, '../../../epcis/delivery/webhook.ts');
    const args = ['--no-warnings', '--input-type=module', '--eval', PROCESS, webhook, receiver.url];
    const { stdout } = await run(process.execPath, args);
    expect(stdout).to.match(/^[A-Z_]+\naccepted\n$/);
    expect(receiver.requests).to.have.length(1);
  });
});
