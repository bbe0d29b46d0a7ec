import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { mmeliot } from '../helpers/mmeliot.ts';

const run = promisify(execFile);

describe('mmeliot completion', function () {
  this.timeout(60_000);

  /** What bash offers for the last word. */
  const offered = async (script: string, ...words: readonly string[]): Promise<readonly string[]> => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const ask = `${script}\nCOMP_WORDS=(mmeliot ${line}); COMP_CWORD=${words.length}; _mmeliot; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return (await run('bash', ['-uc', ask])).stdout.trim().split('\n');
  };

  it('completes commands, commands below them and options in bash', async () => {
    const { status, output: script } = await mmeliot('completion', 'bash');
    expect(status).to.equal(0);
    expect(await offered(script, 'si')).to.deep.equal(['simulate']);
    expect(await offered(script, 'repository', 'st')).to.deep.equal(['stats']);
    expect(await offered(script, 'load', '--url', 'http://127.0.0.1', '--du')).to.deep.equal(['--duration']);
    expect(await offered(script, 'config', 'check', '--se')).to.deep.equal(['--set']);
    expect(await offered(script, 'load', 'nothing-like-it')).to.deep.equal(['']);
  });

  it('has the same for zsh, and every command and option for fish', async () => {
    const zsh = await mmeliot('completion', 'zsh');
    expect(zsh.output).to.include('bashcompinit').and.include('_mmeliot()');
    await run('bash', ['-n', '-c', zsh.output]);
    const fish = await mmeliot('completion', 'fish');
    expect(fish.output).to.match(
      /^complete -c mmeliot -f -n '__fish_use_subcommand; and not [^']*' -a simulate -d '.*'$/m,
    );
    expect(fish.output).to.match(/^complete -c mmeliot -n '__fish_seen_subcommand_from load' -l duration -d '.*'$/m);
  });
});
