// Content negotiation: JSON, JSON-LD or XML, by the client's Accept header.
import { EpcisException } from '../../domain/exceptions.ts';

export interface Representation {
  readonly form: 'json' | 'xml';
  readonly type: string;
}

// in our order of preference, for clients that have none
export const OFFERED: readonly Representation[] = [
  { form: 'json', type: 'application/json' },
  { form: 'json', type: 'application/ld+json' },
  { form: 'xml', type: 'application/xml' },
  { form: 'xml', type: 'text/xml' },
];

interface Range {
  readonly type: string;
  readonly quality: number;
}

export function negotiate(accept: string | undefined, offered = OFFERED): Representation {
  const best = bestOf(accept, offered);
  if (best !== undefined) return best;
  const types = offered.map(({ type }) => type).join(', ');
  throw new EpcisException('NotAcceptableException', `None of '${accept}' is offered; ask for one of ${types}.`);
}

/** The form for an error: what the client would have got, and JSON where that cannot be said. */
export function errorForm(accept: string | undefined): 'json' | 'xml' {
  const ranges = rangesOf(accept);
  const wantsXml = ranges.find(({ type }) => type === 'application/problem+xml');
  const wantsJson = ranges.find(({ type }) => type === 'application/problem+json');
  if (wantsXml !== undefined || wantsJson !== undefined) {
    return (wantsXml?.quality ?? 0) > (wantsJson?.quality ?? 0) ? 'xml' : 'json';
  }
  return bestOf(accept)?.form ?? 'json';
}

function bestOf(accept: string | undefined, offered = OFFERED): Representation | undefined {
  if (accept === undefined || accept.trim() === '') return offered[0];
  const ranges = rangesOf(accept);
  let best: Representation | undefined;
  let bestQuality = 0;
  for (const offer of offered) {
    const quality = qualityOf(offer.type, ranges);
    if (quality > bestQuality) [best, bestQuality] = [offer, quality];
  }
  return best;
}

function rangesOf(accept = ''): Range[] {
  return accept.split(',').flatMap((entry) => {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    return type === '' || Number.isNaN(quality) ? [] : [{ type, quality }];
  });
}

/** The most specific range decides: application/xml;q=0 refuses XML although there is a wildcard beside it. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const range of [type, group, '*/*']) {
    const match = ranges.find((candidate) => candidate.type === range);
    if (match !== undefined) return match.quality;
  }
  return 0;
}
