// What AWS refuses by which code, and what we make of it.
import { expect } from 'chai';
import { ec2Error } from '../../ec2/error.ts';
import type { ErrorCode } from '../../src/errors.ts';

const said = (name: string, message: string) => ec2Error('RunInstances', Object.assign(new Error(message), { name }));

describe('a refusal of EC2', () => {
  for (const name of ['RequestExpired', 'ExpiredToken', 'ExpiredTokenException', 'TokenProviderError'])
    it(`${name} is told as a login that is to be renewed, or a wrong clock`, () => {
      const error = said(name, 'Request has expired.');
      expect(error.code).to.equal('PROVIDER_REFUSED');
      expect(error.message)
        .to.match(
          /renew temporary credentials .* and look at this machine's clock\. \(RunInstances: Request has expired\.\)$/,
        )
        .and.not.include('\n');
    });

  it('of a login that is none names key, clock and region, which AWS says nothing of', () => {
    const error = said('AuthFailure', 'AWS was not able to validate the provided access credentials');
    expect(error.message).to.match(/access key .* clock, and that the account has that region enabled/);
  });

  const NO_ROOM: ErrorCode = 'NO_CAPACITY';
  for (const name of [
    'VcpuLimitExceeded',
    'InstanceLimitExceeded',
    'VolumeLimitExceeded',
    'NetworkInterfaceLimitExceeded',
  ])
    it(`${name} is a quota: the mix asks elsewhere`, () => {
      expect(said(name, 'You have requested more than your limit.').code).to.equal(NO_ROOM);
    });

  it('RequestLimitExceeded is none: the same is asked again', () => {
    expect(said('RequestLimitExceeded', 'Request limit exceeded.').code).to.equal('PROVIDER_FAILED');
  });

  it('without a default VPC says what to set', () => {
    expect(said('VPCIdNotSpecified', 'No default VPC for this user').message).to.match(/^Set ec2\.subnets: /);
  });
});
