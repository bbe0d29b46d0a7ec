// Where events and vocabulary elements stand in an EPCIS document: paths of members, with * for an item of a list.

export const RESULTS = '/epcisBody/queryResults/resultsBody';
export const QUERY_NAME = '/epcisBody/queryResults/queryName';
const VOCABULARY_LISTS = [
  '/epcisHeader/epcisMasterData/vocabularyList',
  `${RESULTS}/vocabularyList`,
  '/epcisBody/vocabularyList',
];
export const EVENTS = new Set(['/epcisBody/eventList/*', `${RESULTS}/eventList/*`, '/epcisBody/event']);
export const VOCABULARY_ELEMENTS = new Set(VOCABULARY_LISTS.map((list) => `${list}/*/vocabularyElementList/*`));
export const VOCABULARY_TYPES = new Set(VOCABULARY_LISTS.map((list) => `${list}/*/type`));

/** Everything on the way to events and vocabulary elements. */
export const ENTERED = new Set(
  [...EVENTS, ...VOCABULARY_ELEMENTS].flatMap((path) => {
    const steps = path.split('/').slice(0, -1);
    return steps.map((_, i) => steps.slice(0, i + 1).join('/'));
  }),
);

export const isList = (path: string): boolean => path.endsWith('List');
