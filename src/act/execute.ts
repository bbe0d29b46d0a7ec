// Port: what acting needs of the gateway. Both calls are awaited before anything else happens to the VM.
import type { Address } from '../model.ts';

export interface GatewayPort {
  /** Requests may go to this VM from now on. Adding a VM that is there is no error. */
  add(id: string, address: Address): Promise<void>;

  /**
   * No new request goes to this VM once the call has been taken; resolves when its last request in flight
   * has ended, or after `deadlineMs` (then `false`: requests were still in flight).
   */
  drain(id: string, deadlineMs: number): Promise<boolean>;

  /** Forgets the VM. Requests still in flight at it are cut off. Unknown ids are no error. */
  remove(id: string): Promise<void>;
}
