import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { LONGEST } from "./support/longest.ts";

const ROOT = join(import.meta.dirname, "..");
const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 70;
/**
 * Fewer than these mean that the walk lost its way, and every rule below would hold of nothing: nine tenths of what is there.
 */
const MIN_FILES = 1_368;
const MIN_TITLES = 2_900;

interface Source {
  path: string;
  text: string;
  tree: ts.SourceFile;
  /** All of the tree, walked once: two dozen rules look at each node. */
  nodes: readonly ts.Node[];
}

function sourcesBelow(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => {
      const path = relative(ROOT, join(entry.parentPath, entry.name));
      const text = readFileSync(join(ROOT, path), "utf8");
      const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      return { path, text, tree, nodes: nodesOf(tree) };
    });
}

/** From the top of the file to its end. */
function nodesOf(tree: ts.SourceFile): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node) => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return nodes;
}

const src = sourcesBelow("src");
const tests = sourcesBelow("test");
const all = [...src, ...tests];

/** `path:line` of every node that matches. */
function found(sources: readonly Source[], matches: (node: ts.Node, source: Source) => boolean): string[] {
  return sources.flatMap((source) =>
    source.nodes.filter((node) => matches(node, source)).map((node) => `${source.path}:${lineOf(source, node.getStart())}`),
  );
}

function lineOf(source: Source, position: number): number {
  return source.tree.getLineAndCharacterOfPosition(position).line + 1;
}

function except(sources: readonly Source[], ...paths: string[]): Source[] {
  return sources.filter(({ path }) => !paths.some((allowed) => path.startsWith(allowed)));
}

/** `Date.now`, `vi.mock`: an access by its written name. */
function isAccess(node: ts.Node, ...names: string[]): boolean {
  // Its last name first: to write out every access of all sources takes seconds.
  if (!ts.isPropertyAccessExpression(node) || !names.some((name) => name.endsWith(`.${node.name.text}`))) return false;
  return names.includes(node.getText());
}

function isUseOf(node: ts.Node, ...names: string[]): boolean {
  if (!ts.isIdentifier(node) || !names.includes(node.text)) return false;
  const { parent } = node;
  return !((ts.isPropertyAccessExpression(parent) || ts.isMethodDeclaration(parent)) && parent.name === node);
}

/** A collection that begins empty and may be changed. */
function isFilledLater({ initializer, type }: ts.VariableDeclaration): boolean {
  if (initializer === undefined || /^Readonly/.test(type?.getText() ?? "")) return false;
  if (ts.isNewExpression(initializer)) {
    const isEmpty = (initializer.arguments?.length ?? 0) === 0;
    return isEmpty && /^(Map|Set|WeakMap|WeakSet)$/.test(initializer.expression.getText());
  }
  return ts.isArrayLiteralExpression(initializer) && initializer.elements.length === 0 && !/^readonly /.test(type?.getText() ?? "");
}

