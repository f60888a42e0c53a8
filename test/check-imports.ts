import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { cruise, type ICruiseOptions, type ICruiseResult } from "dependency-cruiser";
import { circlesIn, crowdedFolders, type ImportGraph, siblingGraphs } from "./support/import-graph.ts";
import { unusedExports } from "./support/unused-exports.ts";

/**
 * Checks the directions of imports. A tool that sees no modules finds no fault, so it is a failure too when fewer than
 * nine tenths of the known modules are seen.
 */
const MIN_MODULES = 1_368;

/** Folders in which cyclic imports are still allowed. An entry must go when its cycle is gone. */
const WITH_CIRCLES: readonly string[] = [];

/** The largest number of files in one folder. A larger folder must be divided, or its reason must be given here. */
const MAX_FOLDER_FILES = 25;
const CROWDED: ReadonlyMap<string, string> = new Map([
  ["src/cli", "one file a command"],
  ["src/platform/entities", "one file an entity type of the platform"],
  ["test/bench", "one file a part; the first word of its name says which rows it serves"],
  ["test/conformance", "one file a theme; the first word of its name says what is examined"],
  ["test/contract/sandbox", "one file a theme or chapter of the reference"],
  ["test/support", "one file a tool; the first word of its name says whom it serves"],
]);

/** Exports that only tests import and that their own file does not use. They are kept for later use. */
const KEPT_EXPORTS: ReadonlyMap<string, string> = new Map([
  ["src/platform/", "the client of the JSON API serves solutions to come: QR payment, loyalty, pages"],
  ["src/app/config.ts", "the example of the environment is checked against the variables"],
]);

type RuleSet = NonNullable<ICruiseOptions["ruleSet"]>;
const config = createRequire(import.meta.url)("../.dependency-cruiser.cjs") as RuleSet & {
  options: ICruiseOptions;
  layers: { standing: readonly string[]; planned: readonly string[] };
};
const { output } = await cruise(["src", "test"], {
  ...config.options,
  validate: true,
  ruleSet: { forbidden: config.forbidden ?? [] },
});
const { modules, summary } = output as ICruiseResult;
const ours = modules.filter(({ source }) => isOurs(source));
const imports: ImportGraph = new Map(
  ours.map(({ source, dependencies }) => [source, new Set(dependencies.map(({ resolved }) => resolved).filter(isOurs))]),
);

const findings = [
  ...summary.violations.map(({ from, to, rule, cycle }) => {
    const path = cycle === undefined ? to : cycle.map(({ name }) => name).join(" -> ");
    return `${rule.name}: ${from} -> ${path}`;
  }),
  ...seenEnough(),
  ...circles(),
  ...crowded(),
  ...layers(),
  ...unused(),
];
for (const finding of findings) process.stderr.write(`${finding}\n`);
process.stdout.write(`${ours.length} modules, ${findings.length} violations\n`);
process.exitCode = findings.length === 0 ? 0 : 1;

function isOurs(path: string): boolean {
  return /^(src|test)\//.test(path);
}

function seenEnough(): string[] {
  const blind = [...imports.values()].every(({ size }) => size === 0);
  return ours.length < MIN_MODULES || blind ? [`import check: only ${ours.length} modules seen, at least ${MIN_MODULES} expected`] : [];
}

/** Cyclic imports of files, and of folders beside each other (with the files beside them). An imported type counts like everything else. */
function circles(): string[] {
  const found = [
    ...circlesIn(imports).map((members) => ({ kind: "files", members })),
    ...[...siblingGraphs(imports).values()]
      .flatMap(circlesIn)
      .filter((members) => members.some((each) => each.endsWith("/")))
      .map((members) => ({ kind: "folders", members })),
  ];
  const within = (folder: string, { members }: { members: readonly string[] }) => members.every((each) => each.startsWith(`${folder}/`));
  return [
    ...found
      .filter((circle) => !WITH_CIRCLES.some((folder) => within(folder, circle)))
      .map(({ kind, members }) => `circle of ${kind}: ${members.join(", ")}`),
    ...unneeded(WITH_CIRCLES, (folder) => found.some((circle) => within(folder, circle)), "has no circle any more"),
  ];
}

function crowded(): string[] {
  const found = crowdedFolders(imports.keys(), MAX_FOLDER_FILES);
  return [
    ...[...found]
      .filter(([folder]) => !CROWDED.has(folder))
      .map(([folder, count]) => `crowded folder: ${folder} has ${count} files; more than ${MAX_FOLDER_FILES} want rooms, or a reason`),
    ...unneeded(CROWDED.keys(), (folder) => found.has(folder), "is not crowded any more"),
  ];
}

/** A layer without a folder checks nothing. Only planned layers may have none. */
function layers(): string[] {
  const { standing, planned } = config.layers;
  return [
    ...standing.filter((layer) => !existsSync(`src/${layer}`)).map((layer) => `layer: src/${layer} is not there`),
    ...unneeded(planned, (layer) => !existsSync(`src/${layer}`), "is planned no more, it is there"),
  ];
}

function unused(): string[] {
  const { byNobody, byTestsAlone } = unusedExports(process.cwd());
  const isKept = (one: string) => [...KEPT_EXPORTS.keys()].some((path) => one.startsWith(path));
  return [
    ...byNobody.map((one) => `unused export: ${one} is imported by nobody`),
    ...byTestsAlone.filter((one) => !isKept(one)).map((one) => `unused export: ${one} is imported by tests alone`),
    ...unneeded(KEPT_EXPORTS.keys(), (path) => byTestsAlone.some((one) => one.startsWith(path)), "keeps no export any more"),
  ];
}

function unneeded(exceptions: Iterable<string>, isNeeded: (exception: string) => boolean, words: string): string[] {
  return [...exceptions].filter((exception) => !isNeeded(exception)).map((exception) => `needless exception: ${exception} ${words}`);
}
