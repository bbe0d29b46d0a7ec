import { expect } from 'chai';
import { problemLog } from '../../../src/manager/problem-log.ts';

describe('problems in the log', () => {
  it('are told once when they come and once when they have gone', () => {
    const lines: string[] = [];
    const tell = problemLog({
      warn: (line: unknown) => void lines.push(`warn ${String(line)}`),
      info: (line: unknown) => void lines.push(`info ${String(line)}`),
    });
    tell(['No host has room.']);
    tell(['No host has room.', 'It is away.']);
    tell(['It is away.']);
    tell([]);
    expect(lines).to.deep.equal([
      'warn No host has room.',
      'warn It is away.',
      'info No longer: No host has room.',
      'info No longer: It is away.',
    ]);
  });
});
