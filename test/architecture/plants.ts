// One violation of each kind, as files that a copy of the project gets: rule → file → what it holds.
import { PROVIDERS } from './folders.ts';

const types = (from: string): string => `export type * from '${from}';\n`;
const values = (from: string): string => `export * from '${from}';\n`;

export const PLANTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'pure-stays-pure': { 'src/decide/common/plant.ts': values('node:fs') },
  'pure-needs-only-pure': { 'src/simulate/plant.ts': values('../telemetry/log.ts') },
  'predict-knows-the-model-only': { 'src/predict/plant.ts': types('../decide/common/policy.ts') },
  'decide-knows-the-model-only': { 'src/decide/policies/plant.ts': types('../../loop/clock.ts') },
  'policies-are-blind-to-the-mix': { 'src/decide/adaptive/plant.ts': types('../../fleet/settings.ts') },
  'the-mix-is-blind-to-policies': { 'src/fleet/plant.ts': types('../decide/common/policy.ts') },
  'packing-stands-between-providers': { 'src/packing/plant.ts': types('../act/plan.ts') },
  'balance-is-unaware-of-the-loop': { 'src/balance/builtin/plant.ts': types('../../loop/clock.ts') },
  'access-knows-clients-only': { 'src/access/plant.ts': types('../balance/core/contract.ts') },
  'epcis-stands-alone': { 'epcis/work/plant.ts': types('../../src/model.ts') },
  ...Object.fromEntries(
    PROVIDERS.map((own) => [`${own}-sees-the-port-only`, { [`${own}/plant.ts`]: types('../src/act/plan.ts') }]),
  ),
  'the-sdk-in-one-place': { 'ec2/documents/plant.ts': types('@aws-sdk/client-ec2') },
  'loadgen-is-a-client': { 'loadgen/plant.ts': values('../epcis/server.ts') },
  'only-manager-and-commands-wire': { 'src/admin/plant.ts': values('../config/load.ts') },
  'the-manager-knows-no-command': { 'src/manager/plant.ts': values('../cli/index.ts') },
  'service-before-binding': { 'epcis/service/plant.ts': types('../bindings/write.ts') },
  'bindings-do-not-touch-storage': { 'epcis/bindings/rest/plant.ts': types('../../repository/jobs.ts') },
  'one-place-forwards': { 'src/balance/remote/plant.ts': values('undici') },
  'sql-drivers-in-the-repository': { 'epcis/delivery/plant.ts': values('mysql2') },
  'express-at-the-edges': { 'src/config/plant.ts': values('express') },
  'processes-in-three-places': { 'src/telemetry/plant.ts': values('node:child_process') },
  'no-cycles': { 'src/cli/plant.ts': types('./plant-too.ts'), 'src/cli/plant-too.ts': types('./plant.ts') },
  'no-orphans': { 'src/loop/plant.ts': 'export const alone = true;\n' },
  'no-test-in-production': { 'loadgen/report/plant.ts': values('../../test/helpers/until.ts') },
  'no-dev-dependency-in-production': { 'epcis/plant.ts': values('fast-check') },
  'no-dead-exports': { 'src/queueing/plant.ts': 'export const takenByNobody = true;\n' },
  'no-folder-cycles': { 'opennebula/documents/plant.ts': types('../client.ts') },
};

/** eslint's rule → what it refuses: the first three in pure code. */
export const REFUSED_BY_ESLINT: Readonly<Record<string, string>> = {
  'no-restricted-globals': 'export const seen = () => process.pid;\n',
  'no-restricted-properties': 'export const seen = () => Date.now() + Math.random();\n',
  'no-restricted-syntax': 'export const seen = () => new Date();\n',
  'regexp/no-super-linear-backtracking': 'export const seen = /a\\s*b?\\s*c/;\n',
};
