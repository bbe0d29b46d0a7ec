import { expect } from 'chai';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { stateOf } from '../../../opennebula/documents/states.ts';
import { provided, readMonitoring, readVm, type OneVm, type View } from '../../../opennebula/documents/vm.ts';
import { parseXml } from '../../../opennebula/xml-parser.ts';
import { children, decodeAnswer } from '../../../opennebula/documents/xml-rpc.ts';

const view: View = { nic: 0, addresses: 'ipv4', port: 8080, placementMs: 600_000, slowMs: 60_000, leaveMs: 180_000 };

function recorded(name: string): string {
  const xml = readFileSync(new URL(`../recorded/${name}.response.xml`, import.meta.url), 'utf8');
  const answer = decodeAnswer(parseXml(xml));
  if ('fault' in answer) throw new Error('a fault');
  return (answer.value as readonly string[])[1] ?? '';
}

interface Parts {
  readonly state?: number;
  readonly lcm?: number;
  readonly own?: string;
  readonly template?: string;
}

const NIC = '<NIC><IP>10.0.0.5</IP><NETWORK>private</NETWORK><NIC_ID>0</NIC_ID></NIC>';

const vm = ({ state = 3, lcm = 3, own = '', template = NIC }: Parts = {}): OneVm =>
  readVm(
    parseXml(
      `<VM><ID>7</ID><NAME>n</NAME><STATE>${state}</STATE><LCM_STATE>${lcm}</LCM_STATE><STIME>100</STIME>` +
        `<TEMPLATE>${template}</TEMPLATE><USER_TEMPLATE>${own}</USER_TEMPLATE></VM>`,
    ),
  );

const seen = (parts: Parts, inPhaseMs = 0) => provided(vm(parts), view, inPhaseMs, undefined);

