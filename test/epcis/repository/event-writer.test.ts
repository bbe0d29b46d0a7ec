import { expect } from 'chai';
import type { CapturedEvent } from '../../../epcis/domain/event.ts';
import { portions } from '../../../epcis/repository/event-writer.ts';

describe('events that are written', () => {
  const event = (characters: number): CapturedEvent =>
    ({ source: { text: 'x'.repeat(characters) } }) as unknown as CapturedEvent;
  const counts = (...sizes: readonly number[]): readonly number[] =>
    [...portions(sizes.map(event))].map(({ length }) => length);

  it('are made into rows by portions of 64 Ki characters, in their order, and each is in one', () => {
    expect(counts()).to.deep.equal([]);
    expect(counts(1, 1, 1)).to.deep.equal([3]);
    expect(counts(...new Array<number>(130).fill(1024))).to.deep.equal([64, 64, 2]);
    expect(counts(1, 1_000_000, 1, 1)).to.deep.equal([2, 2]);
    const events = [event(40_000), event(40_000), event(1)];
    expect([...portions(events)].flat()).to.deep.equal(events);
  });
});
