// Two VMs by chance, the less busy of them: nearly as even as asking all, without the herd on the emptiest.
import { twoOf } from './selector.ts';
import type { Selector } from './selector.ts';

export const powerOfTwoChoices: Selector = (vms, { random, shareOf }) => {
  const [one, other] = twoOf(vms, random);
  return (other.inFlight + 1) / shareOf(other) < (one.inFlight + 1) / shareOf(one) ? other : one;
};