describe('OpenNebula VM', () => {
  it('reads the recorded running VM', () => {
    const read = readVm(parseXml(recorded('vm.info.running')));
    expect(read).to.include({
      id: '183',
      name: 'epcis-demo',
      phase: 'running',
      group: 'demo',
      createdAt: 1794992385000,
    });
    expect(provided(read, view, 0, { at: 1794992416000, cpu: 71 })).to.deep.equal({
      id: '183',
      state: 'running',
      stage: 'RUNNING',
      createdAt: 1794992385000,
      address: { host: '10.10.0.153', port: 8080 },
      monitoring: { at: 1794992416000, cpu: 71 },
    });
  });

  it('reads the recorded pool, newest id first, and its monitoring by id', () => {
    const vms = children(parseXml(recorded('vmpool.infoextended')), 'VM').map(readVm);
    expect(vms.map((each) => each.id)).to.deep.equal(['184', '183']);
    const readings = readMonitoring(parseXml(recorded('vmpool.monitoring')));
    expect([...readings]).to.deep.equal([
      ['183', { at: 1794992416000, cpu: 71 }],
      ['184', { at: 1794992416000, cpu: 40 }],
    ]);
  });

  const STATES: readonly (readonly [string, number, number, string])[] = [
    ['INIT', 0, 0, 'pending'],
    ['PENDING', 1, 0, 'pending'],
    ['HOLD', 2, 0, 'pending'],
    ['PROLOG', 3, 1, 'pending'],
    ['BOOT', 3, 2, 'pending'],
    ['RUNNING', 3, 3, 'running'],
    ['MIGRATE', 3, 4, 'running'],
    ['SAVE_SUSPEND', 3, 6, 'failed'],
    ['EPILOG', 3, 11, 'releasing'],
    ['SHUTDOWN', 3, 12, 'releasing'],
    ['CLEANUP_RESUBMIT', 3, 15, 'pending'],
    ['UNKNOWN', 3, 16, 'running'],
    ['HOTPLUG', 3, 17, 'running'],
    ['SHUTDOWN_POWEROFF', 3, 18, 'failed'],
    ['BOOT_POWEROFF', 3, 20, 'pending'],
    ['CLEANUP_DELETE', 3, 23, 'releasing'],
    ['BOOT_FAILURE', 3, 36, 'failed'],
    ['PROLOG_FAILURE', 3, 39, 'failed'],
    ['EPILOG_FAILURE', 3, 40, 'releasing'],
    ['DISK_SNAPSHOT', 3, 57, 'running'],
    ['PROLOG_MIGRATE_UNKNOWN', 3, 60, 'pending'],
    ['HOTPLUG_RESIZE', 3, 66, 'running'],
    ['BACKUP', 3, 69, 'running'],
    ['BACKUP_POWEROFF', 3, 70, 'failed'],
    ['RESTORE', 3, 71, 'failed'],
    ['STOPPED', 4, 0, 'failed'],
    ['SUSPENDED', 5, 0, 'failed'],
    ['POWEROFF', 8, 0, 'failed'],
    ['UNDEPLOYED', 9, 0, 'failed'],
    ['CLONING', 10, 0, 'pending'],
    ['CLONING_FAILURE', 11, 0, 'failed'],
  ];
  for (const [name, state, lcm, ours] of STATES)
    it(`takes ${name} (${state}/${lcm}) for ${ours}`, () => {
      expect(stateOf(state, lcm).name).to.equal(name);
      expect(seen({ state, lcm }).state).to.equal(ours);
    });

  it('takes every LCM state whose name ends in FAILURE for broken or unclean, and no other', () => {
    for (let lcm = 0; lcm <= 71; lcm++) {
      const { name, phase } = stateOf(3, lcm);
      expect(['broken', 'unclean'].includes(phase), name).to.equal(name.endsWith('FAILURE'));
    }
  });

  it('leaves a VM in a state of a later version alone, and says so', () => {
    expect(seen({ state: 3, lcm: 99 })).to.include({ state: 'running' });
    expect(seen({ state: 3, lcm: 99 }).note).to.include('3/99');
    expect(seen({ state: 42, lcm: 0 }).note).to.include('42/0');
  });

  it('always has a known state, and never a running VM without an address', () => {
    const parts = fc.record({
      state: fc.integer({ min: -1, max: 15 }),
      lcm: fc.integer({ min: -1, max: 80 }),
      own: fc.constantFrom('', '<MMELIOT_STATE>releasing</MMELIOT_STATE>', '<ERROR>e</ERROR>'),
      template: fc.constantFrom('', NIC),
    });
    fc.assert(
      fc.property(parts, fc.nat({ max: 10_000_000 }), (given, ms) => {
        const shown = provided(vm(given), view, ms, { at: 1, cpu: 50 });
        expect(shown.state).to.be.oneOf(['pending', 'running', 'failed', 'releasing']);
        if (shown.state === 'running') expect(shown.address).to.deep.equal({ host: '10.0.0.5', port: 8080 });
        if (shown.state === 'failed') expect(shown.note).to.match(/^[A-Z].*\S$/);
      }),
    );
  });

  it('shows the scheduler’s words while no host has room, and gives up after the placement deadline', () => {
    const waits = { state: 1, lcm: 0, own: '<SCHED_MESSAGE><![CDATA[Mon: no host]]></SCHED_MESSAGE>' };
    expect(seen(waits, 600_000)).to.include({ state: 'pending', note: 'OpenNebula has no host for it: Mon: no host' });
    expect(seen(waits, 600_001)).to.include({ state: 'failed' });
    expect(seen(waits, 600_001).note).to.include('found no host in 10 min').and.to.include('Mon: no host');
  });

  it('says when a host’s driver takes long; copying the image may', () => {
    expect(seen({ lcm: 2 }, 60_000))
      .to.include({ state: 'pending', stage: 'BOOT' })
      .and.not.have.property('note');
    expect(seen({ lcm: 2 }, 330_000)).to.include({ state: 'pending' });
    expect(seen({ lcm: 2 }, 330_000).note)
      .to.include('in BOOT for 5.5 min')
      .and.include('may hang');
    expect(seen({ lcm: 1 }, 330_000).note).to.equal(undefined);
  });

  it('tells waiting for a host from booting', () => {
    expect(seen({ state: 1, lcm: 0 })).to.include({ state: 'pending', stage: 'PENDING', waiting: true });
    expect(seen({ lcm: 1 }).waiting).to.equal(undefined);
  });

  it('knows that a VM in BOOT for long keeps others waiting, and that a burst is placed one by one', () => {
    const burst = '<SCHED_MESSAGE>Mon: Dispatch limit reached</SCHED_MESSAGE>';
    const waits = (own: string, ms: number, hanging?: string) =>
      provided(vm({ state: 1, lcm: 0, own }), view, ms, undefined, hanging).note;
    expect(waits(burst, 50_000)).to.equal(undefined);
    expect(waits(burst, 90_000)).to.include('has not placed it for 1.5 min');
    expect(waits(burst, 90_000, '5'))
      .to.include('VM 5 is in BOOT')
      .and.include('places no VM at all');
    expect(waits('', 90_000)).to.include('onevm show 7');
  });

  it('tells a guest that ended by itself from one that somebody switched off', () => {
    const stopped = (state: number, action?: number) =>
      provided(
        readVm(
          parseXml(
            `<VM><ID>7</ID><STATE>${state}</STATE><LCM_STATE>0</LCM_STATE><HISTORY_RECORDS><HISTORY><ACTION>0</ACTION>` +
              `</HISTORY>${action === undefined ? '' : `<HISTORY><ACTION>${action}</ACTION></HISTORY>`}</HISTORY_RECORDS></VM>`,
          ),
        ),
        view,
        0,
        undefined,
      ).note;
    expect(stopped(8, 44)).to.equal('Its guest ended by itself (POWEROFF): it crashed, or was shut down from inside.');
    for (const action of [19, 20]) expect(stopped(8, action)).to.include('Somebody switched it off');
    expect(stopped(8)).to.equal('It is switched off in OpenNebula (POWEROFF).');
    expect(stopped(5, 10)).to.include('Somebody switched it off in OpenNebula (SUSPENDED)');
  });

  it('gives the reason of a failed boot', () => {
    const { note } = seen({ lcm: 36, own: '<ERROR><![CDATA[Mon: Error deploying]]></ERROR>' });
    expect(note).to.equal('OpenNebula could not start it (BOOT_FAILURE): Mon: Error deploying');
  });

  it('names the administrator’s command for a VM that is stuck in EPILOG', () => {
    expect(seen({ lcm: 11 }, 180_000).note).to.equal(undefined);
    expect(seen({ lcm: 11 }, 180_001)).to.include({ state: 'releasing' });
    expect(seen({ lcm: 11 }, 180_001).note).to.include('onevm recover --delete 7');
  });

  it('shows a VM that was released and is back in RUNNING as releasing', () => {
    const released = { own: '<MMELIOT_STATE>releasing</MMELIOT_STATE>' };
    expect(seen(released).state).to.equal('releasing');
    expect(seen(released).note).to.equal(undefined);
    expect(seen(released, 200_000).note).to.include('asked for again');
  });

  it('takes the address from the configured NIC, by number or by network', () => {
    const two = `${NIC}<NIC><IP>192.168.1.9</IP><NETWORK>public</NETWORK><NIC_ID>3</NIC_ID></NIC>`;
    const host = (nic: number | string) =>
      provided(vm({ template: two }), { ...view, nic }, 0, undefined).address?.host;
    expect(host(0)).to.equal('10.0.0.5');
    expect(host(3)).to.equal('192.168.1.9');
    expect(host('public')).to.equal('192.168.1.9');
    const none = provided(vm({ template: two }), { ...view, nic: 'dmz' }, 0, undefined);
    expect(none).to.include({ state: 'pending' });
    expect(none.note).to.include('opennebula.nic');
  });

  it('takes the address of an SR-IOV NIC, which stands under PCI beside other devices', () => {
    const gpu = '<PCI><CLASS>0302</CLASS></PCI>';
    const sriov = '<PCI><IP>10.0.0.7</IP><NETWORK>fast</NETWORK><NIC_ID>1</NIC_ID><TYPE>NIC</TYPE></PCI>';
    const host = (nic: number | string) =>
      provided(vm({ template: `${NIC}${gpu}${sriov}` }), { ...view, nic }, 0, undefined).address?.host;
    expect(host(1)).to.equal('10.0.0.7');
    expect(host('fast')).to.equal('10.0.0.7');
    expect(host(0)).to.equal('10.0.0.5');
  });

  it('takes the address of an alias, which stands beside its NIC', () => {
    const alias =
      '<NIC_ALIAS><IP>192.168.1.7</IP><NETWORK>service</NETWORK><NIC_ID>1</NIC_ID><PARENT>NIC0</PARENT></NIC_ALIAS>';
    const host = (nic: number | string) =>
      provided(vm({ template: `${alias}${NIC}` }), { ...view, nic }, 0, undefined).address?.host;
    expect([host('service'), host(1), host(0)]).to.deep.equal(['192.168.1.7', '192.168.1.7', '10.0.0.5']);
  });

  it('takes a static IPv6 address before one made of a prefix', () => {
    const template = '<NIC><IP6>2001:db8::7</IP6><IP6_GLOBAL>2001:db8::5</IP6_GLOBAL><NIC_ID>0</NIC_ID></NIC>';
    expect(seen({ template }).address?.host).to.equal('2001:db8::7');
  });

  it('takes an IPv6 address where there is no other', () => {
    const template = '<NIC><IP/><IP6_GLOBAL>2001:db8::5</IP6_GLOBAL><NIC_ID>0</NIC_ID></NIC>';
    expect(seen({ template }).address?.host).to.equal('2001:db8::5');
  });

  it('takes of a NIC with both kinds the one that is asked for, also of an SR-IOV NIC, and the other one where it is alone', () => {
    const both = '<IP>10.0.0.5</IP><IP6_ULA>fd00::5</IP6_ULA><IP6_LINK>fe80::5</IP6_LINK><NIC_ID>0</NIC_ID>';
    const host = (template: string, addresses: View['addresses']) =>
      provided(vm({ template }), { ...view, addresses }, 0, undefined).address?.host;
    for (const element of ['NIC', 'PCI']) {
      expect(host(`<${element}>${both}</${element}>`, 'ipv4')).to.equal('10.0.0.5');
      expect(host(`<${element}>${both}</${element}>`, 'ipv6')).to.equal('fd00::5');
    }
    expect(host(NIC, 'ipv6')).to.equal('10.0.0.5');
  });

  it('does not take an address that only its own link knows', () => {
    const seenThere = seen({ template: '<NIC><IP6_LINK>fe80::5</IP6_LINK><NIC_ID>0</NIC_ID></NIC>' });
    expect(seenThere).to.include({ state: 'pending' }).and.not.to.have.property('address');
    expect(seenThere.note).to.include('no address on NIC 0');
  });

  it('takes nothing for an address or a port that is none, whatever it would be to a URL or a command', () => {
    const host = (element: string, written: string) =>
      seen({ template: `<NIC><${element}>${written}</${element}><NIC_ID>0</NIC_ID></NIC>` }).address?.host;
    for (const odd of [
      '10.0.0.5:80',
      '10.0.0.5/24',
      '10.0.0.5,10.0.0.6',
      '10.0.0.5; show info',
      'http://a/#',
      'a.example',
      '-1',
    ])
      expect(host('IP', odd), odd).to.equal(undefined);
    for (const odd of ['fd00::5/64', '[fd00::5]', 'fe80::5%eth0', 'fd00::5;x', 'face'])
      expect(host('IP6', odd), odd).to.equal(undefined);
    for (const good of ['fd00::5', '::1', '2001:DB8:0:0:0:0:0:7', '::ffff:10.0.0.5'])
      expect(host('IP6', good)).to.equal(good);
    for (const odd of ['0', '-1', '80.5', '65536', '1e400', 'http'])
      expect(seen({ own: `<MMELIOT_PORT>${odd}</MMELIOT_PORT>` }).address?.port, odd).to.equal(8080);
    for (const odd of ['-5', '1e400', 'soon', '0'])
      expect(seen({ own: `<MMELIOT_TAKEN_AT>${odd}</MMELIOT_TAKEN_AT>` }), odd).not.to.have.property('interruptAt');
  });

  it('lets a VM say by MMELIOT_PORT where it listens', () => {
    expect(seen({ own: '<MMELIOT_PORT>9001</MMELIOT_PORT>' }).address?.port).to.equal(9001);
  });

  it('turns per cent of one core into per cent of the VM', () => {
    const cpu = (reading: number, vcpu: string) =>
      provided(vm({ template: `${NIC}${vcpu}` }), view, 0, { at: 1, cpu: reading }).monitoring?.cpu;
    expect(cpu(143, '<VCPU>2</VCPU>')).to.equal(71.5);
    expect(cpu(71, '')).to.equal(71);
    expect(cpu(140, '<VCPU>1</VCPU>')).to.equal(100);
    expect(cpu(-1, '<VCPU>1</VCPU>')).to.equal(0);
  });

  it('ignores monitoring of a VM that does not run, and records that are none', () => {
    expect(provided(vm({ lcm: 11 }), view, 0, { at: 1, cpu: 50 }).monitoring).to.equal(undefined);
    const readings = readMonitoring(
      parseXml(
        '<M><MONITORING><ID>1</ID><CPU>x</CPU><TIMESTAMP>5</TIMESTAMP></MONITORING><MONITORING/>' +
          '<MONITORING><ID>2</ID><CPU>9</CPU><TIMESTAMP>5</TIMESTAMP></MONITORING>' +
          '<MONITORING><ID>2</ID><CPU>1</CPU><TIMESTAMP>4</TIMESTAMP></MONITORING></M>',
      ),
    );
    expect([...readings]).to.deep.equal([['2', { at: 5000, cpu: 9 }]]);
  });

  it('reads a VM that has next to nothing', () => {
    expect(readVm(parseXml('<VM><ID>1</ID></VM>'))).to.include({ id: '1', cores: 1, group: undefined });
  });
});
