import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);

interface Report {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly { readonly rule: { readonly name: string } }[];
  };
}

const cruise = async (...paths: string[]): Promise<Report> => {
  const { stdout } = await run(
    'node_modules/.bin/depcruise',
    ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...paths],
    { maxBuffer: 1e9 },
  ).catch((error: { stdout: string }) => error); // it exits with the number of violations
  return JSON.parse(stdout) as Report;
};

describe('walls', function () {
  this.timeout(120_000);
  const canary = 'src/decide/canary.ts';

  afterEach(() => rm(canary, { force: true }));

  it('hold, and the checker reads the whole project', async () => {
    const { summary } = await cruise('src', 'epcis', 'opennebula', 'loadgen', 'test');
    expect(summary.violations.map(({ rule }) => rule.name)).to.deep.equal([]);
    // a checker that can't read TypeScript reports green on one module
    expect(summary.totalCruised).to.be.greaterThan(150);
  });

  it('are seen by the checker: a violation made on purpose is reported', async () => {
    await mkdir('src/decide', { recursive: true });
    await writeFile(canary, "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n");
    const { summary } = await cruise('src');
    expect(summary.violations.map(({ rule }) => rule.name)).to.include('pure-stays-pure');
  });
});
