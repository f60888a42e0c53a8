import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { FAULT_NAMES } from "../../../src/registers/shtrih-m/device/machine/faults.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PLACE = join(ROOT, "src/operations");
/** The least number of rows. With fewer the tables were not found, and every rule below would be useless. */
const MIN_ROWS = 40;
/** The least length of a title. A shorter one may be the beginning of many. */
const SHORTEST_TITLE = 20;

interface Row {
  fault: string;
  does: string;
  cashier: string;
  operator: string;
  proof: string;
}

const page = readFileSync(join(PLACE, "faults.md"), "utf8");
const rows = page.split("\n").flatMap(rowOf);
const links = [...page.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title = "", path = ""]) => ({ title, path }));
const sources = textsBelow("src").join("\n");

describe("the catalogue of faults", () => {
  it("has a row with all of its cells for every fault that the device emulator knows", () => {
    expect(rows.length).toBeGreaterThanOrEqual(MIN_ROWS);
    expect(rows.filter((row) => Object.values(row).some((cell) => cell === "")).map(({ fault }) => fault)).toEqual([]);
    const named = rows.flatMap(({ fault }) => [...fault.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(FAULT_NAMES.filter((name) => !named.includes(name))).toEqual([]);
  });

  it("names for each fault a test that exists", () => {
    expect(rows.filter(({ proof }) => !/\]\([^)]+\.test\.ts\)/.test(proof)).map(({ fault }) => fault)).toEqual([]);
    const titlesOf = new Map(links.map(({ path }) => [path, [] as string[]]));
    for (const path of titlesOf.keys()) titlesOf.set(path, titlesIn(relative(ROOT, join(PLACE, path))));
    const missing = links.filter(({ title, path }) => {
      const titles = titlesOf.get(path) ?? [];
      return title.length < SHORTEST_TITLE || !titles.some((found) => found.startsWith(title));
    });
    expect(missing).toEqual([]);
  });

  it("quotes the till's words, the log and the metrics as they are", () => {
    const words = rows.flatMap(({ cashier }) => [...cashier.matchAll(/«([^»]+)»/g)].map(([, quoted = ""]) => quoted));
    expect(words.filter((quoted) => !sources.includes(quoted))).toEqual([]);
    const answers = new Set([...sources.matchAll(/\b(\d{3}),\s+(\d{5})\b/g)].map(([, status, code]) => `${status} ${code}`));
    const codes = [...page.matchAll(/`(\d{3} \d{5})`/g)].map(([, code = ""]) => code);
    expect(codes.length).toBeGreaterThan(MIN_ROWS / 2);
    expect(codes.filter((code) => !answers.has(code))).toEqual([]);
    const told = rows.flatMap(({ operator }) => [...operator.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text));
    const known = (text: string) => sources.includes(text) || sources.includes(text.replace(/^fiscal_register_/, ""));
    expect(told.filter((text) => !text.startsWith("journal ") && !known(text))).toEqual([]);
  });
});

function rowOf(line: string): Row[] {
  const cells = line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
  const [fault = "", does = "", cashier = "", operator = "", proof = ""] = cells;
  return cells.length !== 5 || fault === "Fault" || /^-+$/.test(fault) ? [] : [{ fault, does, cashier, operator, proof }];
}

function textsBelow(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}

/** The first arguments of `it(…)` and `it.each(…)(…)`. A title that is made of parts is taken as it is written. */
function titlesIn(path: string): string[] {
  const tree = ts.createSourceFile(path, readFileSync(join(ROOT, path), "utf8"), ts.ScriptTarget.Latest, true);
  const titles: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node) && /^it(Long)?\b/.test(node.expression.getText())) {
      const [title] = node.arguments;
      if (title !== undefined && ts.isStringLiteralLike(title)) titles.push(title.text);
      else if (title !== undefined && ts.isTemplateExpression(title)) titles.push(title.getText().slice(1));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return titles;
}
