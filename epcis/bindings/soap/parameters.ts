// The arguments of Poll and Subscribe, read from their XML.
import { EpcisException } from '../../domain/exceptions.ts';
import type { QueryParameter } from '../../service/services.ts';
import type { Controls } from '../../service/subscriptions.ts';
import { child, childText, type Element } from './element.ts';
import type { Message } from './envelope.ts';

/**
 * A value is a list of strings, plain text, or empty (void). Its type is told by the parameter's name alone, so `xsi:type`
 * is neither needed nor believed.
 */
export function readParameters(operation: Element, generation: Message['generation'] = 1): QueryParameter[] {
  const entries = child(operation, 'params')?.children.filter(({ name }) => name === 'param') ?? [];
  return entries.map((entry) => {
    const name = childText(entry, 'name');
    if (name === undefined || name === '')
      throw new EpcisException('QueryParameterException', 'A parameter has no name.');
    const value = child(entry, 'value');
    if (value === undefined)
      throw new EpcisException('QueryParameterException', `The parameter '${name}' has no value.`);
    const values = valuesOf(value);
    if (generation === 1) checkWhole(name, values);
    return { name, values };
  });
}

/** In EPCIS 1.x a quantity counts pieces; 2.0 asks for amounts by the same name. */
function checkWhole(name: string, values: readonly string[]): void {
  const wrong = values.find((value) => /^(?:EQ|G[TE]|L[TE])_quantity$/.test(name) && !/^[+-]?\d+$/.test(value));
  if (wrong !== undefined)
    throw new EpcisException('QueryParameterException', `${name} takes a whole number, not '${wrong.slice(0, 60)}'.`);
}

function valuesOf(value: Element): string[] {
  const strings = value.children.filter(({ name }) => name === 'string').map(({ text }) => text);
  if (strings.length > 0 || value.text === '') return strings;
  return [value.text];
}

const SCHEDULE_FIELDS = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const;

export interface SubscriptionControls extends Controls {
  readonly initialRecordTime?: string;
  readonly reportIfEmpty: boolean;
}

export function readControls(operation: Element): SubscriptionControls {
  const controls = child(operation, 'controls');
  if (controls === undefined)
    throw wrong('A subscription needs controls: when to run, and whether to report when empty.');
  const schedule = child(controls, 'schedule');
  const trigger = childText(controls, 'trigger');
  const initialRecordTime = childText(controls, 'initialRecordTime');
  const report = childText(controls, 'reportIfEmpty') ?? 'false';
  if (!['true', 'false', '1', '0'].includes(report))
    throw wrong(`reportIfEmpty must be true or false, not '${report}'.`);
  const fields = SCHEDULE_FIELDS.flatMap((name) => {
    const text = schedule && childText(schedule, name);
    return text === undefined ? [] : [[name, text]];
  });
  return {
    reportIfEmpty: report === 'true' || report === '1',
    ...(schedule && { schedule: Object.fromEntries(fields) as Record<string, string> }),
    ...(trigger && { trigger }),
    ...(initialRecordTime && { initialRecordTime }),
  };
}

function wrong(reason: string): EpcisException {
  return new EpcisException('SubscriptionControlsException', reason);
}
