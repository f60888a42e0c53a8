import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    // A test that needs longer says so itself and why.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Left to itself Vitest keeps one of two cores for its own process, which has little to do: the tests would take twice as long.
    maxWorkers: 2,
  },
});
