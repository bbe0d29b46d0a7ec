import { expect } from 'chai';
import { memoryPercent, networkBytes, openCpuMeter, type ReadText } from '../../../../src/monitor/udp/usage.ts';

const machine =
  (files: Readonly<Record<string, string>>): ReadText =>
  (path) =>
    files[path];

describe('usage', () => {
  it('reads quota and use from cgroup v2, from the nearest group that has a limit', () => {
    const meter = openCpuMeter(
      undefined,
      machine({
        '/proc/self/cgroup': '0::/vms/vm-1',
        '/sys/fs/cgroup/vms/vm-1/cpu.max': 'max 100000',
        '/sys/fs/cgroup/vms/cpu.max': '25000 100000',
        '/sys/fs/cgroup/vms/cpu.stat': 'usage_usec 2500000\nuser_usec 1',
      }),
    );
    expect(meter).to.include({ kind: 'cgroup v2', cores: 0.25 });
    expect(meter.usedMs()).to.equal(2500);
  });

  it('reads them from cgroup v1', () => {
    const meter = openCpuMeter(
      undefined,
      machine({
        '/proc/self/cgroup': '5:memory:/\n2:cpu,cpuacct:/vm-1\n0::/',
        '/sys/fs/cgroup/cpu/vm-1/cpu.cfs_quota_us': '5000',
        '/sys/fs/cgroup/cpu/vm-1/cpu.cfs_period_us': '10000',
        '/sys/fs/cgroup/cpu/vm-1/cpuacct.usage': '3000000000',
      }),
    );
    expect(meter).to.include({ kind: 'cgroup v1', cores: 0.5 });
    expect(meter.usedMs()).to.equal(3000);
  });

  it('takes no other group for its own: a v1 group without accounting is this process', () => {
    const meter = openCpuMeter(
      undefined,
      machine({
        '/proc/self/cgroup': '2:cpuacct:/\n1:cpu:/vm-1',
        '/sys/fs/cgroup/cpu/vm-1/cpu.cfs_quota_us': '2500',
        '/sys/fs/cgroup/cpu/vm-1/cpu.cfs_period_us': '10000',
        '/sys/fs/cgroup/cpuacct/cpuacct.usage': '9000000000000000',
      }),
    );
    expect(meter).to.include({ kind: 'cgroup v1', cores: 0.25 });
    const { user, system } = process.cpuUsage();
    expect(meter.usedMs()).to.be.within((user + system) / 1000, (user + system) / 1000 + 10_000);
  });

  it('measures the process against a given quota, and the machine without any', () => {
    expect(openCpuMeter(0.25, machine({}))).to.include({ kind: 'process', cores: 0.25 });
    expect(openCpuMeter(undefined, machine({ '/proc/self/cgroup': '0::/' })).kind).to.equal('machine');
  });

  it('reads memory against its limit', () => {
    const files = {
      '/proc/self/cgroup': '0::/vm-1',
      '/sys/fs/cgroup/vm-1/memory.max': '2000',
      '/sys/fs/cgroup/vm-1/memory.current': '500',
    };
    expect(memoryPercent(machine(files))).to.equal(25);
    expect(memoryPercent(machine({}))).to.be.within(0, 100);
  });

  it('counts the bytes of all interfaces but loopback', () => {
    const line = (name: string, received: number, sent: number) =>
      `${name}: ${received} 1 0 0 0 0 0 0 ${sent} 1 0 0 0 0 0 0`;
    const text = [
      'Inter-|   Receive',
      ' face |bytes',
      line('    lo', 9, 9),
      line('  eth0', 100, 20),
      line('  eth1', 1, 2),
    ];
    expect(networkBytes(machine({ '/proc/net/dev': text.join('\n') }))).to.deep.equal({ in: 101, out: 22 });
  });
});
