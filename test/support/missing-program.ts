import { spawnSync } from "node:child_process";

/**
 * Why a test of a program that this machine may lack is skipped, for its title; undefined when it runs. With REQUIRE_ALL=1 it always runs,
 * and fails.
 */
export function missingProgram(name: string): string | undefined {
  if (process.env.REQUIRE_ALL === "1") return undefined;
  return spawnSync(name, ["--version"], { stdio: "ignore" }).error === undefined ? undefined : ` (skipped: ${name} is not installed)`;
}
