import { expect } from 'chai';
import { removalCommands } from '../../../opennebula/documents/removal.ts';

describe('what removes VMs of OpenNebula by hand', () => {
  const TABLE: readonly (readonly [string, readonly (readonly [string, string?])[], string])[] = [
    [
      'what runs, waits or is off',
      [
        ['1', 'RUNNING'],
        ['2', 'PENDING'],
        ['3', 'POWEROFF'],
      ],
      'onevm terminate --hard 1,2,3',
    ],
    ['what nobody knows the state of', [['1'], ['2', 'state 3/99'], ['3', 'UNKNOWN']], 'onevm terminate --hard 1,2,3'],
    ['what hangs in a shutdown', [['1', 'SHUTDOWN']], 'onevm terminate --hard 1'],
    [
      'what failed',
      [
        ['1', 'BOOT_FAILURE'],
        ['2', 'EPILOG_FAILURE'],
      ],
      'onevm terminate --hard 1,2',
    ],
    [
      'what takes no command of its owner',
      [
        ['1', 'BOOT'],
        ['2', 'EPILOG'],
        ['3', 'PROLOG'],
        ['4', 'CLEANUP_DELETE'],
      ],
      'as an administrator, if it stays so: onevm recover --delete 1,2,3,4',
    ],
    [
      'both kinds',
      [
        ['1', 'EPILOG'],
        ['2', 'RUNNING'],
      ],
      'onevm terminate --hard 2; as an administrator, if it stays so: onevm recover --delete 1',
    ],
  ];
  for (const [what, vms, commands] of TABLE)
    it(what, () => {
      const listed = vms.map(([id, stage]) => ({ id, ...(stage !== undefined && { stage }) }));
      expect(removalCommands(listed)).to.equal(commands);
    });
});
