// What each shell completes, from the commands as they are.

interface Word {
  readonly name: string;
  readonly description: string;
}

/** A command, by the words that lead to it; the program itself has none. */
export interface Completed {
  readonly path: readonly string[];
  readonly commands: readonly Word[];
  /** `--url` … */
  readonly options: readonly Word[];
}

/** Names of files where there is nothing of ours to complete. */
export const bashCompletion = (all: readonly Completed[]): string => `\
# mmeliot completion bash > ~/.local/share/bash-completion/completions/mmeliot
_mmeliot() {
  local word path='' current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$path/$word" in
${all
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => `      /${path.join('/')}) path="$path/$word" ;;\n`)
  .join('')}    esac
  done
  case "$path" in
${all.map((each) => `    ${pathOf(each)}) COMPREPLY=($(compgen -W '${wordsOf(each)}' -- "$current")) ;;\n`).join('')}  esac
}
complete -o default -F _mmeliot mmeliot
`;

export const zshCompletion = (all: readonly Completed[]): string =>
  `# eval "$(mmeliot completion zsh)" in ~/.zshrc, after compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashCompletion(all).split('\n').slice(1).join('\n')}`;

export const fishCompletion = (all: readonly Completed[]): string =>
  `# mmeliot completion fish > ~/.config/fish/completions/mmeliot.fish\n${all.map(fishLines).join('')}`;

function fishLines({ path, commands, options }: Completed): string {
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
  const none = commands.map(({ name }) => name).join(' ');
  const here = path.length === 0 ? '__fish_use_subcommand' : seen;
  const before = none === '' ? here : `${here}; and not __fish_seen_subcommand_from ${none}`;
  return [
    ...commands.map(
      ({ name, description }) => `complete -c mmeliot -f -n ${quoted(before)} -a ${name} -d ${quoted(description)}\n`,
    ),
    ...options.map(
      ({ name, description }) =>
        `complete -c mmeliot -n ${quoted(here)} -l ${name.slice(2)} -d ${quoted(description)}\n`,
    ),
  ].join('');
}

const pathOf = ({ path }: Completed): string => (path.length === 0 ? "''" : `/${path.join('/')}`);

const wordsOf = ({ commands, options }: Completed): string =>
  [...commands, ...options].map(({ name }) => name).join(' ');

/** For fish: a description may have an apostrophe. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
