import { clientsAreKnown } from '../../access/options.ts';
import type { Config } from '../../config/schema.ts';
import type { DataFolder } from '../../manager/data-folder.ts';
import { COMMAND } from '../../manager/program.ts';
import type { System } from '../../manager/wire.ts';

const EVENT = {
  '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'],
  type: 'ObjectEvent',
  eventTime: '2026-01-01T12:00:00.000Z',
  eventTimeZoneOffset: '+00:00',
  epcList: ['urn:epc:id:sgtin:0614141.107346.2018'],
  action: 'OBSERVE',
  bizStep: 'receiving',
  readPoint: { id: 'urn:epc:id:sgln:0614141.00777.0' },
};

/** Where the defaults of the commands don't lead to this system. */
const elsewhere = ({ gateway, admin }: Config, system: System): string =>
  (gateway.port === 8080 ? '' : ` --url ${system.gateway}`) + (admin.port === 8081 ? '' : ` --admin ${system.admin}`);

/** It goes by the proxies of the environment, which can't lead here. */
const CURL = ['http_proxy', 'all_proxy', 'ALL_PROXY'].some((name) => process.env[name]) ? "curl --noproxy '*'" : 'curl';

const captureAndQuery = (gateway: string): string => `Capture an event, and query it back:
  ${CURL} -fsS -H 'Content-Type: application/ld+json' -H 'GS1-EPCIS-Version: 2.0.0' -d '${JSON.stringify(EVENT)}' ${gateway}events
  ${CURL} -fsS '${gateway}events?MATCH_epc=urn:epc:id:sgtin:0614141.107346.2018'
`;

const KNOWN = `Clients say who they are by a key, and get what rules say (epcis/access/README.md walks through it):
  ${COMMAND} key create acme --role capture query
  ${COMMAND} access rules apply rules.yaml
`;

/** What a new user needs next: every line can be copied and run. */
export function upSummary(config: Config, folder: DataFolder, system: System, ready: boolean): string {
  const { gateway, admin } = system;
  return `
${ready ? 'mmeliot is ready.' : 'mmeliot runs, but no VM is ready yet: requests wait, and mmeliot status says why.'}

  clients connect to   ${gateway}   (EPCIS 2.0 REST; /epcis-repository/capture and /epcis-repository/query for EPCIS 1.x)
  operator looks at    ${admin}
  data is kept in      ${folder.path}
${system.notices.map((notice) => `  note                 ${notice}\n`).join('')}
${clientsAreKnown(config) ? KNOWN : captureAndQuery(gateway)}
Put load on it, and watch the fleet grow on the operator's page:
  ${COMMAND} load --profile ascending --max 80% --duration 3m${elsewhere(config, system)}

Or see what it is for in two minutes, in a system of its own:
  ${COMMAND} demo

Ctrl-C stops everything.
`;
}

export const managerSummary = (
  _config: Config,
  folder: DataFolder,
  { gateway, admin, notices }: System,
  ready: boolean,
): string => `
${ready ? 'The manager is ready.' : 'The manager runs, but no VM is ready yet: mmeliot status says why.'}

  clients connect to   ${gateway}
  operator looks at    ${admin}
  data is kept in      ${folder.path}
${notices.map((notice) => `  note                 ${notice}\n`).join('')}`;
