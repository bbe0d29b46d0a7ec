// How VMs are removed without mmeliot: commands for people, by what OpenNebula takes in each VM's state.
import { phaseNamed } from './states.ts';

/** `terminate --hard` gets 2048 while a VM is brought up, and once its clean-up has begun. */
export function removalCommands(vms: readonly { readonly id: string; readonly stage?: string }[]): string {
  const refuses = ({ stage = '' }: { readonly stage?: string }): boolean =>
    phaseNamed(stage) === 'booting' || (phaseNamed(stage) === 'leaving' && stage !== 'SHUTDOWN');
  const ids = (some: typeof vms): string => some.map(({ id }) => id).join(',');
  const [hard, stuck] = [vms.filter((vm) => !refuses(vm)), vms.filter(refuses)];
  return [
    ...(hard.length > 0 ? [`onevm terminate --hard ${ids(hard)}`] : []),
    ...(stuck.length > 0 ? [`as an administrator, if it stays so: onevm recover --delete ${ids(stuck)}`] : []),
  ].join('; ');
}
