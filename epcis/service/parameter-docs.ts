// PARAMETERS.md, from the registry: a test keeps the file current.
import { MASTER_DATA_RULES } from './master-data-query.ts';
import { EVENT_RULES } from './parameters.ts';

interface Documented {
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
}

export function parameterDocs(): string {
  return `# Query parameters

Written from the parameter registry (\`service/parameters.ts\`) by \`service/parameter-docs.ts\`; a test fails when it is not current.

All parameters of a query must hold; of a list, one value must. An empty value is no parameter. A name given twice, an
unknown name or a value of the wrong type is a QueryParameterException.

| type | value |
| --- | --- |
| list | one or more texts; in REST separated by \`\\|\` |
| time | a date and time, ISO 8601; without an offset it is UTC |
| number | a decimal number |
| text | one text |
| void | none; REST also takes \`true\`, and \`false\` for no parameter |
| boolean | \`true\` or \`false\` |

_field_ is \`namespaceURI#localName\` (in REST also a CURIE), \`#localName\` for a field without a namespace.

## SimpleEventQuery

${table(EVENT_RULES)}

## SimpleMasterDataQuery

${table(MASTER_DATA_RULES)}
`;
}

function table(rules: readonly Documented[]): string {
  const rows = rules.map(({ name, type, meaning }) => `| ${code(name)} | ${type} | ${escape(meaning)} |`);
  return ['| parameter | type | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** `EQ_`_field_: what varies stands outside the code. */
function code(name: string): string {
  return name
    .split(/(\*[^*]+\*)/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('*') ? emphasis(part) : `\`${part}\``))
    .join('');
}

function escape(text: string): string {
  return emphasis(text.replaceAll('|', '\\|'));
}

function emphasis(text: string): string {
  return text.replace(/\*(\w+)\*/g, '_$1_');
}
