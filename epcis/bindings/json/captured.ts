// An event as it is captured: read, with its hash, and with its text standing alone.
import { expandEvent } from '../../domain/curies.ts';
import { mayCarry, tooLarge } from '../../domain/document-limits.ts';
import type { CapturedEvent, EpcisEvent } from '../../domain/event.ts';
import { hashing, type Sha256 } from '../../domain/hash.ts';
import { LARGE_ITEM, type InPieces } from '../../domain/in-pieces.ts';
import { ownPrefixes, withinContext, type Prefixes } from './context.ts';
import type { DeclaredContext } from './declared.ts';
import { readJsonEvent } from './read-event.ts';
import { selfContained } from './source.ts';
import { standingAlone } from './stamp.ts';
import { below, type JsonValue } from './value.ts';
import { writeJsonEvent } from './write-event.ts';

interface Surroundings {
  readonly prefixes: Prefixes;
  readonly context: DeclaredContext | undefined;
  readonly sha256: Sha256;
  readonly ignore?: ReadonlySet<string>;
  /** From the GS1-Extensions header. */
  readonly extensions: Prefixes;
  readonly pointer: string;
}

export function* readCaptured(
  text: string,
  value: JsonValue & { kind: 'object' },
  around: Surroundings,
): InPieces<CapturedEvent> {
  const own = value.members.find(({ key }) => key === '@context');
  const inner = withinContext(own, around.prefixes, below(around.pointer, '@context'));
  const event = readJsonEvent(value, inner, around.pointer);
  const isLarge = text.length > LARGE_ITEM;
  if (isLarge) yield;
  const whole = expandEvent(event, ownPrefixes(inner), text.length);
  if (isLarge) yield;
  const alone = selfContained(text, value, around.context, around.extensions) ?? writtenAnew(whole, text.length);
  if (isLarge) yield;
  const hash = yield* hashing(event, around.sha256, around.ignore === undefined ? {} : { ignore: around.ignore });
  return { event: whole, hash, source: { format: 'json', text: alone } };
}

/** For an event that would have more of its document's context with it than it may. */
function writtenAnew(event: EpcisEvent, size: number): string {
  const text = standingAlone(writeJsonEvent(event));
  if (text.length > size + mayCarry(size))
    throw tooLarge('what stands here is short, and its namespaces stand for more than allowed', mayCarry(size));
  return text;
}
