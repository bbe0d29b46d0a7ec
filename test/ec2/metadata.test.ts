// What a VM asks of its metadata service, against the emulator's, which is as strict as AWS's.
import { expect } from 'chai';
import { createMetadata } from '../../ec2/metadata.ts';
import { startMetadata, type Metadata } from '../../ec2/emulator/metadata.ts';

describe('EC2 metadata service', () => {
  let noticeAt: number | undefined;
  let served: Metadata;
  beforeEach(async () => {
    noticeAt = undefined;
    const view = {
      id: 'i-0123456789abcdef0',
      type: 'm3.medium',
      zone: 'us-east-1a',
      spot: true,
      userData: '#!/bin/sh',
    };
    served = await startMetadata({ ...view, notice: () => noticeAt }, '127.0.0.1');
  });
  afterEach(() => served.close());

  it('tells an instance its id, and of a notice while there is one, by the second', async () => {
    const metadata = createMetadata(served.url);
    expect(await metadata.instanceId()).to.equal('i-0123456789abcdef0');
    expect(await metadata.notice()).to.equal(undefined);
    noticeAt = Date.parse('2017-09-18T08:22:00.700Z');
    expect(await metadata.notice()).to.equal(Date.parse('2017-09-18T08:22:00Z'));
    noticeAt = undefined;
    expect(await metadata.notice()).to.equal(undefined);
  });

  it('gives nothing without a token, and no token to a proxy or for a wrong time to live', async () => {
    const status = async (path: string, init?: RequestInit) => (await fetch(`${served.url}${path}`, init)).status;
    const token = (headers: Record<string, string>) => status('/latest/api/token', { method: 'PUT', headers });
    const ttl = 'X-aws-ec2-metadata-token-ttl-seconds';
    expect(await status('/latest/meta-data/instance-id')).to.equal(401);
    expect(await status('/latest/api/token', { headers: { [ttl]: '60' } })).to.equal(405);
    expect(await token({ [ttl]: '21601' })).to.equal(400);
    expect(await token({})).to.equal(400);
    expect(await token({ [ttl]: '60', 'X-Forwarded-For': '1.2.3.4' })).to.equal(403);
    expect(await token({ [ttl]: '60' })).to.equal(200);
  });

  it('asks for another token when its own is no longer taken', async () => {
    const metadata = createMetadata(served.url);
    await metadata.instanceId();
    const { port } = new URL(served.url);
    await served.close();
    // the machine was moved: another service, which knows no token, at the same place
    const view = { id: 'i-0fedcba9876543210', type: 'm3.medium', zone: 'us-east-1a', spot: true, userData: '' };
    served = await startMetadata({ ...view, notice: () => noticeAt }, '127.0.0.1', Number(port));
    expect(await metadata.instanceId()).to.equal('i-0fedcba9876543210');
  });
});
