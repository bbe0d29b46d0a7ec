import { expect } from 'chai';
import { vmProgram } from '../../../src/manager/vm-program.ts';

describe('what runs as a VM', () => {
  const argumentsOf = (env: Readonly<Record<string, string>>, memoryBytes?: number): readonly string[] =>
    vmProgram('/cache', env, memoryBytes).args;

  it('collects its garbage by itself where it has less than a core', () => {
    expect(argumentsOf({ MMELIOT_CPU: '0.2' })).to.include('--single-threaded-gc');
    expect(argumentsOf({ MMELIOT_CPU: '1' })).not.to.include('--single-threaded-gc');
    expect(argumentsOf({})).not.to.include('--single-threaded-gc');
  });

  it('leaves a part of its memory to what is not the heap', () => {
    expect(argumentsOf({}, 256 * 2 ** 20)).to.include('--max-old-space-size=179');
  });
});
