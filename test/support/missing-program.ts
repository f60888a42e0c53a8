import { spawnSync } from "node:child_process";

/**
 * Why a test that needs a program is skipped, for the test's title. Undefined: the test runs. With REQUIRE_ALL=1 it always runs, and fails
 * without the program.
 */
export function missingProgram(name: string): string | undefined {
  if (process.env.REQUIRE_ALL === "1") return undefined;
  return spawnSync(name, ["--version"], { stdio: "ignore" }).error === undefined ? undefined : ` (skipped: ${name} is not installed)`;
}
