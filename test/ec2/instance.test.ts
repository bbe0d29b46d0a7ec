import { expect } from 'chai';
import { provided, TAGS, type Ec2Instance } from '../../ec2/documents/instance.ts';

describe('an instance of EC2', () => {
  const instance: Ec2Instance = {
    ...{ id: 'i-0123456789abcdef0', state: 'running', type: 'm5.large', zone: 'us-east-1a', launchedAt: 0 },
    tags: new Map([[TAGS.mark, 'a']]),
  };

  it('that runs without an address is not ready, and says what to choose', () => {
    const shown = (address: 'private' | 'public') => provided(instance, { address, port: 8080 }, {});
    expect(shown('private')).to.include({
      state: 'pending',
      note: 'It has no IPv4 address: choose subnets that give one (ec2.subnets).',
    });
    expect(shown('public').note).to.include('no public address');
  });
});
