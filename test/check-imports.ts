import { createRequire } from "node:module";
import { cruise, type ICruiseOptions, type ICruiseResult } from "dependency-cruiser";

/**
 * Checks the directions of imports. A tool that sees nothing finds nothing wrong, so seeing fewer
 * modules than there are is a failure as well: the floor is raised as the sources grow.
 */
const MIN_MODULES = 240;

type RuleSet = NonNullable<ICruiseOptions["ruleSet"]>;
const config = createRequire(import.meta.url)("../.dependency-cruiser.cjs") as RuleSet & { options: ICruiseOptions };
const { output } = await cruise(["src", "test"], {
  ...config.options,
  validate: true,
  ruleSet: { forbidden: config.forbidden ?? [] },
});
const { modules, summary } = output as ICruiseResult;
const ours = modules.filter(({ source }) => /^(src|test)\//.test(source));
const blind = ours.every(({ dependencies }) => dependencies.length === 0);

for (const { from, to, rule, cycle } of summary.violations) {
  const path = cycle === undefined ? to : cycle.map(({ name }) => name).join(" -> ");
  process.stderr.write(`${rule.name}: ${from} -> ${path}\n`);
}
if (ours.length < MIN_MODULES || blind) {
  process.stderr.write(`import check: only ${ours.length} modules seen, at least ${MIN_MODULES} expected\n`);
}
const ok = summary.violations.length === 0 && ours.length >= MIN_MODULES && !blind;
process.stdout.write(`${ours.length} modules, ${summary.violations.length} violations\n`);
process.exitCode = ok ? 0 : 1;
