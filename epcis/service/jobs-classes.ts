// Classes of capture jobs: whose turn it is by how important a job is and how long it has waited.
//   turn = created + place of its class × promoteAfter
// Worked: promoteAfter 300 s, three classes: a job of the third that was stored at 0 s is overtaken by those of the first that
// come within 600 s, and by none that comes later.

/** Matches when everything it names matches. Patterns are regular expressions, as those of the gateway's rules. */
export interface JobRule {
  readonly path?: string;
  readonly header?: { readonly name: string; readonly value: string };
  /** Pattern of the client's name where access is on, else of its address. */
  readonly client?: string;
  /** Documents of so many bytes and more. */
  readonly bytes?: number;
}

/** The first class is the most important. Where the rules of several match, a job belongs to the least important of them. */
export interface JobClass {
  readonly name: string;
  /** Any of these; a class without rules takes what no other class matches. */
  readonly rules?: readonly JobRule[];
}

/** What rules may ask about the request that a document came with. */
export interface JobOrigin {
  readonly path: string;
  readonly client: string;
  header(name: string): string | undefined;
}

export interface JobPlace {
  /** Absent where there are no classes. */
  readonly name?: string;
  /** Ms that it waits for longer than one of the first class. */
  readonly wait: number;
}

export type Classify = (origin: JobOrigin | undefined, bytes: number) => JobPlace;

export function classify(classes: readonly JobClass[], promoteAfterMs: number): Classify {
  const compiled = classes.map(({ rules }) => rules?.map(compile));
  const rest = Math.max(0, compiled.indexOf(undefined));
  return (origin, bytes) => {
    const matched = compiled.findLastIndex((rules) => rules?.some((rule) => rule(origin ?? NOBODY, bytes)));
    const at = matched < 0 ? rest : matched;
    const name = classes[at]?.name;
    return { wait: at * promoteAfterMs, ...(name !== undefined && { name }) };
  };
}

/** Of what can wait: in the least important class. */
export function lastPlace(classes: readonly JobClass[], promoteAfterMs: number): JobPlace {
  const name = classes.at(-1)?.name;
  return { wait: Math.max(0, classes.length - 1) * promoteAfterMs, ...(name !== undefined && { name }) };
}

const NOBODY: JobOrigin = { path: '', client: '', header: () => undefined };

type Matches = (origin: JobOrigin, bytes: number) => boolean;

function compile({ path, header, client, bytes: least }: JobRule): Matches {
  const pattern = (text: string | undefined) => (text === undefined ? undefined : new RegExp(text));
  const [ofPath, ofHeader, ofClient] = [path, header?.value, client].map(pattern);
  const holds = (regex: RegExp | undefined, value: string | undefined) => regex?.test(value ?? '') ?? true;
  return (origin, bytes) =>
    bytes >= (least ?? 0) &&
    holds(ofPath, origin.path) &&
    holds(ofClient, origin.client) &&
    holds(ofHeader, header && origin.header(header.name.toLowerCase()));
}
