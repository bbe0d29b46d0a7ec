// The page for those who come from OneFlow: what it shows must be the same service in both.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { parseConfig } from '../../src/config/load.ts';
import { limitsAt } from '../../src/decide/calendar.ts';
import { policies } from '../../src/decide/policies/index.ts';

const page = readFileSync(new URL('../../opennebula/ONEFLOW.md', import.meta.url), 'utf8');
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';

interface Policy {
  readonly adjust: number;
  readonly expression?: string;
  readonly recurrence?: string;
  readonly period: number;
  readonly period_number: number;
  readonly cooldown: number;
}
interface FlowRole {
  readonly name: string;
  readonly min_vms: number;
  readonly max_vms: number;
  readonly elasticity_policies: readonly Policy[];
  readonly scheduled_policies: readonly Policy[];
}

describe('opennebula/ONEFLOW.md', () => {
  const [role] = (JSON.parse(block('json')) as { readonly roles: readonly FlowRole[] }).roles;
  const config = parseConfig(parse(block('yaml')), 'ONEFLOW.md');
  if (role === undefined) throw new Error('the service has no role');

  it('shows a configuration with the bounds and thresholds of the service', () => {
    const { min, max, high, low } = config.elasticity;
    expect({ min, max }).to.deep.equal({ min: role.min_vms, max: role.max_vms });
    const expressions = role.elasticity_policies.map(({ expression }) => expression);
    expect(expressions).to.deep.equal([`CPU > ${high}`, `CPU < ${low}`]);
    expect(config.opennebula.role).to.equal(role.name);
  });

  it('has the same hours in both', () => {
    const cardinalities = role.scheduled_policies.map(({ adjust, recurrence = '' }) => {
      const [, hour = ''] = /^0 (\d+) \* \* 1-5$/.exec(recurrence) ?? [];
      return [adjust, limitsAt(config.elasticity, Date.parse(`2026-11-18T${hour.padStart(2, '0')}:00:00+02:00`)).min];
    });
    expect(cardinalities).to.deep.equal([
      [4, 4],
      [1, 1],
    ]);
  });

  it('tells the defaults of the policy oneflow as they are', () => {
    const [up] = role.elasticity_policies;
    const { parameters } = policies.oneflow;
    expect(up?.period).to.equal(Number(parameters['every']?.default) / 1_000);
    expect(up?.period_number).to.equal(parameters['periodNumber']?.default);
    expect(up?.cooldown).to.equal(Number(parameters['cooldown']?.default) / 1_000);
  });

  it('names only settings and commands that there are', () => {
    for (const name of [
      'longestQueueTime',
      'longestBacklog',
      'allocateCooldown',
      'releaseCooldown',
      'window',
      'warmup',
      'step',
      'target',
    ])
      expect(config.elasticity, name).to.have.property(name);
  });
});
