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
    // Proofs that `npm run test:long` makes; each has a short sister here.
    exclude: ["**/node_modules/**", "test/**/*.long.test.ts"],
    // A test that needs longer says so itself and why.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Left to itself Vitest keeps one of two cores for its own process, which has little to do: the tests would take twice as long.
    maxWorkers: 2,
    // Tests of one file that stand beside each other have programs of their own: more than a few begun at once begin slowly.
    maxConcurrency: 3,
    sequence: { sequencer: LongestFirst },
    // No module of ours has state (style.md), so one file's tests see nothing of another's: the sources are loaded once
    // a worker and not once a file, which was a quarter of the time of all tests.
    isolate: false,
    // For every program that tests start, and the programs that those start.
    env: COMPILE_CACHE,
  },
});
