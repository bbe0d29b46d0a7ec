// How long requests take on a fleet, as a function of its load: the queueing model that `adaptive` sizes by, and that
// the simulator's fluid approximation and the demand curve d of the measures use, too.
// A fleet of n VMs that each serve `parallel` requests at full speed is taken as one station with m = n × parallel
// servers. Requests in the system by Sakasegawa's approximation, exact for m = 1:
//   L = m × ρ + u × ρ^√(2(m+1)) / (1 − ρ), and by Little's law R = serviceMs × L / (m × ρ).
// Worked: one server at ρ = 0.5: L = 0.5 + 0.25 / 0.5 = 1, R = 2 × serviceMs.
// A request goes to the VM with the fewest and stays there, while another VM may become idle: u is by how much longer
// they wait than in one queue for all, 1 for one VM and towards ρ = 1, where no VM is ever idle:
//   u = 1 + 1 / (1.6 / n^0.35 + 1.8 / ((n − 1)(1 − ρ)))
// And some requests meet more others than others do: at R / serviceMs = s the logarithm of the time that a request takes
// scatters by 0.35 × ln s beside the scatter of the work itself. Both were fitted to the simulation request by request
// (1 to 80 VMs at 50 to 95 %); a test holds them against it.

/** What one VM can do. */
export interface Capacity {
  /** Mean time of a request that has the VM for itself. */
  readonly serviceMs: number;
  /** Requests that a VM serves at once without slowing down. */
  readonly parallel: number;
  /** Standard deviation ÷ mean of the time that requests need (lognormal); 0: all need the same. */
  readonly variation: number;
}

/** 500 ms, 0.95: of all requests 95 % are answered within 500 ms. */
export interface Objective {
  readonly ms: number;
  readonly share: number;
}

/** Requests a second that a VM can answer at most. Worked: 100 ms, two at once: 20. */
export const ratePerVm = ({ serviceMs, parallel }: Capacity): number => (parallel * 1000) / serviceMs;

/** What the formulas need of a fleet, worked out once. */
export interface Station {
  readonly servers: number;
  readonly exponent: number;
  /** The two terms below u's fraction; Infinity: one VM. */
  readonly light: number;
  readonly heavy: number;
}

export const stationOf = (vms: number, parallel: number): Station => ({
  servers: vms * parallel,
  exponent: Math.sqrt(2 * (vms * parallel + 1)),
  light: 1.6 / vms ** 0.35,
  heavy: vms > 1 ? 1.8 / (vms - 1) : Infinity,
});

/** Mean number of requests at load ρ below 1. */
export const inSystem = (load: number, { servers, exponent, light, heavy }: Station): number =>
  servers * load + ((1 + 1 / (light + heavy / (1 - load))) * load ** exponent) / (1 - load);

/** Share of times above `times` their mean: P(w > times) of a lognormal w with mean 1, whose logarithm has that variance. */
export function tail(times: number, variance: number): number {
  if (times <= 0) return 1;
  if (variance === 0) return times < 1 ? 1 : 0;
  return 1 - normalShare((Math.log(times) + variance / 2) / Math.sqrt(variance));
}

/** Of the logarithm of the work, by its variation. */
export const varianceOf = (variation: number): number => Math.log(1 + variation ** 2);

/** The variance that comes of meeting more others, or fewer, where requests take `stretch` times their work in the mean. */
export const crowding = (stretch: number): number => CROWDING * Math.log(Math.max(1, stretch));

const CROWDING = 0.35;

/** Mean response time in ms at load ρ below 1. Worked: 100 ms, one server at ρ = 0.5: 200. */
export const responseAt = (load: number, station: Station, { serviceMs }: Capacity): number =>
  load <= 0 ? serviceMs : (serviceMs * inSystem(load, station)) / (station.servers * load);

/**
 * Share of requests slower than the objective when `rate` requests a second come to `vms` VMs, in the long run. Where they
 * come in bursts, they wait for one another besides, `burstMs` at full load (see learned.ts).
 * Worked: 5 a second on one VM of 100 ms: R = 200 ms; over 500 ms are those with more than 2.5 times the mean, where the
 * logarithm's variance is 0.69 of the work and 0.24 of the crowding.
 */
export const slowShare = (rate: number, vms: number, capacity: Capacity, objectiveMs: number): number =>
  slowShareAt(rate, stationOf(vms, capacity.parallel), capacity, objectiveMs);

/** The same of a fleet that is worked out already. */
export function slowShareAt(
  rate: number,
  station: Station,
  capacity: Capacity,
  objectiveMs: number,
  burstMs: number = 0,
): number {
  const load = (rate * capacity.serviceMs) / 1000 / station.servers;
  if (!(load < 1)) return 1;
  const mean = responseAt(load, station, capacity);
  return tail(
    objectiveMs / (mean + burstMs * load),
    varianceOf(capacity.variation) + crowding(mean / capacity.serviceMs),
  );
}

/**
 * The demand curve: the fewest VMs that meet the objective at that rate. Where even an idle fleet would miss it, those
 * that miss it hardly more often than an idle one.
 */
export function vmsNeeded(rate: number, capacity: Capacity, { ms, share }: Objective): number {
  const allowed = Math.max(1 - share, 1.1 * slowShare(0, 1, capacity, ms));
  let low = Math.max(1, Math.floor(rate / ratePerVm(capacity)));
  const meets = (vms: number): boolean => slowShare(rate, vms, capacity, ms) <= allowed;
  let high = low;
  while (!meets(high)) [low, high] = [high + 1, high * 2];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (meets(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** P(Z < z) of the standard normal, to 1e-7 (Abramowitz and Stegun 26.2.17). Worked: 1.96 → 0.975. */
export function normalShare(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const upper = Math.exp((-z * z) / 2) * 0.3989422804014327 * series;
  return z >= 0 ? 1 - upper : upper;
}
