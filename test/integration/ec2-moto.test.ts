// The provider against moto, which knows nothing of our emulator: the same contract, less what moto can't be made to do (a
// market that moves). Where moto isn't installed there are no tests of it, and the run says so.
import { CreateLaunchTemplateCommand, EC2Client } from '@aws-sdk/client-ec2';
import { createEc2Provider, type Ec2Provider } from '../../ec2/provider.ts';
import { KEY, logIn } from '../ec2/emulated.ts';
import { hasMoto, startMoto, type Moto } from '../ec2/moto.ts';
import { providerContract } from '../src/act/provider-contract.ts';

if (!hasMoto) process.stderr.write('moto is not installed (test/setup.sh says why): EC2 is tested without it.\n');
else
  describe('EC2, against moto', function () {
    this.timeout(120_000);
    let moto: Moto;
    before(async () => {
      logIn(KEY);
      moto = await startMoto();
    });
    after(() => moto.stop());

    providerContract('EC2, against moto', async () => {
      await moto.reset();
      const where = { region: 'us-east-1', endpoint: moto.url };
      const client = new EC2Client(where);
      const LaunchTemplateData = { ImageId: 'ami-12c6146b', InstanceType: 'm5.large' } as const;
      await client.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'mmeliot', LaunchTemplateData }));
      client.destroy();
      const providers: Ec2Provider[] = [];
      const provider = (): Ec2Provider => {
        const what = { group: 'demo', template: 'mmeliot', types: [], subnets: [], environment: {} };
        const made = createEc2Provider({ ...where, ...what }, Date.now);
        providers.push(made);
        return made;
      };
      return {
        provider: provider(),
        successor: async () => provider(),
        stop: async () => {
          await Promise.all(providers.map((each) => each.close()));
        },
      };
    });
  });
