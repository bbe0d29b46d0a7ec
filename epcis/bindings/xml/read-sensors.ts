// Sensor elements: XML writes their fields as attributes.
import { METADATA_FIELDS, REPORT_FIELDS, type SensorValueKind } from '../../domain/sensor-shape.ts';
import { isStandardNamespace } from '../../domain/namespaces.ts';
import { collapsed } from '../../domain/white-space.ts';
import { readFields } from './read-fields.ts';
import { readName } from './names.ts';
import { elementsOf, invalid, XSI, type XmlElement } from './tree.ts';
import { checkNumber, checkTime, checkUri, checkWord } from './read-values.ts';
import type { Field, SensorElement, SensorMetadata, SensorReport } from '../../domain/event.ts';

export function readSensorElements(element: XmlElement): readonly SensorElement[] {
  return elementsOf(element).map(readSensorElement);
}

function readSensorElement(element: XmlElement): SensorElement {
  if (element.name !== 'sensorElement' || element.namespace !== '') {
    throw invalid('unknown', `sensorElementList holds ${element.name}, not sensorElement`, element);
  }
  let sensorMetadata: SensorMetadata | undefined;
  const sensorReport: SensorReport[] = [];
  const foreign: XmlElement[] = [];
  for (const child of elementsOf(element)) {
    if (child.namespace !== '') foreign.push(child);
    else if (child.name === 'sensorMetadata' && sensorMetadata === undefined && sensorReport.length === 0) {
      sensorMetadata = readAttributed(child, METADATA_FIELDS);
    } else if (child.name === 'sensorReport' && foreign.length === 0) {
      sensorReport.push(readAttributed(child, REPORT_FIELDS));
    } else if (child.name === 'extension') foreign.push(...elementsOf(child));
    else throw invalid('unknown', `${child.name} is unknown or out of order in sensorElement`, child);
  }
  if (sensorReport.length === 0) throw invalid('required', 'sensorElement lacks sensorReport', element);
  const extensions = readFields(foreign, 'sensorElement');
  return {
    ...(sensorMetadata === undefined ? {} : { sensorMetadata }),
    sensorReport,
    ...(extensions.length === 0 ? {} : { extensions }),
  };
}

/** Attributes of the standard by their kind; others, and any child elements, are extensions. */
function readAttributed(element: XmlElement, kinds: Readonly<Record<string, SensorValueKind>>): object {
  const fields = new Map<string, string | number | boolean>();
  const extensions: Field[] = [];
  for (const attribute of element.attributes) {
    const { namespace, name, prefix, value } = attribute;
    if (namespace === '' && Object.hasOwn(kinds, name)) {
      fields.set(name, readSensorValue(kinds[name] ?? 'string', value, name, element));
      continue;
    }
    if (namespace === XSI) continue;
    // as in JSON: what is misspelt would be a value that nobody finds
    if (namespace === '' || isStandardNamespace(namespace))
      throw invalid(
        'unknown',
        `${element.name} has the attribute ${name}, which is none of the standard's and has no namespace of its own`,
        element,
      );
    extensions.push({ namespace, name: readName(name), prefix, value });
  }
  extensions.push(...readFields(elementsOf(element), element.name));
  return { ...Object.fromEntries(fields), ...(extensions.length === 0 ? {} : { extensions }) };
}

function readSensorValue(kind: SensorValueKind, raw: string, name: string, at: XmlElement): string | number | boolean {
  if (kind === 'string') return raw;
  const text = collapsed(raw);
  if (typeof kind === 'object') return checkWord(kind.word, text, `${name} of ${at.name}`, at);
  switch (kind) {
    case 'time':
      return checkTime(text, name, at);
    case 'number':
      return checkNumber(text, name, at);
    case 'boolean':
      if (!/^(?:true|false|0|1)$/.test(text)) throw invalid('type', `${name} ‘${text}’ is neither true nor false`, at);
      return text === 'true' || text === '1';
    case 'hex':
      if (!/^(?:[0-9A-Fa-f]{2})+$/.test(text)) throw invalid('type', `${name} ‘${text}’ is not hexadecimal`, at);
      return text;
    case 'uri':
      return checkUri(text, name, at);
  }
}
