// Releases by a front end's answers, with time as an argument.
import { expect } from 'chai';
import type { OpenNebulaClient } from '../../opennebula/client.ts';
import { readVm, type OneVm } from '../../opennebula/documents/vm.ts';
import { OpenNebulaError, type ErrorKind } from '../../opennebula/error.ts';
import { createReleases } from '../../opennebula/releases.ts';
import { parseXml } from '../../opennebula/xml-parser.ts';

const vm = (state: string): OneVm =>
  readVm(
    parseXml(
      `<VM><ID>7</ID><STATE>3</STATE><LCM_STATE>${state}</LCM_STATE>` +
        '<USER_TEMPLATE><MMELIOT_STATE>releasing</MMELIOT_STATE></USER_TEMPLATE></VM>',
    ),
  );
const [RUNNING, UNKNOWN, OF_LATER_VERSION] = ['3', '16', '99'].map(vm) as [OneVm, OneVm, OneVm];

describe('OpenNebula releases', () => {
  let now: number;
  let asked: string[];
  let refuses: ErrorKind | undefined;
  const client: OpenNebulaClient = {
    call: async (method, action) => {
      if (method === 'one.vm.action') asked.push(action as string);
      if (refuses !== undefined) throw new OpenNebulaError(refuses, { method, sentence: 'No.' });
      return 7;
    },
    close: async () => undefined,
  };
  let releases: ReturnType<typeof createReleases>;
  beforeEach(() => {
    [now, asked, refuses] = [0, [], undefined];
    releases = createReleases(client, { againMs: 30, leaveMs: 100 }, () => now);
  });
  const look = (seen: OneVm, inPhaseMs = 0) => releases.carryOn([seen], () => inPhaseMs);

  it('ask a VM in a state of a later version to shut down, and switch it off only after the time it may take', async () => {
    await look(OF_LATER_VERSION);
    now = 50;
    await look(OF_LATER_VERSION, 50);
    expect(asked).to.deep.equal(['terminate', 'terminate']);
    now = 150;
    await look(OF_LATER_VERSION, 150);
    expect(asked.at(-1)).to.equal('terminate-hard');
    expect([...releases.switchedOff.values()]).to.deep.equal(['Its shutdown did not end']);
  });

  it('say that a VM is switched off only where OpenNebula has taken it', async () => {
    refuses = 'action';
    await look(UNKNOWN);
    expect(asked).to.deep.equal(['terminate-hard']);
    expect(releases.switchedOff.size).to.equal(0);
    refuses = undefined;
    now = 30;
    await look(UNKNOWN);
    expect([...releases.switchedOff.keys()]).to.deep.equal(['7']);
  });

  it('tell why one is refused until it is taken', async () => {
    refuses = 'authorization';
    await look(RUNNING);
    expect(releases.refused.get('7')).to.match(/^Its release is refused\. .*\(No\.\)$/);
    await look(RUNNING); // not asked again yet
    expect([asked.length, releases.refused.size]).to.deep.equal([1, 1]);
    refuses = undefined;
    now = 30;
    await look(RUNNING);
    expect(releases.refused.size).to.equal(0);
  });
});
