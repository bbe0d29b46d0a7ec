import { expect } from 'chai';
import { CONDITION_NAMES, conditionsOf } from '../../../src/loop/conditions.ts';
import { vm } from '../admin/scripted-source.ts';
import { facts } from './calm-facts.ts';

describe('conditions', () => {
  it('are all there, and well or not known, while nothing is the matter', () => {
    const found = conditionsOf(facts());
    expect(found.map(({ name }) => name)).to.have.members(CONDITION_NAMES);
    expect(found.filter(({ status }) => status !== 'ok').map(({ name }) => name)).to.deep.equal(['backlog']);
  });

  it('begin with the worst', () => {
    const full = { path: '/data', freeBytes: 1, totalBytes: 1e12 };
    const found = conditionsOf(facts({ fleet: [{ ...vm('7', 'kept'), since: 0 }] }, { disk: full }));
    const [first, ...others] = found.map(({ status }) => status);
    expect(first).to.equal('error');
    expect(others.slice(others.indexOf('note')).every((status) => ['note', 'ok'].includes(status))).to.equal(true);
    expect(others.at(-1)).to.equal('ok');
  });
});
