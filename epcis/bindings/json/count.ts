// How much a JSON text says, before anything is made of it: a small text may be a very large tree.
import { isLongList, isSensorField, tooLarge, ValueCount, WORTH } from '../../domain/document-limits.ts';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a] as const;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
/** Where a sensor report's members stand: in an event, its list, one of its elements, its list and the report. */
const DEEPEST_SENSED = 5;

/** Refuses a value, an event for example, that holds more members and items than `limit`. Whether it is JSON is for the parser. */
export function checkValues(text: string, limit: number, pointer: string): void {
  const count = new ValueCount(limit);
  let depth = 0;
  let inList = false;
  let inSensors = false;
  let foreign = 0; // the depth of a member of sensor elements that is none of the standard's, while in it
  let [nameFrom, nameTo] = [0, 0]; // of the last string
  const add = (worth?: number): void => {
    if (!count.add(worth)) throw tooLarge(`${pointer || 'the event'} holds more values than allowed`, limit);
  };
  const worth = (): number => {
    if (inList && depth === 2) return WORTH.listed;
    return inSensors && foreign === 0 && depth <= DEEPEST_SENSED ? WORTH.sensed : WORTH.any;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      nameFrom = at + 1;
      nameTo = at = endOfString(text, nameFrom);
    } else if (code === COMMA) {
      if (foreign === depth) foreign = 0;
      add(worth());
    } else if (code === COLON) {
      if (!inSensors || foreign !== 0 || isSensorField(text.slice(nameFrom, nameTo))) continue;
      foreign = depth;
      add(WORTH.any - WORTH.sensed);
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth === 2) {
        const name = text.slice(nameFrom, nameTo);
        inList = code === OPEN_BRACKET && isLongList(name);
        inSensors = code === OPEN_BRACKET && name === 'sensorElementList';
      }
      add(worth());
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (foreign === depth) foreign = 0;
      if (--depth === 1) inSensors = false;
    }
  }
}

/** Of the quote. */
function endOfString(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code !== QUOTE && at < text.length; code = text.charCodeAt(++at))
    if (code === BACKSLASH) at++;
  return at;
}
