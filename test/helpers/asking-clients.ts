// Clients that ask one thing after the other, and what was not answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

export class AskingClients {
  answered = 0;
  readonly lost: string[] = [];
  #stopped = false;
  readonly #running: Promise<void>[];

  constructor(url: string, count: number) {
    this.#running = Array.from({ length: count }, () => this.#ask(url));
  }

  async #ask(url: string): Promise<void> {
    while (!this.#stopped) {
      try {
        const { statusCode, body } = await request(url);
        await body.dump();
        if (statusCode === 200) this.answered++;
        else this.lost.push(`HTTP ${statusCode}`);
      } catch (error) {
        this.lost.push(String(error));
      }
      await sleep(5);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }
}
