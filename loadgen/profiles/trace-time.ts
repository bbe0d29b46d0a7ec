// Times as traces have them. Strict, since a time that is read as another one makes another trace: what could be meant in
// two ways (10.04.2014, 04/10/2014) is none.
import type { Millis } from '../../src/model.ts';

/** Java writes the zone's name behind the offset, which says it all. */
const FORM =
  /^(\d{4})([-/])(\d\d?)\2(\d\d?)(?:[T ]+(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?\s*(?:(Z|UTC|GMT)|([+-])(\d\d):?(\d\d)?(?:\[\w+(?:[/+-]\w+)*\])?)?$/i;
/** ISO 8601 without its marks: 20140410T000400Z. */
const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)?((?:[.,]\d+)?(?:Z|[+-]\d\d:?(?:\d\d)?)?)$/i;

/** And without a T: 20240301, 2024030123, 202403012359; or 20240301 23:59. As seconds since 1970 or thousandths of them these lie in 1976, after 2033, or after 2600. */
const DIGITS =
  /^(20\d\d|19\d\d(?!\d{6}$))(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:([01]\d|2[0-3])(?:([0-5]\d)([0-5]\d)?)?)?(?=$|[ T]+\d\d?:)/;

/** Numbers from each of these on are seconds since 1970 (September 2001), milliseconds, microseconds, nanoseconds; and none any more. */
const SINCE_1970 = [1e9, 1e11, 1e14, 1e17, 1e20];
const NUMBER = /^(\d{10,}([.]\d+)?|\d[.]\d+e[+]?\d\d?)$/i;

/** "2014-04-10 00:04:00" or ISO 8601, with any number of decimals, UTC unless it says otherwise; or seconds since 1970, or thousandths of them and so on. */
export function timeOf(text: string): Millis | undefined {
  if (NUMBER.test(text) && !DIGITS.test(text)) {
    const number = Number(text);
    const unit = SINCE_1970.findLastIndex((least) => number >= least);
    return unit < 0 || unit === SINCE_1970.length - 1 ? undefined : number / 1000 ** (unit - 1);
  }
  const found = FORM.exec(
    text
      .replace(BASIC, (_, y, m, d, h, min, s = '00', rest) => `${y}-${m}-${d}T${h}:${min}:${s}${rest}`)
      .replace(
        DIGITS,
        (_, y, m, d, h, min = '00', s = '00') => `${y}-${m}-${d}${h === undefined ? '' : `T${h}:${min}:${s}`}`,
      ),
  );
  if (found === null) return undefined;
  const [, year, , month, day, hour = 0, minute = 0, second = 0, decimals = '', , sign, hours = 0, minutes = 0] = found;
  const [y, m, d, h, min, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const at = Date.UTC(y, m - 1, d, h, min, s) + Math.floor(Number(`0.${decimals}0`) * 1000);
  const date = new Date(Date.UTC(y, m - 1, d));
  if (date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d || h > 24 || min > 59 || s > 60) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === undefined ? at : sign === '+' ? at - offset : at + offset;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** In a line of a web server's log (the common log format): `[01/Jul/1995:00:00:01 -0400]`. */
export function timeInLog(line: string): Millis | undefined {
  const found = /\[(\d\d)\/([A-Za-z]{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})\]/.exec(line);
  if (found === null) return undefined;
  const [, day, month = '', year, time, offset] = found;
  return timeOf(`${year}-${MONTHS.indexOf(month.toLowerCase()) + 1}-${day}T${time}${offset}`);
}
