// What the emulated cloud has beside its VMs: users, and the networks, images, VM templates and VM groups that somebody
// owns and others may use or not.
import type { VmTemplate } from './documents.ts';
import { AUTHORIZATION, Refusal } from './refusal.ts';

export interface Owned {
  readonly id: number;
  readonly name: string;
  /** The owner's uid. */
  readonly owner: number;
  /** Whether users other than the owner may use it. */
  forOthers: boolean;
}

export interface OwnedTemplate extends VmTemplate, Owned {
  forOthers: boolean;
}

/** VMs in a role share a policy. */
export interface VmGroup extends Owned {
  /** Policies by role; '' where a role has none. */
  readonly roles: ReadonlyMap<string, string>;
}

/** In OpenNebula's error messages. */
export type Kind = 'NET' | 'IMAGE' | 'TEMPLATE' | 'VMGROUP';

interface Asker {
  readonly uid: number;
  readonly admin: boolean;
}

export class Store<T extends Owned> {
  readonly kind: Kind;
  readonly #things = new Map<number, T>();
  #next = 0;

  constructor(kind: Kind) {
    this.kind = kind;
  }

  add(make: (id: number) => T): T {
    const thing = make(this.#next++);
    this.#things.set(thing.id, thing);
    return thing;
  }

  get all(): readonly T[] {
    return [...this.#things.values()];
  }

  get(id: number): T | undefined {
    return this.#things.get(id);
  }

  named(name: string, owner: number): T | undefined {
    return this.all.find((thing) => thing.name === name && thing.owner === owner);
  }

  delete(id: number): void {
    this.#things.delete(id);
  }

  mayUse(thing: T, { uid, admin }: Asker): boolean {
    return admin || thing.owner === uid || thing.forOthers;
  }

  use(thing: T, user: Asker): T {
    if (this.mayUse(thing, user)) return thing;
    const sentence = `User [${user.uid}] : Not authorized to perform USE ${this.kind} [${thing.id}].`;
    throw new Refusal(AUTHORIZATION, sentence);
  }
}

export class Inventory {
  readonly networks = new Store<Owned>('NET');
  readonly images = new Store<Owned>('IMAGE');
  readonly templates = new Store<OwnedTemplate>('TEMPLATE');
  readonly vmGroups = new Store<VmGroup>('VMGROUP');
}
