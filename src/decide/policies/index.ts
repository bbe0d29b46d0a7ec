// The policies by name: a new one is a file and a line here.
import { adaptive } from '../adaptive/adaptive.ts';
import type { PolicyDefinition } from '../common/definition.ts';
import { adapt } from './adapt.ts';
import { backlog } from './backlog.ts';
import { eliot } from './eliot.ts';
import { hpa } from './hpa.ts';
import { kpa } from './kpa.ts';
import { mmeliot } from './mmeliot.ts';
import { oneflow } from './oneflow.ts';
import { proliot } from './proliot.ts';
import { react } from './react.ts';
import { reg } from './reg.ts';
import { targetTracking } from './target-tracking.ts';

const all = {
  eliot,
  mmeliot,
  hpa,
  kpa,
  'target-tracking': targetTracking,
  oneflow,
  react,
  adapt,
  reg,
  adaptive,
  proliot,
  backlog,
};

export type PolicyName = keyof typeof all;

export const policies: Readonly<Record<PolicyName, PolicyDefinition>> = all;

export const policyNames = Object.keys(policies) as readonly PolicyName[];
