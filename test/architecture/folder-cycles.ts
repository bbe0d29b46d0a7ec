// No cycle between folders, each with its own files only. dependency-cruiser's scope "folder" takes a folder with all that is
// below it, and so reports `src` and `opennebula`, of which parts use each other's types without any cycle.
import { dirname } from 'node:path';

export interface Module {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string }[];
}

/** Folder → folder that it imports → one import that says so. */
type Graph = Map<string, Map<string, string>>;

/** Each cycle as the imports that it consists of, type-only ones included; one for each folder that a search comes back to. */
export function folderCycles(modules: readonly Module[]): readonly (readonly string[])[] {
  const graph = graphOf(modules);
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (folder: string, path: readonly string[]): void => {
    const at = path.indexOf(folder);
    if (at >= 0) {
      const round = [...path.slice(at), folder];
      cycles.push(round.slice(1).map((to, i) => graph.get(round[i] ?? '')?.get(to) ?? ''));
    } else if (!done.has(folder)) {
      for (const to of graph.get(folder)?.keys() ?? []) visit(to, [...path, folder]);
      done.add(folder);
    }
  };
  for (const folder of graph.keys()) visit(folder, []);
  return cycles;
}

function graphOf(modules: readonly Module[]): Graph {
  const read = new Set(modules.map(({ source }) => source));
  const graph: Graph = new Map();
  for (const { source, dependencies } of modules)
    for (const { resolved } of dependencies) {
      const [from, to] = [dirname(source), dirname(resolved)];
      if (from === to || !read.has(resolved) || resolved.includes('node_modules/')) continue;
      const imports = graph.get(from) ?? new Map<string, string>();
      graph.set(from, imports.set(to, `${source} → ${resolved}`));
    }
  return graph;
}
