import { expect } from 'chai';
import { lastMoment } from '../../../src/act/replacements.ts';

describe('the last moment at which a VM that will be taken gets a request', () => {
  const at = (notice: number, drain: number, alone = false) =>
    lastMoment({ noticedAt: 1_000_000, interruptAt: 1_000_000 + notice * 1_000 }, drain * 1_000, alone) / 1_000 - 1_000;

  it('leaves each request as long as a drain may take, and the VM a while to hand its work on', () => {
    expect(at(120, 30)).to.equal(88);
    expect(at(120, 0)).to.equal(118);
  });

  it('is the notice itself where a request could outlast it, and half of it where no other VM serves', () => {
    expect([at(20, 30), at(20, 30, true)]).to.deep.equal([0, 9]);
    expect(at(120, 30, true), 'long enough for both').to.equal(88);
    for (const notice of [0, 1, -5]) expect(at(notice, 30, true)).to.equal(0);
  });
});
