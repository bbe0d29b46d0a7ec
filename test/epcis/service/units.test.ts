import { expect } from 'chai';
import { toBaseUnit } from '../../../epcis/service/units.ts';

describe('units of measure', () => {
  it('convert into the base unit of their quantity', () => {
    for (const [value, unit, base, expected] of [
      [68, 'FAH', 'KEL', 293.15],
      [491.67, 'A48', 'KEL', 273.15],
      [36, 'KMH', 'MTS', 10],
      [180, 'DD', 'C81', Number(Math.PI.toPrecision(12))],
      [12.5, 'A93', 'KMQ', 0.0125],
      [1, 'CUR', 'BQL', 3.7e10],
      [250, 'C38', 'C36', 250_000],
      [7.2, 'E32', 'MQS', 0.000002],
      [5, 'D91', 'D13', 0.05],
      [3.6, 'P62', 'A96', 0.000001],
      [2, 'B47', 'NEW', 2000],
      [60, 'P1', 'C62', 0.6],
    ] as const)
      expect(toBaseUnit(value, unit), unit).to.deep.equal({ value: expected, unit: base });
  });

  it('are their own base where they convert into no other', () => {
    for (const unit of ['EA', 'XYZ', 'constructor']) expect(toBaseUnit(1.5, unit)).to.deep.equal({ value: 1.5, unit });
  });

  it('have no offset in a difference', () => {
    expect(toBaseUnit(1.8, 'FAH', 'difference')).to.deep.equal({ value: 1, unit: 'KEL' });
  });
});
