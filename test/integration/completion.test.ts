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

  it('has the same for zsh, whose bash it speaks is a narrower one', async () => {
    const { output: script } = await mmeliot('completion', 'zsh');
    const offeredBy = async (...words: readonly string[]): Promise<readonly string[]> => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const ask = `autoload -U compinit; compinit -u -D\n${script}
        COMP_WORDS=(mmeliot ${line}); COMP_CWORD=${words.length}; words=($COMP_WORDS); compgen -F _mmeliot -- $words[-1]`;
      const { stdout, stderr } = await run('zsh', ['-fc', ask]);
      expect(stderr).to.equal('');
      return stdout.trim().split('\n');
    };
    expect(await offeredBy('si')).to.include('simulate');
    expect(await offeredBy('repository', 'st'))
      .to.include('stats')
      .and.not.include('simulate');
    expect(await offeredBy('load', '--url', 'http://127.0.0.1', '--du')).to.include('--duration');
  });

  it('completes every command and option in fish', async () => {
    const { output: script } = await mmeliot('completion', 'fish');
    const offeredBy = async (line: string): Promise<readonly string[]> => {
      const { stdout } = await run('fish', ['--no-config', '-c', `${script}\ncomplete -C '${line}'`]);
      return stdout
        .trim()
        .split('\n')
        .map((each) => each.split('\t')[0] ?? '');
    };
    expect(await offeredBy('mmeliot si')).to.deep.equal(['simulate']);
    expect(await offeredBy('mmeliot repository st')).to.deep.equal(['stats']);
    expect(await offeredBy('mmeliot load --url http://127.0.0.1 --du')).to.deep.equal(['--duration']);
    expect(await offeredBy('mmeliot config check --se')).to.deep.equal(['--set']);
  });
});
