// The last words: what could not be given back costs money until somebody does it.
import type { Remains } from '../../act/release-all.ts';
import type { Remaining } from '../../manager/wire.ts';

/** What an end that takes its time waits for. */
export const whatRemains = ({ vms: [first, ...others], unlisted }: Remains): string => {
  if (unlisted !== undefined) return `the provider to list its VMs (${unlisted})`;
  if (first === undefined) return 'what was asked of the provider';
  return `VM ${first.id}${others.length === 0 ? '' : ` and ${others.length} more`} to be gone (${first.why})`;
};

/** Exit status 1 when VMs remain. */
export function farewell({ vms, kept, unlisted, mayCome, byHand }: Remaining): void {
  if (kept.length > 0)
    process.stdout.write(`Kept as they are, since somebody asked for it by \`mmeliot vm keep\`: ${kept.join(', ')}.\n`);
  if (vms.length === 0 && unlisted === undefined && !mayCome) {
    process.stdout.write('Stopped.\n');
    return;
  }
  process.exitCode = 1;
  const lines = [
    'Stopped, but not everything was released.',
    ...vms.map(({ id, why }) => `  VM ${id} remains: ${why}`),
    ...(unlisted === undefined ? [] : [`  The provider does not list its VMs, and some may remain: ${unlisted}`]),
    ...(mayCome ? ['  A VM was asked for, the provider has not said whether it makes it, and none has come yet.'] : []),
    `Try again with: mmeliot release${byHand === undefined ? '' : `; or remove them there: ${byHand}`}`,
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}
