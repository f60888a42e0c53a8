import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { COMPILE_CACHE } from "./support/compile-cache.ts";
import { LONGEST } from "./support/longest.ts";

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [long, short]: [TestSpecification[], TestSpecification[]] = [[], []];
    for (const file of await super.sort(files)) (placeOf(file) === -1 ? short : long).push(file);
    return [...long.sort((a, b) => placeOf(a) - placeOf(b)), ...short];
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  return LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}`));
}

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    // Long tests, which `npm run test:long` runs. Each has a short form here.
    exclude: ["**/node_modules/**", "test/**/*.long.test.ts"],
    // A test that needs longer says so itself and why.
    testTimeout: 60_000,
    // A hook may start a sandbox, a server and a browser one after the other.
    hookTimeout: 120_000,
    // What is polled comes at once on a machine without other load. A test that states a time measures it.
    expect: { poll: { timeout: 15_000 } },
    // On two cores. Tests wait half of their time, for databases, devices and processes that end. By default Vitest would start one.
    maxWorkers: 4,
    // Concurrent tests of one file each start programs. More than a few that start at once start slowly.
    maxConcurrency: 3,
    sequence: { sequencer: LongestFirst },
    // No module of the project has state (style.md), so the tests of one file do not affect those of another. So the
    // sources are loaded once for each worker and not for each file, which took a quarter of the time of all tests.
    isolate: false,
    globalSetup: "test/support/all-schemas.ts",
    setupFiles: ["test/support/seeded-properties.ts"],
    // The compile cache for every program that tests start, and for the programs that those start.
    env: COMPILE_CACHE,
  },
});
