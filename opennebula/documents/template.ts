// OpenNebula's template language, as far as we write it: attributes, and a CONTEXT that adds to the template's own.
import { MmeliotError } from '../../src/errors.ts';
import type { XmlElement } from './xml-rpc.ts';

/** `NAME="value"`. Inside quotes only \" is an escape; what the language cannot carry is refused. */
export function attribute(name: string, value: string): string {
  if (!/^[A-Z0-9_]+$/.test(name))
    throw new MmeliotError('CONFIG_INVALID', `"${name}" is no OpenNebula attribute name; use A–Z, 0–9 and _.`);
  if (value.endsWith('\\') || value.includes(']]>'))
    throw new MmeliotError(
      'CONFIG_INVALID',
      `OpenNebula cannot carry the value of ${name}: it ends with a backslash or holds "]]>".`,
    );
  return `${name}="${value.replaceAll('"', '\\"')}"`;
}

/** `NAME=[ A="1", B="2" ]` */
export function vector(name: string, values: ReadonlyMap<string, string>): string {
  return `${name}=[\n  ${[...values].map(([key, value]) => attribute(key, value)).join(',\n  ')} ]`;
}

/** These survive OpenNebula's parser, its $-substitution and the VM's shell unchanged. */
const PLAIN = /^[\w.:/@%+=?&,-]*$/;

/** A context variable: as it is where that is safe, else as NAME_BASE64, which the VM's context script decodes. */
export function contextVariable(name: string, value: string): readonly [string, string] {
  return PLAIN.test(value) ? [name, value] : [`${name}_BASE64`, Buffer.from(value, 'utf8').toString('base64')];
}

const SHORTEST_LITERAL = 6;
/** OpenNebula's own, and those of ours that no VM keeps to itself. */
const NO_SECRET = /^(ETH\d+_|MMELIOT_(?!SECRET|NODE|REPOSITORY))/;
const SAYS_SECRET = /PASS|PWD|SECRET|TOKEN|KEY|CREDENTIAL|AUTH/i;

/**
 * What somebody wrote into a CONTEXT that may be a secret: anything but the $-references in it, which he has to see where
 * one is wrong. Short words (YES, hda) stand in many a sentence: where no name says secret, they are one as `NAME=hda` only.
 */
export function literalsOf(context: XmlElement | undefined): readonly string[] {
  const telling = (context?.children ?? []).filter(({ name }) => !NO_SECRET.test(name));
  return telling.flatMap(({ name, text }) => {
    const literals = text.split(/\$\w+\[[^\]]*\]?/).filter((literal) => literal.trim() !== '');
    const hidden = literals.flatMap(
      (literal) =>
        SAYS_SECRET.test(name) || literal.length >= SHORTEST_LITERAL
          ? literal
          : [`${name}=${literal}`, `${name}="${literal}"`], // as OpenNebula writes it, and as people do
    );
    return [...hidden, ...passwordsIn(text)];
  });
}

/** Of `://user:password@`. What stands before each @ is looked through once. */
const passwordsIn = (text: string): readonly string[] =>
  text
    .split(/\s+/)
    .flatMap((word) => word.split('@').slice(0, -1))
    .flatMap((before) => /:\/\/[^:/]*:(.*)$/.exec(before)?.[1] ?? []);

/**
 * The whole CONTEXT for one VM. `instantiate` replaces the template's CONTEXT, so the template's own variables
 * (SSH keys, NETWORK, …) are written again, ours over them; $-references in the template's own stay references.
 */
export function mergeContext(
  templateContext: XmlElement | undefined,
  own: Readonly<Record<string, string>>,
  references: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const merged = new Map(templateContext?.children.map((variable) => [variable.name, variable.text]));
  for (const [name, value] of Object.entries(own)) {
    merged.delete(name);
    merged.delete(`${name}_BASE64`);
    merged.set(...contextVariable(name, value));
  }
  for (const [name, reference] of Object.entries(references)) merged.set(name, reference);
  return merged;
}
