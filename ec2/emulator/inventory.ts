// What an account has beside its instances: subnets, instance types, launch templates.
import { Refusal } from './refusal.ts';

export interface InstanceType {
  readonly name: string;
  readonly vcpu: number;
  readonly memoryMiB: number;
  readonly architecture: 'x86_64' | 'arm64';
  /** USD an hour. */
  readonly onDemand: number;
}

export interface Subnet {
  readonly id: string;
  readonly zone: string;
  /** The one that a launch without a subnet gets in this zone. */
  readonly isDefault: boolean;
  readonly free: number;
}

export interface LaunchTemplate {
  readonly id: string;
  readonly name: string;
  readonly imageId: string;
  readonly instanceType?: string;
  readonly subnetId?: string;
  readonly userData?: string;
}

export interface SecurityGroup {
  readonly id: string;
  readonly name: string;
  readonly ports: number[];
}

const type = (
  name: string,
  vcpu: number,
  memoryGiB: number,
  onDemand: number,
  architecture: 'x86_64' | 'arm64' = 'x86_64',
): InstanceType => ({ name, vcpu, memoryMiB: memoryGiB * 1024, architecture, onDemand });

const TYPES: readonly InstanceType[] = [
  type('m3.medium', 1, 3.75, 0.067),
  type('c3.xlarge', 4, 7.5, 0.21),
  type('r3.large', 2, 15.25, 0.175),
  type('t3.medium', 2, 4, 0.0416),
  type('m5.large', 2, 8, 0.096),
  type('c5.large', 2, 4, 0.085),
  type('r5.large', 2, 16, 0.126),
  type('t4g.medium', 2, 4, 0.0336, 'arm64'),
];

export class Inventory {
  readonly types = new Map(TYPES.map((each) => [each.name, each]));
  readonly subnets = new Map<string, Subnet>();
  readonly templates = new Map<string, LaunchTemplate>();
  readonly groups = new Map<string, SecurityGroup>();

  constructor(zones: readonly string[], empty: boolean) {
    for (const [i, zone] of zones.entries())
      this.addSubnet({ id: `subnet-0000000000000000${i + 1}`, zone, isDefault: true, free: 4091 });
    if (!empty)
      this.addTemplate({ id: 'lt-00000000000000001', name: 'mmeliot', imageId: IMAGE, instanceType: 'm3.medium' });
  }

  addSubnet(subnet: Subnet): void {
    this.subnets.set(subnet.id, subnet);
  }

  addTemplate(template: LaunchTemplate): void {
    if ([...this.templates.values()].some(({ name }) => name === template.name))
      throw new Refusal('InvalidLaunchTemplateName.AlreadyExistsException', 'Launch template name already in use.');
    this.templates.set(template.id, template);
  }

  template(id: string | undefined, name: string | undefined): LaunchTemplate {
    const found = [...this.templates.values()].find((each) => (id === undefined ? each.name === name : each.id === id));
    if (found) return found;
    if (id === undefined)
      throw new Refusal(
        'InvalidLaunchTemplateName.NotFoundException',
        `The specified launch template, with template name ${name}, does not exist.`,
      );
    throw new Refusal(
      'InvalidLaunchTemplateId.NotFound',
      `The specified launch template, with template ID ${id}, does not exist.`,
    );
  }

  type(name: string): InstanceType {
    const found = this.types.get(name);
    if (!found)
      throw new Refusal('InvalidInstanceType', `The following supplied instance types do not exist: [${name}]`);
    return found;
  }

  subnet(id: string): Subnet {
    const found = this.subnets.get(id);
    if (!found) throw new Refusal('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
    return found;
  }
}

export const IMAGE = 'ami-0123456789abcdef0';
