// The OpenAPI document as a page for people: no script, nothing from elsewhere.
import { xmlText } from '../http/xml-text.ts';
import type { Described, DescribedOperation } from './document.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
summary { cursor: pointer; padding: .3rem 0 } summary code { font-size: 1rem }
b { display: inline-block; min-width: 4.5rem } details { border-top: 1px solid #8886 }
table { border-collapse: collapse; margin: .5rem 0 1rem } td, th { padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top }
td { overflow-wrap: anywhere }`;

/** The policy under which the page works: its own style, and nothing else. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function page(described: Described, links: Readonly<Record<string, string>>): string {
  const { paths, components, servers } = described as Described & Components;
  const prefix = servers[0]?.url.replace(/\/$/, '') ?? '';
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(`${prefix}${path}`, method, operation, components)),
  );
  const anchors = Object.entries(links).map(([name, href]) => `<a href="${xmlText(href)}">${xmlText(name)}</a>`);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>EPCIS: the interface of this service</title><style>${STYLE}</style>
<h1>EPCIS: the interface of this service</h1>
<p>For programs: ${anchors.join(', ')}. The answers are JSON, JSON-LD or XML, by <code>Accept</code>.</p>
${operations.join('\n')}
</html>
`;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
}

interface Components {
  readonly servers: readonly { readonly url: string }[];
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

function section(path: string, method: string, operation: DescribedOperation, of: Components['components']): string {
  const { summary, parameters, responses } = operation;
  const given = parameters.map((each) =>
    '$ref' in each ? of.parameters[String(each.$ref).split('/').at(-1) ?? ''] : (each as Parameter),
  );
  const rows = given.map((each) => [
    `<code>${xmlText(each?.name ?? '')}</code>`,
    each?.in ?? '',
    xmlText(each?.description ?? ''),
  ]);
  const answers = Object.entries(responses).map(([status, { description }]) => [status, xmlText(description)]);
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${xmlText(path)}</code> ${xmlText(summary)}</summary>
${table(['parameter', 'in', 'meaning'], rows)}
${table(['status', 'meaning'], answers)}</details>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return rows.length === 0 ? '' : `<table>${line(head, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`;
}
