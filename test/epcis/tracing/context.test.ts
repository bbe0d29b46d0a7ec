import { expect } from 'chai';
import fc from 'fast-check';
import { contextFields, readContext, writeParent } from '../../../epcis/tracing/context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const id = (digits: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: digits, maxLength: digits })
    .map((all) => all.join(''))
    .filter((text) => !/^0+$/.test(text));

describe('the context of a trace', () => {
  it('is read as W3C writes it, with what others keep in its state', () => {
    const read = readContext(`00-${TRACE}-${SPAN}-01`, 'congo=t61rcWkgMzE,rojo=1');
    expect(read).to.deep.equal({ traceId: TRACE, spanId: SPAN, sampled: true, state: 'congo=t61rcWkgMzE,rojo=1' });
    expect(contextFields(read!)).to.deep.equal([
      ...['traceparent', `00-${TRACE}-${SPAN}-01`],
      ...['tracestate', 'congo=t61rcWkgMzE,rojo=1'],
    ]);
    expect(readContext(`00-${TRACE}-${SPAN}-02`)).to.include({ sampled: false });
    expect(readContext(`cc-${TRACE}-${SPAN}-01-what-comes-later`), 'a later version').to.include({ sampled: true });
  });

  it('is none where it is none by the standard', () => {
    for (const wrong of [
      ...['', 'x', `00-${TRACE}-${SPAN}`, `ff-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01-more`],
      ...[`00-${'0'.repeat(32)}-${SPAN}-01`, `00-${TRACE}-${'0'.repeat(16)}-01`],
      ...[`00-${TRACE.toUpperCase()}-${SPAN}-01`, `00-${TRACE}-${SPAN}-1`, `0-${TRACE}-${SPAN}-01`],
      `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, // told twice: Node joins them
    ])
      expect(readContext(wrong, 'state=1'), wrong).to.equal(undefined);
    expect(readContext(undefined)).to.equal(undefined);
  });

  it('comes back as it was written, and no text upsets its reader', () => {
    fc.assert(
      fc.property(id(32), id(16), fc.boolean(), (traceId, spanId, sampled) => {
        const context = { traceId, spanId, sampled };
        expect(readContext(writeParent(context))).to.deep.equal(context);
      }),
    );
    fc.assert(fc.property(fc.string(), fc.string(), (parent, state) => void readContext(parent, state)));
  });
});