describe("the sources", () => {
  it("are all seen", () => {
    expect(all.length).toBeGreaterThan(MIN_FILES);
  });

  it("are files of at most 400 lines", () => {
    const long = all.filter(({ text }) => text.split("\n").length - 1 > MAX_FILE_LINES);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it("are functions of at most 70 lines", () => {
    const long = found(src, (node, source) => {
      if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return false;
      return lineOf(source, node.getEnd()) - lineOf(source, node.getStart()) + 1 > MAX_FUNCTION_LINES;
    });
    expect(long).toEqual([]);
  });

  it("are named in kebab-case after their noun", () => {
    const odd = all.filter(({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.long)?(\.test|\.config|\.bench)?\.ts$/.test(basename(path)));
    const empty = all.filter(({ path }) => /(^|[/-])(utils?|helpers?|common|managers?|misc)(\.|\/|-)/.test(path));
    expect([...odd, ...empty].map(({ path }) => path)).toEqual([]);
  });

  it("wait and ask for the hour only through the clock", () => {
    const stray = found(
      except(src, "src/kernel/clock.ts"),
      (node) =>
        isUseOf(node, "setTimeout", "setInterval") ||
        isAccess(node, "Date.now", "performance.now", "process.hrtime") ||
        (ts.isNewExpression(node) && node.expression.getText() === "Date" && (node.arguments?.length ?? 0) === 0) ||
        (ts.isStringLiteral(node) && /^(node:)?timers(\/promises)?$/.test(node.text)),
    );
    expect(stray).toEqual([]);
  });

  it("leave chance to the clock's file, but for a cipher's own", () => {
    // A nonce must be true chance even where everything else is played from a seed.
    const stray = found(
      except(src, "src/kernel/clock.ts", "src/security/seal.ts"),
      (node) => isAccess(node, "Math.random") || isUseOf(node, "randomBytes", "randomUUID", "randomInt", "randomFillSync"),
    );
    expect(stray).toEqual([]);
  });

  it("have neither any nor casts through unknown", () => {
    const loose = found(
      all,
      (node) =>
        node.kind === ts.SyntaxKind.AnyKeyword ||
        (ts.isAsExpression(node) && ts.isAsExpression(node.expression)) ||
        ts.isNonNullExpression(node),
    );
    expect(loose).toEqual([]);
  });

  it("export by name", () => {
    const defaults = found(
      all.filter(({ path }) => !path.endsWith(".config.ts")),
      (node) =>
        ts.isExportAssignment(node) ||
        (node.kind === ts.SyntaxKind.DefaultKeyword && (ts.isFunctionDeclaration(node.parent) || ts.isClassDeclaration(node.parent))),
    );
    expect(defaults).toEqual([]);
  });

  it("read lists that end at their first fault, and texts' normal forms in time", () => {
    // What a register's examination has found is written only, never read.
    const lists = found(except(src, "src/kernel/list-schema.ts", "src/registers/examination-schema.ts"), (node) =>
      isAccess(node, "z.array", "z.set", "z.map"),
    );
    const forms = found(
      except(src, "src/kernel/normal-form.ts"),
      (node) => ts.isPropertyAccessExpression(node) && node.name.text === "normalize",
    );
    expect([...lists, ...forms]).toEqual([]);
  });

  it("decide without Russian words: those are made where a person reads them", () => {
    const deciding = src.filter(({ path }) => /^src\/(operator|operations|journal)\//.test(path));
    const spoken = found(deciding, (node) => (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) && /[А-Яа-яЁё]/.test(node.text));
    expect(spoken).toEqual([]);
  });

  it("keep no state in a module", () => {
    // Answers that are always the same may be kept: what a time zone says, what a schema's lists are bounded by, what migrations make.
    const sources = except(src, "src/kernel/moment.ts", "src/kernel/list-schema.ts", "src/store/shape.ts");
    const stray = sources.flatMap((source) =>
      source.tree.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => {
        const isFixed = (declarationList.flags & ts.NodeFlags.Const) !== 0;
        const changing = declarationList.declarations.filter((one) => !isFixed || isFilledLater(one));
        return changing.map((one) => `${source.path}:${lineOf(source, one.getStart())}`);
      }),
    );
    expect(stray).toEqual([]);
  });

  it("swallow no error silently", () => {
    const silent = found(all, (node) => ts.isCatchClause(node) && node.block.statements.length === 0);
    const ignored = found(
      all,
      (node) =>
        ts.isCallExpression(node) &&
        ts.isPropertyAccessExpression(node.expression) &&
        node.expression.name.text === "catch" &&
        node.arguments.some((handler) => ts.isArrowFunction(handler) && ts.isBlock(handler.body) && handler.body.statements.length === 0),
    );
    expect([...silent, ...ignored]).toEqual([]);
  });
});

describe("the tests", () => {
  it("mock no module of ours", () => {
    expect(found(tests, (node) => isAccess(node, "vi.mock", "vi.doMock", "vi.spyOn", "vi.stubGlobal", "vi.useFakeTimers"))).toEqual([]);
  });

  it("never sleep", () => {
    expect(
      found(
        tests,
        (node) => ts.isStringLiteral(node) && /^(node:)?timers\/promises$/.test(node.text) && ts.isImportDeclaration(node.parent),
      ),
    ).toEqual([]);
    expect(found(tests, (node) => isUseOf(node, "setTimeout", "setInterval") && ts.isCallExpression(node.parent))).toEqual([]);
  });

  it("are there under the names by which the longest are begun first", () => {
    const paths = new Set(tests.map(({ path }) => path));
    expect(LONGEST.filter((name) => !paths.has(`test/${name}`))).toEqual([]);
    expect(new Set(LONGEST).size).toBe(LONGEST.length);
  });

  it("have titles of their own", () => {
    const titles = new Map<string, string[]>();
    for (const source of tests.filter(({ path }) => path.endsWith(".test.ts"))) {
      for (const title of titlesIn(source.tree, "")) titles.set(title, [...(titles.get(title) ?? []), source.path]);
    }
    const repeated = [...titles].filter(([, paths]) => paths.length > 1).map(([title, paths]) => `${title}: ${paths.join(", ")}`);
    expect(repeated).toEqual([]);
    expect(titles.size).toBeGreaterThan(MIN_TITLES);
  });
});

/** Titles of all tests below, each after the titles of the groups round it. */
function titlesIn(node: ts.Node, group: string): string[] {
  const call = ts.isCallExpression(node) ? titleOf(node) : undefined;
  if (call?.kind === "test") return [`${group}${call.title}`];
  const inside = call?.kind === "group" ? `${group}${call.title} ` : group;
  const titles: string[] = [];
  ts.forEachChild(node, (child) => void titles.push(...titlesIn(child, inside)));
  return titles;
}

/** `it("…")`, `it.each([…])("…")`, `describe.skipIf(…)("…")`. */
function titleOf(call: ts.CallExpression): { kind: "test" | "group"; title: string } | undefined {
  const [title] = call.arguments;
  if (title === undefined || !(ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) return undefined;
  const name = /^(it|test|describe)\b/.exec(call.expression.getText())?.[1];
  if (name === undefined) return undefined;
  return { kind: name === "describe" ? "group" : "test", title: ts.isStringLiteralLike(title) ? title.text : title.getText() };
}
