/** Files, or folders, and what each of them imports. Imports of types count too. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** Groups whose members all lead to one another: the strongly connected components with more than one node (Tarjan). */
export function circlesIn(graph: ImportGraph): string[][] {
  const circles: string[][] = [];
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const onPath = new Set<string>();
  const visit = (node: string): number => {
    const number = numbers.size;
    numbers.set(node, number);
    path.push(node);
    onPath.add(node);
    let low = number;
    for (const next of graph.get(node) ?? []) {
      if (!numbers.has(next)) low = Math.min(low, visit(next));
      else if (onPath.has(next)) low = Math.min(low, numbers.get(next) ?? low);
    }
    lowest.set(node, low);
    if (low === number) {
      const circle = path.splice(path.indexOf(node));
      for (const member of circle) onPath.delete(member);
      if (circle.length > 1) circles.push(circle.sort());
    }
    return low;
  };
  for (const node of graph.keys()) if (!numbers.has(node)) visit(node);
  return circles;
}

/** For each folder the graph of its direct content: its own files, and its subfolders (`name/`), each with everything below it. */
export function siblingGraphs(files: ImportGraph): ReadonlyMap<string, ImportGraph> {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const [file, imported] of files) {
    for (const folder of foldersAbove(file)) {
      const graph = graphs.get(folder) ?? new Map<string, Set<string>>();
      graphs.set(folder, graph);
      const own = childOf(folder, file);
      const targets = graph.get(own) ?? new Set<string>();
      graph.set(own, targets);
      for (const target of imported) {
        const other = target.startsWith(`${folder}/`) ? childOf(folder, target) : own;
        if (other !== own) targets.add(other);
      }
    }
  }
  return graphs;
}

/** Folders that themselves hold more files than that, with the number. */
export function crowdedFolders(files: Iterable<string>, most: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf("/"));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return new Map([...counts].filter(([, count]) => count > most));
}

/** The folders above a file: for `a/b/c.ts` they are `a/b` and `a`. */
function foldersAbove(file: string): string[] {
  const parts = file.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function childOf(folder: string, file: string): string {
  const rest = file.slice(folder.length + 1);
  const slash = rest.indexOf("/");
  return `${folder}/${slash < 0 ? rest : rest.slice(0, slash + 1)}`;
}
