import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { COMPILE_CACHE } from "./support/compile-cache.ts";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    // A test that needs longer says so itself and why.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Left to itself Vitest keeps one of two cores for its own process, which has little to do: the tests would take twice as long.
    maxWorkers: 2,
    // No module of ours has state (style.md), so one file's tests see nothing of another's: the sources are loaded once
    // a worker and not once a file, which was a quarter of the time of all tests.
    isolate: false,
    // For every program that tests start, and the programs that those start.
    env: COMPILE_CACHE,
  },
});
