import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Exports of the sources, as `file name`. */
export interface UnusedExports {
  /** Exports that nobody imports. They need no `export`. */
  byNobody: string[];
  /** Exports that only tests import, and that their own file does not use either. */
  byTestsAlone: string[];
}

const IMPORT = /(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*\s+as\s+\w+|\*|\w+)\s+from\s+"(\.[^"]+)"/g;
const DYNAMIC_IMPORT = /import\("(\.[^"]+)"\)/g;
const EXPORT = /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;
/** A module that is imported as a whole: any of its exports may be used. */
const ALL = "*";

/** Reads every file in the folders `src` and `test` of the root. */
export function unusedExports(root: string): UnusedExports {
  const files = new Map(globSync("{src,test}/**/*.ts", { cwd: root }).map((file) => [file, readFileSync(join(root, file), "utf8")]));
  const imported = { src: importsIn(files, "src/"), test: importsIn(files, "test/") };
  const found: UnusedExports = { byNobody: [], byTestsAlone: [] };
  for (const [file, text] of files) {
    if (!file.startsWith("src/")) continue;
    for (const [, name = ""] of text.matchAll(EXPORT)) {
      if (isImported(imported.src, file, name)) continue;
      if (!isImported(imported.test, file, name)) found.byNobody.push(`${file} ${name}`);
      else if (timesIn(text, name) === 1) found.byTestsAlone.push(`${file} ${name}`);
    }
  }
  return found;
}

function importsIn(files: ReadonlyMap<string, string>, folder: string): Map<string, Set<string>> {
  const imported = new Map<string, Set<string>>();
  const add = (from: string, to: string, names: readonly string[]) => {
    const file = normalize(join(dirname(from), to));
    imported.set(file, new Set([...(imported.get(file) ?? []), ...names]));
  };
  for (const [file, text] of files) {
    if (!file.startsWith(folder)) continue;
    for (const [, what = "", to = ""] of text.matchAll(IMPORT)) add(file, to, what.startsWith("{") ? namesIn(what) : [ALL]);
    for (const [, to = ""] of text.matchAll(DYNAMIC_IMPORT)) add(file, to, [ALL]);
  }
  return imported;
}

/** The names in `{ type Row as Line, rowOf }`: `Row`, `rowOf`. */
function namesIn(braces: string): string[] {
  const parts = braces.slice(1, -1).split(",");
  return parts.map((part) =>
    part
      .trim()
      .replace(/^type /, "")
      .replace(/ as \w+$/, ""),
  );
}

function isImported(imported: ReadonlyMap<string, ReadonlySet<string>>, file: string, name: string): boolean {
  const names = imported.get(file);
  return names !== undefined && (names.has(ALL) || names.has(name));
}

function timesIn(text: string, name: string): number {
  return [...text.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length;
}
