import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const ENTRY = join(ROOT, "src/agent.ts");
const LIBRARIES = ["better-sqlite3", "pino", "serialport", "ws", "zod"];
const OURS = /^(src\/(agent\.ts$|(agent|kernel|model|registers)\/)|package\.json$)/;
/** The agent loads about 220 modules. A search that finds no more than this number is broken. */
const MIN_MODULES = 180;

interface Loaded {
  /** The files of this project, as paths from its root. */
  files: Set<string>;
  /** `file -> package`, for each package. */
  packages: Map<string, string>;
}

/** Everything that the program loads, at its start or later. Imports of types are left out, because Node erases them. */
function loadedFrom(entry: string): Loaded {
  const loaded: Loaded = { files: new Set(), packages: new Map() };
  const left = [entry];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    const path = relative(ROOT, file);
    if (loaded.files.has(path)) continue;
    loaded.files.add(path);
    if (!file.endsWith(".ts")) continue;
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith(".")) left.push(resolve(dirname(file), specifier));
      else if (!specifier.startsWith("node:")) loaded.packages.set(packageOf(specifier), path);
    }
  }
  return loaded;
}

function importsOf(file: string): string[] {
  const tree = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && !isTypeOnly(node)) found.push(textOf(node.moduleSpecifier));
    if (ts.isExportDeclaration(node) && !node.isTypeOnly && node.moduleSpecifier !== undefined) found.push(textOf(node.moduleSpecifier));
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) found.push(textOf(node.arguments[0]));
    if (ts.isCallExpression(node) && /^(require|createRequire)$/.test(node.expression.getText())) found.push(textOf(node.arguments[0]));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Node erases only `import type`. It keeps an import that names only types, and loads its module. */
function isTypeOnly({ importClause }: ts.ImportDeclaration): boolean {
  return importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

/** A computed specifier could name anything, so it is refused as a package of this name. */
function textOf(specifier: ts.Node | undefined): string {
  return specifier !== undefined && ts.isStringLiteralLike(specifier) ? specifier.text : `computed: ${specifier?.getText()}`;
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

it("the agent loads kernel, model and registers of ours, and five libraries", () => {
  const { files, packages } = loadedFrom(ENTRY);
  expect([...files].filter((file) => !OURS.test(file))).toEqual([]);
  expect([...packages.keys()].toSorted()).toEqual(LIBRARIES);
  expect(files.size).toBeGreaterThan(MIN_MODULES);
});

it("the walk over the agent's imports finds what a forbidden import would load", () => {
  const { files, packages } = loadedFrom(join(ROOT, "src/store/database.ts"));
  expect([...files].some((file) => !OURS.test(file))).toBe(true);
  expect(packages.has("kysely")).toBe(true);
});
