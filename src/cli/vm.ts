// `mmeliot vm` alone is what a VM runs; with a word after it, what a person does to a VM of a running fleet.
import { Command } from 'commander';
import type { ShownVm } from '../loop/view.ts';
import { askAdmin, withAdmin, type AdminOptions } from './shared/admin-client.ts';

export function vmCommand(): Command {
  return (
    new Command('vm')
      .description(
        'serve EPCIS and report the load, as one VM of a fleet (told who it is by environment variables); ' +
          'or, with a command, do something to a VM of a running manager',
      )
      // loaded when it is asked for: the other commands need no service
      .action(async () => (await import('./guest.ts')).runGuest())
      .addCommand(
        ofVm(
          'keep',
          'take a VM out of the fleet to look at it: no requests, not counted, not released until you say so',
        ),
      )
      .addCommand(ofVm('release', 'give a VM back that was kept'))
  );
}

const ofVm = (name: 'keep' | 'release', description: string): Command =>
  withAdmin(
    new Command(name).description(description).argument('<id>', 'as `mmeliot status --json` and the page call it'),
  ).action(async (id: string, options: AdminOptions) => {
    const path = `/api/vms/${encodeURIComponent(id)}/${name}`;
    const { vm } = await askAdmin<{ readonly vm: ShownVm | null }>(options, path, undefined, 'POST');
    process.stdout.write(`VM ${id} ${vm === null ? 'is gone' : `is ${vm.state}: ${vm.note ?? 'as it was'}`}\n`);
  });
