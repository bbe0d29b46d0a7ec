// The core business vocabulary: bare words (JSON), URNs (1.x), CURIEs and web URIs of one and the same value. The
// canonical form, which the service stores, compares and hashes, is the web URI: https://ref.gs1.org/cbv/BizStep-shipping.
import {
  COMPONENTS,
  ALERTS,
  BIZ_STEPS,
  BIZ_TRANSACTIONS,
  DISPOSITIONS,
  ERROR_REASONS,
  MEASUREMENTS,
  SOURCES,
} from './cbv-words.ts';

export type CbvKind =
  | 'bizStep'
  | 'disposition'
  | 'errorReason'
  | 'bizTransaction'
  | 'sourceDestination'
  | 'measurement'
  | 'alert'
  | 'component';

export type CbvFormat = 'Always_URN' | 'Always_Web_URI' | 'Never_Translates';

const CBV = 'https://ref.gs1.org/cbv/';
const GS1 = 'https://gs1.org/voc/';

interface Vocabulary {
  /** What stands before a word in its web URI. */
  readonly web: string;
  /** What stands before a word in its URN; sensor vocabularies have none. */
  readonly urn?: string;
  readonly words: ReadonlySet<string>;
}

const VOCABULARIES: Readonly<Record<CbvKind, Vocabulary>> = {
  bizStep: { web: `${CBV}BizStep-`, urn: 'urn:epcglobal:cbv:bizstep:', words: BIZ_STEPS },
  disposition: { web: `${CBV}Disp-`, urn: 'urn:epcglobal:cbv:disp:', words: DISPOSITIONS },
  errorReason: { web: `${CBV}ER-`, urn: 'urn:epcglobal:cbv:er:', words: ERROR_REASONS },
  bizTransaction: { web: `${CBV}BTT-`, urn: 'urn:epcglobal:cbv:btt:', words: BIZ_TRANSACTIONS },
  sourceDestination: { web: `${CBV}SDT-`, urn: 'urn:epcglobal:cbv:sdt:', words: SOURCES },
  measurement: { web: GS1, words: MEASUREMENTS },
  alert: { web: GS1, words: ALERTS },
  component: { web: `${CBV}Comp-`, words: COMPONENTS },
};

/** gs1: and cbv: as prefixes of values stand for the same URIs in every document. */
function expandStandard(value: string): string {
  if (value.startsWith('cbv:')) return CBV + value.slice(4);
  if (value.startsWith('gs1:')) return GS1 + value.slice(4);
  return value;
}

/** The canonical URI; undefined for a bare word that the vocabulary doesn't have. A URI of someone else is canonical. */
export function cbvUri(kind: CbvKind, value: string): string | undefined {
  const { web, urn, words } = VOCABULARIES[kind];
  if (!value.includes(':')) return words.has(value) ? web + value : undefined;
  if (urn !== undefined && value.startsWith(urn)) return web + value.slice(urn.length);
  const expanded = expandStandard(value);
  return web === GS1 ? expanded.replace(/^https?:\/\/(?:www\.|ref\.)?gs1\.org\/voc\//, GS1) : expanded;
}

/** The bare word of a canonical URI, as JSON writes it; the URI itself where the vocabulary has no such word. */
export function cbvWord(kind: CbvKind, uri: string): string {
  const { web, words } = VOCABULARIES[kind];
  const word = uri.startsWith(web) ? uri.slice(web.length) : '';
  return words.has(word) ? word : uri;
}

/** The URN of a canonical URI, as 1.x writes it; the URI itself where there is none. */
export function cbvUrn(kind: CbvKind, uri: string): string {
  const { web, urn } = VOCABULARIES[kind];
  return urn !== undefined && uri.startsWith(web) ? urn + uri.slice(web.length) : uri;
}

/** Any spelling of any vocabulary's value, for values whose vocabulary isn't known (hashing): URNs and CURIEs only. */
export function cbvValue(value: string): string {
  if (value.startsWith('urn:epcglobal:cbv:')) {
    for (const { web, urn } of Object.values(VOCABULARIES)) {
      if (urn !== undefined && value.startsWith(urn)) return web + value.slice(urn.length);
    }
  }
  return expandStandard(value);
}
