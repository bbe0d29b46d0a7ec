// The procedures: what the standard says a server does, in our words, as calls that show it.
import { check, type Result } from './report.ts';
import type { Endpoints } from './procedures/site.ts';
import { captureSteps, captureSamples } from './procedures/capture.ts';
import { deliverySteps } from './procedures/delivery.ts';
import { headerSteps } from './procedures/headers.ts';
import { namedQuerySteps } from './procedures/named-queries.ts';
import { querySteps } from './procedures/queries.ts';
import { resourceSteps } from './procedures/resources.ts';
import { Site, type Step } from './procedures/site.ts';
import { soapSteps } from './procedures/soap.ts';
import { validitySteps } from './procedures/validity.ts';

const PROCEDURES: Readonly<Record<string, (site: Site) => readonly Step[]>> = {
  capture: captureSteps,
  queries: querySteps,
  'named queries': namedQuerySteps,
  delivery: deliverySteps,
  resources: resourceSteps,
  headers: headerSteps,
  soap: soapSteps,
  validity: validitySteps,
};

export interface Procedures {
  readonly results: readonly Result[];
  /** Requests sent. */
  readonly calls: number;
}

export async function runProcedures(endpoints: Endpoints, callbackHost: string): Promise<Procedures> {
  const site = new Site(endpoints, callbackHost);
  const samples = await check('the sample events are captured', () => captureSamples(site));
  const results = [samples];
  if (samples.outcome === 'failed') return { results, calls: site.calls };
  for (const [procedure, stepsOf] of Object.entries(PROCEDURES))
    for (const step of stepsOf(site)) results.push(await check(`${procedure}: ${step.name}`, () => step.run()));
  return { results, calls: site.calls };
}
