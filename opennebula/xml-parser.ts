// Text → elements. Untrusted text: no doctype (so no entities), a cap on depth (saxes is quadratic in it).
import { SaxesParser } from 'saxes';
import { XmlRpcError, type XmlElement } from './documents/xml-rpc.ts';

const MAX_DEPTH = 64;

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

  parser.write(source).close();
  if (!root) throw new XmlRpcError('The XML document is empty.');
  return root;
}
