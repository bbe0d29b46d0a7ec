// The text form of a mix: "poll=50,rest=30,capture-xml=20".
import { REQUEST_CLASSES, type Mix, type RequestClass } from './mix.ts';
import { OptionError } from './option-error.ts';

/** Throws an OptionError. */
export function parseMix(text: string): Mix {
  const mix: Partial<Record<RequestClass, number>> = {};
  for (const part of text.split(',')) {
    const [name = '', weight = '1'] = part.split('=').map((side) => side.trim());
    if (!isRequestClass(name)) {
      throw new OptionError(
        `The mix names an unknown class of requests, "${name}"; there are: ${REQUEST_CLASSES.join(', ')}.`,
      );
    }
    if (!/^\d+([.]\d+)?$/.test(weight))
      throw new OptionError(`The mix gives ${name} the weight "${weight}", not a number of 0 or more.`);
    mix[name] = Number(weight);
  }
  if (Object.values(mix).every((weight) => weight === 0))
    throw new OptionError('The mix gives every class the weight 0.');
  return mix;
}

function isRequestClass(name: string): name is RequestClass {
  return (REQUEST_CLASSES as readonly string[]).includes(name);
}
