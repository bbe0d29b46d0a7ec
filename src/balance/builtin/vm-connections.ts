// All ways to one VM.
import type { Address } from '../../model.ts';
import type { GroupTrust } from '../../tls/group.ts';
import type { GatewayOptions } from '../core/options.ts';
import type { Trouble } from '../core/shared-trouble.ts';
import { keptConnectionsTo, probe } from './forwarder.ts';
import type { KeptConnections, VmHandler, VmRequest } from './forwarder.ts';
import { VmUpload } from './upload.ts';
import type { Upload } from './upload.ts';

export class VmConnections {
  readonly #address: Address;
  readonly #timeouts: GatewayOptions['timeouts'];
  readonly #trust: GroupTrust | undefined;
  readonly #kept: KeptConnections;
  readonly #uploads = new Set<VmUpload>();

  /** `trust`: it is spoken to by TLS. */
  constructor(address: Address, timeouts: GatewayOptions['timeouts'], trust?: GroupTrust) {
    this.#address = address;
    this.#timeouts = timeouts;
    this.#trust = trust;
    this.#kept = keptConnectionsTo(address, timeouts, trust);
  }

  /** A request whose body, if it has one, is here. */
  send(request: VmRequest, handler: VmHandler): void {
    this.#kept.dispatch(request, handler);
  }

  /** A request whose body is still to come. */
  upload(upload: Upload, handler: VmHandler): void {
    const underWay = new VmUpload(upload, this.#timeouts, handler, () => this.#uploads.delete(underWay));
    this.#uploads.add(underWay);
    underWay.connect(this.#address, this.#trust);
  }

  /** Undefined: the VM is ready, else why not. */
  probe(path: string, timeoutMs: number): Promise<Trouble | undefined> {
    return probe(this.#kept, path, timeoutMs);
  }

  /** Cuts whatever is under way. */
  async destroy(): Promise<void> {
    for (const upload of this.#uploads) upload.abort(new Error('the VM was removed'));
    await this.#kept.destroy();
  }
}
