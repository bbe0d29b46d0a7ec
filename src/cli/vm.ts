// `mmeliot vm` alone is what a VM runs; with a word after it, what a person sees of the VMs of a running fleet, and does to them.
import { Command } from 'commander';
import type { Deed } from '../act/by-hand.ts';
import type { ManagerView, ShownVm } from '../loop/view.ts';
import type { VmPage } from '../loop/vm-view.ts';
import { MmeliotError } from '../errors.ts';
import { hint } from '../settings/nearest.ts';
import { askAdmin, printJson, withAdmin, withJson, type AdminOptions } from './shared/admin-client.ts';
import { positiveWhole } from './shared/numbers.ts';
import { vmTable, vmText } from './shared/vm-table.ts';

interface Options extends AdminOptions {
  readonly json?: true;
}

const commandsOf = ({ commands }: Command): readonly string[] => commands.map((each) => each.name());

export function vmCommand(): Command {
  return (
    new Command('vm')
      .description(
        'serve EPCIS and report the load, as one VM of a fleet (told who it is by environment variables); ' +
          'or, with a command, see the VMs of a running manager and do something to them',
      )
      // loaded when it is asked for: the other commands need no service
      .allowExcessArguments()
      .action(async (_options: object, command: Command) => {
        const [name] = command.args;
        if (name !== undefined)
          throw new MmeliotError('BAD_REQUEST', `unknown command 'vm ${name}'${hint(name, commandsOf(command))}`);
        await (await import('./guest.ts')).runGuest();
      })
      .addCommand(listCommand())
      .addCommand(showCommand())
      .addCommand(addCommand())
      .addCommand(ofVm('drain', 'end the requests of a VM and give it back; the minimum is kept up by another one'))
      .addCommand(ofVm('replace', 'allocate another VM in the place of this one, which leaves when that serves'))
      .addCommand(
        ofVm(
          'keep',
          'take a VM out of the fleet to look at it: no requests, not counted, not released until you say so',
        ),
      )
      .addCommand(ofVm('release', 'give a VM back that was kept'))
  );
}

const listCommand = (): Command =>
  withJson(withAdmin(new Command('list').description('the VMs, with state, load and requests'))).action(
    async ({ json, ...options }: Options) => {
      const view = await askAdmin<ManagerView>(options, '/api/state');
      if (json) return printJson(view.vms);
      process.stdout.write(`${vmTable(view).join('\n')}\n`);
    },
  );

const showCommand = (): Command =>
  withJson(
    withAdmin(new Command('show').description('one VM: how it is, what was done with it, and the end of its log')),
  )
    .argument('<id>', 'as `mmeliot vm list` calls it; also one that is gone')
    .action(async (id: string, { json, ...options }: Options) => {
      const page = await askAdmin<VmPage>(options, `/api/vms/${encodeURIComponent(id)}`);
      if (json) return printJson(page);
      process.stdout.write(`${vmText(page, Date.now()).join('\n')}\n`);
    });

const addCommand = (): Command =>
  withJson(withAdmin(new Command('add').description('add VMs, whatever the policy says, up to max')))
    .argument('[count]', 'so many', '1')
    .action(async (count: string, { json, ...options }: Options) => {
      const answer = await askAdmin<object>(options, '/api/vms', { count: positiveWhole('count', count) }, 'POST');
      if (json) return printJson(answer);
      process.stdout.write(
        `${count === '1' ? 'A VM is' : `${count} VMs are`} ordered: mmeliot vm list shows the boot.\n`,
      );
    });

const ofVm = (name: Exclude<Deed['what'], 'add'>, description: string): Command =>
  withJson(withAdmin(new Command(name).description(description)))
    .argument('<id>', 'as `mmeliot vm list` and the page call it')
    .action(async (id: string, { json, ...options }: Options) => {
      const path = `/api/vms/${encodeURIComponent(id)}/${name}`;
      const { vm } = await askAdmin<{ readonly vm: ShownVm | null }>(options, path, undefined, 'POST');
      if (json) return printJson({ vm });
      const rest = name === 'replace' ? ' until another one serves in its place' : `: ${vm?.note ?? 'as it was'}`;
      process.stdout.write(`VM ${id} ${vm === null ? 'is gone' : `is ${vm.state}${rest}`}\n`);
    });
