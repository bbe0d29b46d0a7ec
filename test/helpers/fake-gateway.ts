// What acting needs of a gateway, in memory: it notes what is asked of it and checks the order of things.
import type { GatewayPort } from '../../src/act/execute.ts';
import type { Address } from '../../src/model.ts';

export class FakeGateway implements GatewayPort {
  readonly serving = new Map<string, Address>();
  readonly calls: string[] = [];
  /** Answers of drain to come; by default requests end at once. */
  drained: () => Promise<boolean> = () => Promise.resolve(true);

  async add(id: string, address: Address): Promise<void> {
    this.calls.push(`add ${id}`);
    this.serving.set(id, address);
  }

  async drain(id: string): Promise<boolean> {
    this.calls.push(`drain ${id}`);
    this.serving.delete(id);
    return this.drained();
  }

  async remove(id: string): Promise<void> {
    this.calls.push(`remove ${id}`);
    this.serving.delete(id);
  }
}
