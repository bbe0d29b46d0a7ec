// A small XML document as a tree: SOAP envelopes and nothing larger. No document type, so no entities; depth is capped.
import { SaxesParser } from 'saxes';
import { EpcisException } from '../../domain/exceptions.ts';
import { trimmed } from '../../domain/white-space.ts';
import { ownTurn } from '../../turns/own-turn.ts';

const DEEPEST = 64;
/** Of a message: those of one element are read on end. */
const MOST_ATTRIBUTES = 1_000;

export interface Element {
  readonly namespace: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly children: readonly Element[];
  /** Its own character data, without the white space around it. */
  readonly text: string;
}

interface Attribute {
  readonly namespace: string;
  readonly name: string;
  readonly value: string;
}

interface Open {
  readonly namespace: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly children: Element[];
  text: string;
}

/** That are read in a unit of work (service/question-turns.ts). */
const CHARACTERS = 200;
/** That are read at once. */
const TOGETHER = 8_192;

/** A long one in pieces, between which others have their turn. */
export async function parseElement(xml: string): Promise<Element> {
  const spend = ownTurn();
  const reader = elementReader();
  for (let from = 0; from < xml.length; from += TOGETHER) {
    const piece = xml.slice(from, from + TOGETHER);
    await spend(piece.length / CHARACTERS);
    reader.write(piece);
  }
  return reader.end();
}

function elementReader(): { write(xml: string): void; end(): Element } {
  const parser = new SaxesParser({ xmlns: true });
  const root: Open = { namespace: '', name: '', attributes: [], children: [], text: '' };
  const path: Open[] = [root];
  const fail = (reason: string): never => {
    throw new EpcisException('ValidationException', reason, `line ${parser.line}`);
  };
  parser.on('error', (error) => fail(`The XML is not well-formed: ${error.message.replace(/^[^ ]*: /, '')}`));
  parser.on('doctype', () => fail('A document type declaration is not allowed'));
  let attributes = 0;
  parser.on('attribute', () => {
    if (++attributes > MOST_ATTRIBUTES) fail(`The message has more than ${MOST_ATTRIBUTES} attributes`);
  });
  parser.on('opentag', (tag) => {
    if (path.length > DEEPEST) fail(`The XML is nested more than ${DEEPEST} elements deep`);
    const attributes = Object.values(tag.attributes).map(({ uri, local, value }) => {
      return { namespace: uri, name: local, value };
    });
    const element: Open = { namespace: tag.uri, name: tag.local, attributes, children: [], text: '' };
    path.at(-1)?.children.push(element);
    path.push(element);
  });
  const addText = (text: string) => {
    const element = path.at(-1);
    if (element !== undefined) element.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const element = path.pop();
    if (element !== undefined) element.text = trimmed(element.text);
  });
  return {
    write: (xml) => void parser.write(xml),
    end() {
      parser.close();
      return root.children[0] ?? fail('The document is empty');
    },
  };
}

/** The first child of that name, whatever its namespace: the schemas leave inner elements unqualified, toolkits do not always. */
export function child(element: Element, name: string): Element | undefined {
  return element.children.find((candidate) => candidate.name === name);
}

export function childText(element: Element, name: string): string | undefined {
  return child(element, name)?.text;
}
