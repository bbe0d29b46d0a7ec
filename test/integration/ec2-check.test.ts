// The README's way from an empty AWS account, its commands read from there and done one by one at an EC2 that checks signatures
// and rights; then the check that a user runs, as a program, with the least rights.
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateLaunchTemplateCommand,
  CreateSecurityGroupCommand,
  EC2Client,
  type RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { Policy } from '../../ec2/emulator/policy.ts';
import { mmeliot, startProgram, type Finished } from '../helpers/mmeliot.ts';
import { ADMINISTRATOR, KEY, openCloud, type TestCloud } from '../ec2/emulated.ts';

const folder = new URL('../../ec2/', import.meta.url);
const readme = readFileSync(new URL('README.md', folder), 'utf8');
const [, recipe = ''] = /## From an empty AWS account[^\n]*\n([^]*?)\n## /.exec(readme) ?? [];
const COMMANDS = [...recipe.matchAll(/^ *aws ec2 ([^\n]+)/gm)].map(([, command = '']) => command);
const POLICY = JSON.parse(readFileSync(new URL('templates/iam-policy.json', folder), 'utf8')) as Policy;

/** `--name value`, also quoted. */
const optionsOf = (command: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...command.matchAll(/--([\w-]+) (?:'([^']*)'|"([^"]*)"|(\S+))/g)].map(([, name = '', a, b, c]) => [
      name,
      a ?? b ?? c,
    ]),
  ) as Record<string, string>;

describe('the way from an empty AWS account', function () {
  this.timeout(60_000);
  let cloud: TestCloud;
  beforeEach(async () => {
    cloud = await openCloud({ empty: true, policy: POLICY });
  });
  afterEach(() => cloud.stop());

  async function administer(commands: readonly string[]): Promise<void> {
    const admin = new EC2Client({ region: 'us-east-1', endpoint: cloud.emulator.url, credentials: ADMINISTRATOR });
    let group = '';
    const replaced = (text: string): string => text.replaceAll('sg-0123456789abcdef0', group);
    for (const command of commands) {
      const options = optionsOf(command);
      if (command.startsWith('create-security-group')) {
        const named = { GroupName: options['group-name'], Description: options['description'] };
        group = (await admin.send(new CreateSecurityGroupCommand(named))).GroupId ?? '';
      } else if (command.startsWith('authorize-security-group-ingress')) {
        const port = Number(options['port']);
        const rule = { IpProtocol: options['protocol'], CidrIp: options['cidr'], FromPort: port, ToPort: port };
        await admin.send(
          new AuthorizeSecurityGroupIngressCommand({ GroupId: replaced(options['group-id'] ?? ''), ...rule }),
        );
      } else {
        const data = JSON.parse(replaced(options['launch-template-data'] ?? '')) as RequestLaunchTemplateData;
        const named = { LaunchTemplateName: options['launch-template-name'], LaunchTemplateData: data };
        await admin.send(new CreateLaunchTemplateCommand(named));
      }
    }
    admin.destroy();
  }

  const check = (key: typeof KEY = KEY): Promise<Finished> =>
    startProgram(
      [
        'check',
        'ec2',
        '--patience',
        '10s',
        '--set',
        `ec2.endpoint=${cloud.emulator.url}`,
        '--set',
        'ec2.region=us-east-1',
      ],
      { env: { AWS_ACCESS_KEY_ID: key.accessKeyId, AWS_SECRET_ACCESS_KEY: key.secretAccessKey } },
    ).ended();
  const left = () => [...cloud.emulator.cloud.instances.values()].filter(({ state }) => state !== 'terminated');

  it('has the commands that this test does, and they end in an instance that runs and is given back', async () => {
    expect(COMMANDS.map((command) => command.split(' ')[0])).to.deep.equal([
      ...['create-security-group', 'authorize-security-group-ingress', 'create-launch-template'],
    ]);
    await administer(COMMANDS);
    expect([...cloud.emulator.cloud.inventory.groups.values()].map(({ ports }) => ports)).to.deep.equal([[8080]]);
    const { status, output } = await check();
    const steps = [...output.matchAll(/^ok +(\w+) .*\(\d+ ms\)$/gm)].map(([, step]) => step);
    expect(steps, output).to.deep.equal(['rights', 'offers', 'allocate', 'again', 'run', 'network', 'release']);
    expect(status).to.equal(0);
    expect(output).to.include(
      '3 pools, USD an hour: on-demand from 0.096 (us-east-1a/m5.large), interruptible from 0.0288',
    );
    expect(left()).to.deep.equal([]);
  });

  it('says what is missing: the launch template, a right, a login', async () => {
    const { status, output } = await check();
    expect(output).to.match(/^FAILED +offers +Check ec2\.template and ec2\.region\..*mmeliot, does not exist/m);
    expect(status).to.equal(1);
    const wrong = await check({ ...KEY, secretAccessKey: 'wrong' });
    expect(wrong.output).to.match(/^FAILED +rights +AWS refuses the login/m);
  });

  it('says what to install where the SDK of AWS is not', async () => {
    const hidden = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(name, context, next) {
        if (name.startsWith('@aws-sdk/')) throw Object.assign(new Error(name), { code: 'ERR_MODULE_NOT_FOUND' });
        return next(name, context);
      } });`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hidden)}` };
    const { status, output } = await startProgram(['check', 'ec2', '--set', 'ec2.region=us-east-1'], { env }).ended();
    expect(output).to.include("mmeliot: provider is ec2: install AWS's SDK beside mmeliot");
    expect(output).not.to.match(/^ +at /m);
    expect(status).to.equal(2);
  });

  it('has its settings in CONFIG.md, and refuses wrong ones', async () => {
    const { status, output } = await mmeliot('config', 'check', '--set', 'provider=ec2', '--set', 'ec2.subnets=[x]');
    expect(status).to.equal(2);
    expect(output).to.include('a subnet such as subnet-0123456789abcdef0');
    const remote = await mmeliot('config', 'check', '--set', 'provider=ec2');
    expect(remote.output).to.include(
      'provider is ec2: set repository.url to a MySQL or MariaDB that the VMs can reach.',
    );
  });
});
