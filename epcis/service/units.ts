// Units of measure (UN/CEFACT Recommendation 20) that convert into each other: those of every type of measurement that the
// standard names. base = value × factor + offset.
// Worked number: 68 FAH = 68 × 5/9 + 255.3722… = 293.15 KEL = 20 CEL.

type Conversion = readonly [base: string, factor: number, offset?: number];

/**
 * The base unit of each quantity, and what the others are of it. Repositories hold values in base units: a base that was
 * given is never changed, and where a unit is added, `mmeliot repository reindex` has earlier events found by it.
 */
const UNITS: Readonly<Record<string, string>> = {
  // temperature: see OFFSETS
  KEL: 'CEL=1 FAH=5/9 A48=5/9',
  // mass
  KGM: 'GRM=1e-3 MGM=1e-6 MC=1e-9 TNE=1e3 LBR=0.45359237 ONZ=0.028349523125 STI=6.35029318 STN=907.18474 LTN=1016.0469088 KTN=1e6 2U=1e3 DTN=100 HGM=0.1 DJ=0.01 DG=1e-4 CGM=1e-5 CWI=50.80234544 CWA=45.359237',
  // length
  MTR: 'KMT=1e3 DMT=0.1 CMT=0.01 MMT=1e-3 4H=1e-6 INH=0.0254 FOT=0.3048 YRD=0.9144 SMI=1609.344 NMI=1852 HMT=100 A45=10 C45=1e-9 A11=1e-10 AK=1.8288',
  // area
  MTK: 'CMK=1e-4 MMK=1e-6 HAR=1e4 KMK=1e6 FTK=0.09290304 INK=0.00064516 DMK=0.01 H16=100 H18=1e4 ARE=100 DAA=1e3 YDK=0.83612736 MIK=2589988.110336',
  // volume
  MTQ: 'LTR=1e-3 DLT=1e-4 CLT=1e-5 MLT=1e-6 DMQ=1e-3 CMQ=1e-6 MMQ=1e-9 HLT=0.1 GLL=0.003785411784 GLI=0.00454609 FTQ=0.028316846592 INQ=0.000016387064 4G=1e-9 A44=0.01 K6=1 MAL=1e3 DMA=1e3 H19=1e6 H20=1e9 YDQ=0.764554857984 BLL=0.158987294928 OZA=0.0000295735295625 OZI=0.0000284130625 PTL=0.000473176473 PTI=0.00056826125 QTL=0.000946352946 QTI=0.0011365225',
  // time
  SEC: 'C26=1e-3 B98=1e-6 MIN=60 HUR=3600 DAY=86400 WEE=604800 B52=1e3 C47=1e-9 H70=1e-12',
  // pressure
  PAL: 'A97=100 KPA=1e3 MPA=1e6 BAR=1e5 MBR=100 ATM=101325 PS=6894.757293168 H75=10 74=1e-3 B96=1e-6 A89=1e9 C55=1 C56=1e6 ATT=98066.5 H78=98.0665 HP=9.80665',
  // speed, acceleration, angle
  MTS: 'KMH=1/3.6 HM=0.44704 KNT=1852/3600 2M=0.01 M62=1e3 2X=1/60 FS=0.3048 FR=0.00508 IU=0.0254',
  MSK: 'K40=9.80665 A76=0.01 C11=1e-5 M38=1e3 M39=0.01 M41=1e-3 A73=0.3048 IV=0.0254',
  C81: `DD=${Math.PI}/180 C25=1e-3 B97=1e-6 A91=${Math.PI}/200 D61=${Math.PI}/10800 D62=${Math.PI}/648000 M44=${2 * Math.PI}`,
  // electricity: voltage, current, resistance, charge, conductance, capacitance
  VLT: '2Z=1e-3 KVT=1e3 D82=1e-6 B78=1e6',
  AMP: '4K=1e-3 B84=1e-6 C39=1e-9 C70=1e-12 B22=1e3 H38=1e6',
  OHM: 'B49=1e3 B75=1e6 A87=1e9 H44=1e12 E45=1e-3 B94=1e-6 P22=1e-9',
  COU: 'A8=1 AMH=3600 E09=3.6 TAH=3.6e6 N95=60 B26=1e3 D77=1e6 D86=1e-3 B86=1e-6 C40=1e-9 C71=1e-12',
  SIE: 'B53=1e3 C27=1e-3 B99=1e-6 N92=1e-12 NQ=1 NR=1e-6',
  FAR: 'N90=1e3 C10=1e-3 4O=1e-6 C41=1e-9 4T=1e-12 H48=1e-18',
  // magnetism: flux density, flux, vector potential, inductance
  D33: 'C29=1e-3 D81=1e-6 C48=1e-9 P13=1e3',
  WEB: 'C33=1e-3 P11=1e3',
  D59: 'B56=1e3 D60=1e3',
  '81': 'P24=1e3 C14=1e-3 B90=1e-6 C43=1e-9 C73=1e-12',
  // energy, power, frequency
  JOU: 'KJO=1e3 WHR=3600 KWH=3.6e6 3B=1e6 GV=1e9 D30=1e12 C15=1e-3 MWH=3.6e9 GWH=3.6e12 D32=3.6e15 J55=1 E14=4186.8 K53=4184 A57=1e-7',
  WTT: 'KWT=1e3 MAW=1e6 A90=1e9 D31=1e12 C31=1e-3 D80=1e-6 C49=1e-9 C75=1e-12 HJ=735.49875',
  HTZ: 'KHZ=1e3 MHZ=1e6 A86=1e9 D29=1e12',
  // force, torque, momentum, angular momentum
  NEW: 'B47=1e3 B73=1e6 B92=1e-6 C20=1e-3 DU=1e-5 M77=1 B37=9.80665 B51=9.80665 C78=4.4482216152605',
  NU: 'B48=1e3 B74=1e6 DN=0.1 F88=0.01 J72=0.01 D83=1e-3 B93=1e-6',
  B31: 'C57=1 M98=0.01 M99=1e-5',
  B33: 'C53=1',
  // density, humidity and mass concentration; specific volume; flow of volume and of mass; viscosity, dynamic and kinematic
  KMQ: '23=1e3 D41=1e3 GJ=1e3 B35=1e3 B34=1e3 B72=1e3 G31=1e6 GL=1 F23=1 A93=1e-3 M1=1e-3 GP=1e-6 H29=1e-6 GQ=1e-9',
  A39: '22=0.1 H83=1e-3 N28=1e-3 KX=1e-6',
  MQS: 'MQH=1/3600 4X=1/3600 J93=1e-3 G51=1e-3 L2=1e-3/60 J92=1e-3/60 E32=1e-3/3600 2J=1e-6 40=1e-6 41=1e-6/60',
  KGS: 'F31=1/60 E93=1/3600 E18=1e3/3600',
  C65: 'C24=1e-3 89=0.1 C7=1e-3',
  S4: '91=1e-4 4C=1e-6 C17=1e-6',
  // light: intensity, illuminance
  CDL: 'P33=1e3 P34=1e-3',
  LUX: 'B60=1 KLX=1e3 P26=1e4',
  // amount of substance, its concentration, molar mass, volume and energy
  C34: 'B45=1e3 C18=1e-3 FH=1e-6',
  C36: 'M33=1 C35=1e3 C38=1e3 B46=1e3',
  D74: 'A94=1e-3',
  A40: 'A37=1e-3 B58=1e-3 A36=1e-6',
  B15: 'B44=1e3',
  // radioactivity; doses absorbed and equivalent, and their rates
  BQL: '2Q=1e3 4N=1e6 GBQ=1e9 H08=1e-6 CUR=3.7e10 MCU=3.7e7 M5=3.7e4 2R=3.7e13',
  A95: 'C13=1e-3 C80=0.01 A61=1e-4',
  D13: 'C28=1e-3 D91=0.01 L31=1e-5',
  A96: 'P54=1e-3 P55=1e-6 P56=1e-9 P57=1/60 P58=1e-3/60 P59=1e-6/60 P60=1e-9/60 P61=1/3600 P62=1e-3/3600 P63=1e-6/3600 P64=1e-9/3600',
  P65: 'P66=1e-3 P67=1e-6 P68=1e-9 P69=0.01 P70=1/3600 P71=1e-3/3600 P72=1e-6/3600 P73=1e-9/3600 P74=1/60 P75=1e-3/60 P76=1e-6/60 P77=1e-9/60',
  // memory
  AD: '2P=1e3 4L=1e6 E34=1e9 E35=1e12',
  // share: percent, per mille, parts per hundred thousand, million and thousand million
  C62: 'P1=0.01 NX=1e-3 E40=1e-5 59=1e-6 61=1e-9',
};
const OFFSETS: Readonly<Record<string, number>> = { CEL: 273.15, FAH: (459.67 * 5) / 9 };

const CONVERSIONS: ReadonlyMap<string, Conversion> = new Map(
  Object.entries(UNITS).flatMap(([base, others]) => [
    [base, [base, 1]] as const,
    ...others.split(' ').map((other): [string, Conversion] => {
      const [unit = '', factor = ''] = other.split('=');
      const [dividend, divisor = 1] = factor.split('/').map(Number);
      return [unit, [base, (dividend ?? NaN) / divisor, OFFSETS[unit] ?? 0]];
    }),
  ]),
);

/**
 * In the base unit, rounded to 12 digits so that 68 FAH equals 20 CEL; a unit that converts into no other is its own
 * base. A standard deviation is a difference: it knows no offset.
 */
export function toBaseUnit(value: number, unit: string, kind: 'value' | 'difference' = 'value') {
  const [base, factor, offset = 0] = CONVERSIONS.get(unit) ?? [unit, 1];
  const converted = value * factor + (kind === 'value' ? offset : 0);
  return { value: Number(converted.toPrecision(12)), unit: base };
}
