// SimpleMasterDataQuery.
import { EpcisException } from '../domain/exceptions.ts';
import type { VocabularyElement } from '../domain/event.ts';
import type { EventRepository, VocabularyQuery } from './repository.ts';
import { group, readWhole, wrongValue } from './parameter-values.ts';
import { refuseDuplicates, refuseTooMany, type QueryLimits } from './parameters.ts';
import type { QueryParameter } from './services.ts';

interface MasterDataPlan extends VocabularyQuery {
  readonly includeAttributes?: boolean;
  readonly includeChildren?: boolean;
  readonly attributeNames?: readonly string[];
  readonly maxElementCount?: number;
}

export interface MasterDataRule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly type: 'list' | 'number' | 'boolean';
  readonly meaning: string;
  readonly read: (match: RegExpExecArray, values: readonly string[]) => Partial<MasterDataPlan>;
}

function boolean(name: 'includeAttributes' | 'includeChildren', meaning: string): MasterDataRule {
  return {
    name,
    pattern: new RegExp(`^${name}$`),
    type: 'boolean',
    meaning,
    read: (_match, [value = '']) => {
      if (!['true', 'false', '1', '0'].includes(value)) throw wrongValue(name, value, 'true or false');
      return { [name]: value === 'true' || value === '1' };
    },
  };
}

function list(
  name: string,
  field: 'vocabularies' | 'attributeNames' | 'names' | 'within' | 'hasAttribute',
  meaning: string,
): MasterDataRule {
  const pattern = new RegExp(`^${name}$`);
  return { name, pattern, type: 'list', meaning, read: (_match, values) => ({ [field]: values }) };
}

export const MASTER_DATA_RULES: readonly MasterDataRule[] = [
  boolean('includeAttributes', 'With attributes. Required.'),
  boolean('includeChildren', 'With the IDs of children. Required.'),
  list('vocabularyName', 'vocabularies', 'Elements of these vocabularies.'),
  list('attributeNames', 'attributeNames', 'Only these attributes; all without it. Needs includeAttributes.'),
  list('EQ_name', 'names', 'Elements of these names.'),
  list('WD_name', 'within', 'Elements of these names and everything below them.'),
  list('HASATTR', 'hasAttribute', 'Elements that have one of these attributes.'),
  {
    name: 'EQATTR_*attribute*',
    pattern: /^EQATTR_(?<attribute>.+)$/,
    type: 'list',
    meaning: 'Elements that have this attribute with one of these values.',
    read: (match, values) => ({ attributeValues: [{ attribute: group(match, 'attribute'), values }] }),
  },
  {
    name: 'maxElementCount',
    pattern: /^maxElementCount$/,
    type: 'number',
    meaning: 'QueryTooLargeException when there are more.',
    read: (_match, [value = '']) => ({ maxElementCount: readWhole('maxElementCount', value, 1) }),
  },
];

export function planMasterData(parameters: readonly QueryParameter[], limits: QueryLimits): MasterDataPlan {
  refuseDuplicates(parameters);
  refuseTooMany(parameters, limits);
  const parts = parameters.map(readParameter);
  const plan: MasterDataPlan = {
    ...(Object.assign({}, ...parts) as Partial<MasterDataPlan>),
    attributeValues: parts.flatMap((part) => part.attributeValues ?? []),
  };
  for (const name of ['includeAttributes', 'includeChildren'] as const)
    if (plan[name] === undefined) throw wrong(`SimpleMasterDataQuery needs ${name}.`);
  return plan;
}

function readParameter({ name, values }: QueryParameter): Partial<MasterDataPlan> {
  for (const rule of MASTER_DATA_RULES) {
    const match = rule.pattern.exec(name);
    if (!match) continue;
    const given = values.filter((value) => value !== '');
    if (given.length === 0) return {};
    if (rule.type !== 'list' && given.length > 1) throw wrong(`${name} takes one value, not ${given.length}.`);
    return rule.read(match, given);
  }
  throw wrong(`SimpleMasterDataQuery has no parameter '${name}'.`);
}

export async function vocabularies(
  repository: EventRepository,
  parameters: readonly QueryParameter[],
  limits: QueryLimits,
): Promise<AsyncIterable<VocabularyElement>> {
  const plan = planMasterData(parameters, limits);
  const { maxElementCount: most } = plan;
  if (most === undefined) return shown(repository.vocabulary(plan), plan);
  const elements: VocabularyElement[] = [];
  for await (const element of repository.vocabulary({ ...plan, limit: most + 1 })) elements.push(element);
  if (elements.length > most)
    throw new EpcisException('QueryTooLargeException', `The query has more than ${most} elements.`);
  return shown(elements, plan);
}

/** Only as much of each element as was asked for. */
async function* shown(
  elements: AsyncIterable<VocabularyElement> | Iterable<VocabularyElement>,
  { includeAttributes, includeChildren, attributeNames }: MasterDataPlan,
): AsyncGenerator<VocabularyElement> {
  for await (const element of elements)
    yield {
      ...element,
      attributes: element.attributes.filter(
        ({ id }) => includeAttributes && (attributeNames === undefined || attributeNames.includes(id)),
      ),
      children: includeChildren ? element.children : [],
    };
}

function wrong(reason: string): EpcisException {
  return new EpcisException('QueryParameterException', reason);
}
