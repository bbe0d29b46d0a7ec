import { expect } from 'chai';
import { AdmissionQueue } from '../../../../src/balance/core/admission-queue.ts';
import { seeded } from '../../../../src/random.ts';

// The load of the scheduler's study that the queue follows: service 5.35 s on average, requests wait 6.98 s on average
// when they are served as they come. One server, Poisson arrivals, exponential service: W = ρ/(1−ρ) × 5.35 s = 6.98 s
// gives ρ = 0.566, one request every 9.45 s.
const SERVICE = 5_350;
const BETWEEN = SERVICE / 0.566;
const REQUESTS = 200_000;

interface Request {
  readonly arrivedAt: number;
  readonly serviceMs: number;
  readonly important: boolean;
}

describe('two classes of requests, simulated', () => {
  const requests = load();
  const asTheyCome = waits(requests, 1);
  const byImportance = waits(requests, 2);

  it('waits as in the study without priorities', () => {
    expect(mean(asTheyCome.all)).to.be.within(6_700, 7_300);
  });

  it('makes the important class wait at least 35 % less', () => {
    const fall = 1 - mean(byImportance.important) / mean(asTheyCome.important);
    expect(fall).to.be.at.least(0.35);
  });

  it('makes nobody wait for ever: the longest wait stays of the order it had', () => {
    expect(byImportance.all).to.have.length(REQUESTS);
    expect(Math.max(...chunksMax(byImportance.all))).to.be.lessThan(1.6 * Math.max(...chunksMax(asTheyCome.all)));
  });
});

function load(): Request[] {
  const random = seeded(7);
  let now = 0;
  return Array.from({ length: REQUESTS }, () => {
    now += -Math.log(1 - random()) * BETWEEN;
    return { arrivedAt: now, serviceMs: -Math.log(1 - random()) * SERVICE, important: random() < 0.5 };
  });
}

/** Serves all requests one at a time; with one class or with two, promotion after 300 s as in the study. */
function waits(requests: readonly Request[], levels: number): { all: number[]; important: number[] } {
  const queue = new AdmissionQueue<Request>({ levels, capacity: Infinity, promoteAfterMs: 300_000 });
  const all: number[] = [];
  const important: number[] = [];
  let next = 0;
  let now = 0;
  while (all.length < requests.length) {
    if (queue.size === 0) now = Math.max(now, requests[next]?.arrivedAt ?? now);
    for (let one = requests[next]; one !== undefined && one.arrivedAt <= now; one = requests[++next]) {
      const level = levels === 1 || one.important ? 0 : 1;
      queue.offer(one, { level, arrivedAt: one.arrivedAt, deadline: Infinity, sender: '', tenant: '', pinned: false });
    }
    const served = queue.take(now, () => true);
    if (served === undefined) continue;
    all.push(now - served.arrivedAt);
    if (served.important) important.push(now - served.arrivedAt);
    now += served.serviceMs;
  }
  return { all, important };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Math.max takes only so many arguments. */
function chunksMax(values: readonly number[]): number[] {
  const maxima: number[] = [];
  for (let i = 0; i < values.length; i += 10_000) maxima.push(Math.max(...values.slice(i, i + 10_000)));
  return maxima;
}
