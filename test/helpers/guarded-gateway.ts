// A gateway whose clients have to be known, with an issuer of tokens and a VM that heeds what it vouches for.
import { expect } from 'chai';
import type { EpcisServer } from '../../epcis/server.ts';
import type { AccessOptions } from '../../src/access/access.ts';
import type { KeyRecord } from '../../src/access/keys.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { startGuarded } from './access.ts';
import { KINDS } from './fresh-repository.ts';
import { accessOf, TokenIssuer } from './gatekeeper.ts';
import { ask, Bench } from './gateway.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

const [[, freshUrl]] = KINDS as [(typeof KINDS)[number]];

export class GuardedGateway {
  readonly bench = new Bench();
  readonly issuer: TokenIssuer;
  gateway!: Gateway;
  vm!: EpcisServer;
  readonly #dataPlane: 'builtin' | 'haproxy';
  readonly #folder = temporaryFolder('mmeliot-guarded-');
  /** Requests that the gateway was asked to let in: an HAProxy vouches for some by itself. */
  #asked = 0;

  constructor(dataPlane: 'builtin' | 'haproxy') {
    this.#dataPlane = dataPlane;
    this.issuer = new TokenIssuer(this.#folder.path);
  }

  async start(keys: readonly KeyRecord[], options: Partial<AccessOptions> = {}): Promise<void> {
    await this.issuer.rotate('one');
    this.vm = await startGuarded(await freshUrl());
    const access = accessOf(keys, { readToken: this.issuer.reader(), ...options });
    const admit = access.admit.bind(access);
    access.admit = (request) => {
      this.#asked++;
      return admit(request);
    };
    this.gateway = await this.bench.gateway({ dataPlane: this.#dataPlane }, { access });
    await this.gateway.add('vm', { host: '127.0.0.1', port: this.vm.port });
  }

  async close(): Promise<void> {
    await this.bench.close();
    await this.vm.close();
    this.#folder.remove();
  }

  get port(): number {
    return this.gateway.address.port;
  }

  /** Strangers are recognised by the built-in plane; then an HAProxy vouches by itself. */
  async vouchesByItself(authorization: string): Promise<void> {
    await until('the data plane vouches by itself', async () => {
      const before = this.#asked;
      const { status } = await ask(this.port, '/events', { headers: { authorization } });
      expect(status).to.equal(200);
      return this.#dataPlane === 'builtin' || this.#asked === before;
    });
  }
}
