// Units of measure (UN/CEFACT Recommendation 20) that convert into each other: base = value × factor + offset.
// Worked number: 68 FAH = 68 × 5/9 + 255.3722… = 293.15 KEL = 20 CEL.

type Conversion = readonly [base: string, factor: number, offset?: number];

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  // temperature
  KEL: ['KEL', 1],
  CEL: ['KEL', 1, 273.15],
  FAH: ['KEL', 5 / 9, (459.67 * 5) / 9],
  // mass
  KGM: ['KGM', 1],
  GRM: ['KGM', 1e-3],
  MGM: ['KGM', 1e-6],
  MC: ['KGM', 1e-9],
  TNE: ['KGM', 1e3],
  LBR: ['KGM', 0.45359237],
  ONZ: ['KGM', 0.028349523125],
  STI: ['KGM', 6.35029318],
  STN: ['KGM', 907.18474],
  LTN: ['KGM', 1016.0469088],
  // length
  MTR: ['MTR', 1],
  KMT: ['MTR', 1e3],
  DMT: ['MTR', 0.1],
  CMT: ['MTR', 0.01],
  MMT: ['MTR', 1e-3],
  '4H': ['MTR', 1e-6],
  INH: ['MTR', 0.0254],
  FOT: ['MTR', 0.3048],
  YRD: ['MTR', 0.9144],
  SMI: ['MTR', 1609.344],
  NMI: ['MTR', 1852],
  // area
  MTK: ['MTK', 1],
  CMK: ['MTK', 1e-4],
  MMK: ['MTK', 1e-6],
  HAR: ['MTK', 1e4],
  KMK: ['MTK', 1e6],
  FTK: ['MTK', 0.09290304],
  INK: ['MTK', 0.00064516],
  // volume
  MTQ: ['MTQ', 1],
  LTR: ['MTQ', 1e-3],
  DLT: ['MTQ', 1e-4],
  CLT: ['MTQ', 1e-5],
  MLT: ['MTQ', 1e-6],
  DMQ: ['MTQ', 1e-3],
  CMQ: ['MTQ', 1e-6],
  MMQ: ['MTQ', 1e-9],
  HLT: ['MTQ', 0.1],
  GLL: ['MTQ', 0.003785411784],
  GLI: ['MTQ', 0.00454609],
  FTQ: ['MTQ', 0.028316846592],
  INQ: ['MTQ', 0.000016387064],
  // time
  SEC: ['SEC', 1],
  C26: ['SEC', 1e-3],
  B98: ['SEC', 1e-6],
  MIN: ['SEC', 60],
  HUR: ['SEC', 3600],
  DAY: ['SEC', 86400],
  WEE: ['SEC', 604800],
  // pressure
  PAL: ['PAL', 1],
  A97: ['PAL', 100],
  KPA: ['PAL', 1e3],
  MPA: ['PAL', 1e6],
  BAR: ['PAL', 1e5],
  MBR: ['PAL', 100],
  ATM: ['PAL', 101325],
  PS: ['PAL', 6894.757293168],
  // speed, acceleration, angle
  MTS: ['MTS', 1],
  KMH: ['MTS', 1 / 3.6],
  HM: ['MTS', 0.44704],
  KNT: ['MTS', 1852 / 3600],
  MSK: ['MSK', 1],
  K40: ['MSK', 9.80665],
  C81: ['C81', 1],
  DD: ['C81', Math.PI / 180],
  // electricity
  VLT: ['VLT', 1],
  '2Z': ['VLT', 1e-3],
  KVT: ['VLT', 1e3],
  AMP: ['AMP', 1],
  '4K': ['AMP', 1e-3],
  OHM: ['OHM', 1],
  B49: ['OHM', 1e3],
  // energy, power, frequency
  JOU: ['JOU', 1],
  KJO: ['JOU', 1e3],
  WHR: ['JOU', 3600],
  KWH: ['JOU', 3.6e6],
  WTT: ['WTT', 1],
  KWT: ['WTT', 1e3],
  HTZ: ['HTZ', 1],
  KHZ: ['HTZ', 1e3],
  MHZ: ['HTZ', 1e6],
  // share: percent, per mille, parts per million and thousand million
  C62: ['C62', 1],
  P1: ['C62', 0.01],
  NX: ['C62', 1e-3],
  '59': ['C62', 1e-6],
  '61': ['C62', 1e-9],
};

/**
 * In the base unit, rounded to 12 digits so that 68 FAH equals 20 CEL; a unit that converts into no other is its own
 * base. A standard deviation is a difference: it knows no offset.
 */
export function toBaseUnit(value: number, unit: string, kind: 'value' | 'difference' = 'value') {
  const [base, factor, offset = 0] = Object.hasOwn(CONVERSIONS, unit) ? (CONVERSIONS[unit] as Conversion) : [unit, 1];
  const converted = value * factor + (kind === 'value' ? offset : 0);
  return { value: Number(converted.toPrecision(12)), unit: base };
}
