// What the schema can't say: values that contradict each other. One sentence each, most important first.
import { epcisComplaint } from '../../epcis/options.ts';
import { createTargets } from '../../epcis/delivery/targets.ts';
import { parseRepositoryUrl } from '../../epcis/repository/database/url.ts';
import { validateParameters } from '../decide/validate.ts';
import { clientsAreKnown, issuerComplaint } from '../access/options.ts';
import { clientComplaint, type Named } from '../access/terms.ts';
import { hostOf, isLoopback, isUnseen, parseAddress } from '../../epcis/domain/address.ts';
import { rolesComplaint } from './roles.ts';
import { parametersOf, type Config } from './schema.ts';
import { tlsComplaint } from '../settings/tls.ts';

export function contradictions(config: Config): readonly string[] {
  const found: string[] = [];
  const { gateway, admin, access, identity } = config;
  if (gateway.port !== 0 && gateway.port === admin.port && gateway.host === admin.host)
    found.push(`gateway.port and admin.port are both ${gateway.port}: give them different ports.`);
  if (!isLoopback(gateway.host) && access !== 'open' && !clientsAreKnown(config))
    found.push(
      `gateway.host ${gateway.host} can be reached from outside this machine: set access to known (clients show a key or a token) or to open (anybody may capture and read).`,
    );
  if (!isLoopback(admin.host) && admin.token === '')
    found.push(`admin.host ${admin.host} can be reached from outside this machine: set admin.token as well.`);
  for (const [name, { tls }] of Object.entries({ gateway, 'gateway.control': gateway.control, admin })) {
    const complaint = tlsComplaint(tls);
    if (complaint !== undefined) found.push(`${name}.tls: ${complaint}`);
  }
  if (gateway.http2 && gateway.dataPlane !== 'haproxy')
    found.push(
      'gateway.http2: the built-in data plane speaks HTTP/1.1 only; set gateway.dataPlane to haproxy as well.',
    );
  for (const url of config.manager.gateways)
    if (/^http:/i.test(url) && !isUnseen(url))
      found.push(`manager.gateways ${url}: the group's secret would go there for all to read; write https.`);
  if (admin.viewerToken !== '' && (admin.token === '' || admin.token === admin.viewerToken))
    found.push('admin.viewerToken is for those who change nothing: set an admin.token for those who do, another one.');
  found.push(...validateParameters(parametersOf(config)).errors.map((sentence) => `elasticity: ${sentence}`));
  const roles = rolesComplaint(config);
  if (roles !== undefined) found.push(roles);
  const { worker, work } = config.packing;
  if (config.provider === 'local' && config.local.market === '' && Math.max(worker.cpu, work.cpu) > config.local.cpu)
    found.push(
      `packing: a worker of ${Math.max(worker.cpu, work.cpu)} cores fits on no node of ${config.local.cpu} (local.cpu): make it smaller, or the nodes larger.`,
    );
  if (worker.cpu === 0 && (worker.memory > 0 || work.cpu > 0 || work.memory > 0))
    found.push('packing: set packing.worker.cpu as well; without it each VM has a machine of its own.');
  for (const key of ['url', 'readUrl'] as const) {
    const complaint =
      config.repository[key] === '' ? undefined : complaintOf(() => parseRepositoryUrl(config.repository[key]));
    if (complaint !== undefined) found.push(`repository.${key}: ${complaint}`);
  }
  if (config.epcis.access && !clientsAreKnown(config))
    found.push('epcis.access is on, and no gateway asks clients who they are: set access to known instead.');
  const named = namedIn(config);
  for (const [place, said] of [
    ...identity.tenantTerms.map((tenant) => ['tenantTerms', { ...tenant, tenant: tenant.name }] as const),
    ...identity.certificates.map((certificate) => [`certificates, ${certificate.client}`, certificate] as const),
    ...identity.issuers.map((issuer) => [`issuers, ${issuer.name}`, issuer] as const),
  ]) {
    const complaint = clientComplaint(said, named);
    if (complaint !== undefined) found.push(`identity.${place}: ${complaint}`);
  }
  if (identity.certificates.length > 0 && gateway.tls.clientCa === '')
    found.push('identity.certificates: set gateway.tls.clientCa to the roots that these certificates come from.');
  const hosts = identity.tenantTerms.flatMap((tenant) => tenant.hosts ?? []);
  const twice = hosts.find((host, n) => hosts.indexOf(host) < n);
  if (twice !== undefined) found.push(`identity.tenantTerms: ${twice} is a host of two, and leads to one only.`);
  for (const issuer of identity.issuers) {
    const complaint = issuerComplaint(issuer, hosts);
    if (complaint !== undefined) found.push(`identity.issuers, ${issuer.name}: ${complaint}`);
  }
  const service = epcisComplaint({ ...config.epcis, access: config.epcis.access || clientsAreKnown(config) });
  if (service !== undefined) found.push(`epcis: ${service}`);
  const targets = complaintOf(() => createTargets({ allow: config.epcis.subscriptionTargets }));
  if (targets !== undefined) found.push(`epcis.subscriptionTargets: ${targets}`);
  if (config.provider === 'opennebula') found.push(...openNebulaContradictions(config));
  if (config.provider !== 'local') found.push(...onAnotherMachine(config, config.provider));
  return found;
}

/** What may be named when somebody says something of a client. */
export const namedIn = ({ epcis, gateway }: Config): Named => ({
  tenants: epcis.tenants,
  classes: gateway.queue.classes.map(({ name }) => name),
});

function openNebulaContradictions({ opennebula }: Config): readonly string[] {
  const { user, password, passwordFile, offers } = opennebula;
  const found: string[] = [];
  if (user === '' || (password === '' && passwordFile === ''))
    found.push(
      'provider is opennebula: set opennebula.user and opennebula.password (a \${VARIABLE} keeps it out of the file).',
    );
  if (offers.length > 0 && !offers.some((offer) => offer.includes(' on-demand ')))
    found.push('opennebula.offers has no template on demand: name one, for instance "mmeliot on-demand 1".');
  return found;
}

/** VMs of a cloud can't see what only this machine sees, and are seen by others than it: loopback protects none of them. */
function onAnotherMachine(config: Config, cloud: Exclude<Config['provider'], 'local'>): readonly string[] {
  const { access, collector, repository, tracing } = config;
  const found: string[] = [];
  const own = config[cloud].collector;
  if (repository.url === '')
    found.push(`provider is ${cloud}: set repository.url to a MySQL or MariaDB that the VMs can reach.`);
  if (own !== '' && parseAddress(own) === undefined) found.push(`${cloud}.collector is ${own}: host:port is expected.`);
  if (own === '' && /^(0\.0\.0\.0|::)$/.test(collector.host))
    found.push(`collector.host is ${collector.host}: set ${cloud}.collector to the address that the VMs reach it at.`);
  if (tracing.endpoint !== '' && isLoopback(hostOf(new URL(tracing.endpoint))))
    found.push(
      `tracing.endpoint is ${tracing.endpoint}: VMs of ${cloud} would look for it on themselves; name an address that they reach too.`,
    );
  if (access !== 'open' && !clientsAreKnown(config))
    found.push(
      `provider is ${cloud}: its VMs can be reached from outside this machine, past the gateway: set access to known (clients show a key or a token) or to open (anybody may capture and read).`,
    );
  return found;
}

function complaintOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
