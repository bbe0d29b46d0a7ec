// Which master data a rule is about.
import type { ElementScope } from '../../service/criteria.ts';
import { fail, isRecord, only, textsOf, type Place } from './document.ts';

export function readScope(scope: unknown, place: Place): ElementScope {
  if (scope === 'everything') return {};
  if (!isRecord(scope))
    return fail(place, 'must be everything, or vocabularyName, EQ_name or WD_name with their values');
  only(scope, ['vocabularyName', 'EQ_name', 'WD_name'], place);
  const { vocabularyName, EQ_name: names, WD_name: within } = scope;
  if (Object.keys(scope).length === 0) return fail(place, 'names nothing: write everything where that is meant');
  return {
    ...(vocabularyName !== undefined && { vocabularies: textsOf(vocabularyName, `${place}.vocabularyName`) }),
    ...(names !== undefined && { names: textsOf(names, `${place}.EQ_name`) }),
    ...(within !== undefined && { within: textsOf(within, `${place}.WD_name`) }),
  };
}
