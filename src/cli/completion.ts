import { Command } from 'commander';
import { bashCompletion, fishCompletion, zshCompletion, type Completed } from './shared/completion.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** `program` makes the whole command line, with all of its commands. */
export function completionCommand(program: () => Promise<Command>): Command {
  const completion = new Command('completion').description('print what a shell needs to complete commands and options');
  for (const [shell, script] of Object.entries(SHELLS))
    completion.addCommand(
      new Command(shell).description(`for ${shell}`).action(async () => {
        process.stdout.write(script(completed(await program())));
      }),
    );
  return completion;
}

/** The program and every command below it. */
function completed(command: Command, path: readonly string[] = []): readonly Completed[] {
  const visible = command.createHelp().visibleCommands(command);
  const own = {
    path,
    commands: visible.map((each) => ({ name: each.name(), description: each.description() })),
    options: command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long, description }) => (long ? [{ name: long, description }] : [])),
  };
  return [own, ...command.commands.flatMap((each) => completed(each, [...path, each.name()]))];
}
