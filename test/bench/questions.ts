// The ten usual questions, each about something else every time it is asked.
import type { QueryParameter } from '../../epcis/service/services.ts';
import type { Random } from '../../loadgen/workload/random.ts';
import * as chain from './lifecycles.ts';

export interface Question {
  readonly name: string;
  /** About one of the first `lives` lives. */
  readonly ask: (lives: number, random: Random) => readonly QueryParameter[];
  readonly masterData?: true;
}

const newest = (limit: number): Record<string, string> => ({
  orderBy: 'eventTime',
  orderDirection: 'DESC',
  eventCountLimit: String(limit),
});

const parameters = (of: Record<string, string>): readonly QueryParameter[] =>
  Object.entries(of).map(([name, value]) => ({ name, values: [value] }));

const iso = (ms: number): string => new Date(ms).toISOString();
const HOUR = 3_600_000;

export const QUESTIONS: readonly Question[] = [
  {
    name: 'trace of an EPC',
    ask: (lives, random) => parameters({ MATCH_anyEPC: chain.item(random.below(lives), random.below(5)) }),
  },
  {
    name: 'time window at a read point',
    ask: (lives, random) => {
      const time = chain.startOf(random.below(lives)) + 60 * HOUR;
      return parameters({
        EQ_readPoint: chain.door(random.below(chain.SITES), 1 + random.below(4)),
        GE_eventTime: iso(time),
        LT_eventTime: iso(time + 6 * HOUR),
      });
    },
  },
  {
    name: 'WD_ location',
    ask: (_lives, random) =>
      parameters({ WD_bizLocation: `urn:example:region:${random.below(10)}`, EQ_bizStep: 'receiving', ...newest(30) }),
  },
  {
    name: 'extension field',
    ask: (lives, random) => parameters({ [`EQ_ILMD_${chain.NAMESPACE}#lot`]: chain.lot(random.below(lives)) }),
  },
  {
    name: 'EPC pattern',
    ask: (_lives, random) =>
      parameters({
        MATCH_epc: chain.itemsOfProduct(random.below(chain.PRODUCTS)),
        EQ_bizStep: 'storing',
        ...newest(30),
      }),
  },
  {
    name: 'event by ID',
    ask: (lives, random) => parameters({ EQ_eventID: `urn:example:event:${random.below(Math.ceil(lives / 20)) * 20}` }),
  },
  { name: 'newest 30', ask: () => parameters(newest(30)) },
  {
    name: 'business transaction',
    ask: (lives, random) => parameters({ EQ_bizTransaction_po: chain.order(random.below(lives)) }),
  },
  {
    name: 'sensor value range',
    ask: (_lives, random) => {
      const celsius = 2 + random.below(590) / 100;
      return parameters({
        GE_value_CEL: celsius.toFixed(3),
        LT_value_FAH: ((celsius + 0.0099) * 1.8 + 32).toFixed(4),
        EQ_bizLocation: chain.site(random.below(chain.SITES)),
        ...newest(30),
      });
    },
  },
  {
    name: 'master data',
    masterData: true,
    ask: (_lives, random) =>
      parameters({
        includeAttributes: 'true',
        includeChildren: 'true',
        WD_name: `urn:example:region:${random.below(10)}`,
      }),
  },
];
