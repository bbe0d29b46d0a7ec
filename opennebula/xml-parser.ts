// Text → elements. Untrusted text: no doctype (so no entities), a cap on depth (saxes is quadratic in it).
import { SaxesParser } from 'saxes';
import { XmlRpcError, type XmlElement } from './documents/xml-rpc.ts';

const MAX_DEPTH = 64;

/**
 * What XML 1.0 cannot carry, as it is or by its number. A driver's message or a user's attribute may hold it all the same (the colours of a
 * terminal), and one such VM in a pool must not hide all others.
 */
const NO_XML =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcef]|1[0-9a-f]));/gi;

interface Open {
  readonly name: string;
  text: string;
  readonly children: XmlElement[];
}

export function parseXml(source: string): XmlElement {
  const parser = new SaxesParser();
  const open: Open[] = [];
  let root: XmlElement | undefined;
  const add = (text: string): void => {
    const top = open.at(-1);
    if (top) top.text += text;
  };

  parser.on('error', (error) => {
    throw new XmlRpcError(`The XML is broken: ${error.message.replace(/^\d+:\d+: /, '')}`);
  });
  parser.on('doctype', () => {
    throw new XmlRpcError('XML with a DOCTYPE is refused.');
  });
  parser.on('opentag', ({ name }) => {
    if (open.length === MAX_DEPTH) throw new XmlRpcError(`The XML is nested more than ${MAX_DEPTH} levels deep.`);
    open.push({ name, text: '', children: [] });
  });
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => {
    const element = open.pop();
    if (!element) return;
    const parent = open.at(-1);
    if (parent) parent.children.push(element);
    else root = element;
  });

  // a byte order mark or empty lines before the XML declaration are no XML, and no reason to see no VM
  parser.write(source.trimStart().replaceAll(NO_XML, '')).close();
  if (!root) throw new XmlRpcError('The XML document is empty.');
  return root;
}
