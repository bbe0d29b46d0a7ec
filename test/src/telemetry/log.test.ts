import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { createLog, type Log, type LogOptions } from '../../../src/telemetry/log.ts';
import { withinSeconds } from '../../helpers/within-seconds.ts';

function logTo(options: LogOptions, isTTY?: boolean): { log: Log; read: () => string } {
  const stream = Object.assign(new PassThrough(), isTTY === undefined ? {} : { isTTY });
  return { log: createLog(options, stream), read: () => String(stream.read() ?? '') };
}

describe('log', () => {
  it('is JSON, one object a line, where a program reads it', () => {
    const { log, read } = logTo({ level: 'info' });
    log.info({ vm: 'vm-1' }, 'allocated');
    const line = JSON.parse(read()) as Record<string, unknown>;
    expect(line).to.include({ level: 'info', vm: 'vm-1', msg: 'allocated' });
    expect(line['time']).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(line).not.to.have.any.keys('pid', 'hostname');
  });

  it('is plain text on a terminal', () => {
    const { log, read } = logTo({ level: 'info' }, true);
    log.warn({ vm: 'vm-1', why: 'no answer yet', attempts: 3 }, 'VM is not ready');
    expect(read()).to.match(/^\d\d:\d\d:\d\d warn {2}VM is not ready {2}vm=vm-1 why="no answer yet" attempts=3\n$/);
    log.error({ err: new Error('broken') }, 'failed');
    expect(read()).to.match(/^\d\d:\d\d:\d\d error failed\n {4}Error: broken\n {8}at /);
  });

  it('has the sentence of a system that refuses, and no stack: that is no defect', async () => {
    const error: unknown = await readFile('/nowhere/x').catch((one: unknown) => one);
    for (const isTTY of [true, false]) {
      const { log, read } = logTo({ level: 'info' }, isTTY);
      log.error({ err: error }, 'The journal cannot be written');
      expect(read())
        .to.include('ENOENT: no such file or directory')
        .and.not.match(/stack|\bat /);
    }
  });

  it('writes no secret, whoever quotes it, and stays what it is', () => {
    for (const isTTY of [true, false]) {
      const { log, read } = logTo({ level: 'info', secrets: ['hunter2"x', 'level'] }, isTTY);
      log.conceal('gr0up-secret');
      const quoted = { vm: 'vm-1', answer: { sql: ['SET x = hunter2"x'] } };
      log.warn({ ...quoted, err: new Error('Access with hunter2"x on this level') }, 'It says gr0up-secret');
      const line = read();
      expect(line).to.not.match(/hunter2|gr0up/);
      expect(line)
        .to.include('It says ***')
        .and.include('Access with *** on this ***')
        .and.match(isTTY ? /^\d\d:\d\d:\d\d warn/ : /^{"level":"warn","time":"/);
      if (!isTTY) expect(JSON.parse(line)).to.deep.include({ vm: 'vm-1', answer: { sql: ['SET x = ***'] } });
    }
  });

  it('keeps to its level', () => {
    const { log, read } = logTo({ level: 'warn' });
    log.info('nothing');
    expect(read()).to.equal('');
    const silent = logTo({ level: 'silent' });
    silent.log.error('nothing');
    expect(silent.read()).to.equal('');
  });

  it('counts what somebody should read, children included', () => {
    const { log } = logTo({ level: 'info' });
    log.info('one');
    log.warn('two');
    log.child({ part: 'gateway' }).error('three');
    expect(log.counts).to.eql({ warn: 1, error: 1 });
  });

  for (const format of ['text', 'json'] as const) {
    it(`never writes a secret (${format})`, () => {
      const { log, read } = logTo({ level: 'info', format });
      log.info({ token: 's3cret', admin: { token: 's3cret' }, config: { collector: { secret: 's3cret' } } }, 'config');
      log.info({ headers: { authorization: 'Bearer s3cret', cookie: 's3cret' } }, 'request');
      log.error({ err: new Error('cannot connect to mysql://root:s3cret@db:3306/epcis') }, 'failed');
      log.error('cannot connect to mysql://root:s3cret@db/epcis');
      withinSeconds(() => log.error(`cannot read ${'a.'.repeat(200_000)} of ${'x://y:'.repeat(50_000)}`));
      const text = read();
      expect(text).not.to.include('s3cret');
      expect(text).to.include('mysql://root:[removed]@db:3306/epcis').and.to.include('mysql://root:[removed]@db/epcis');
    });
  }
});
