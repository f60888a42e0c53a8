import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import short from "./vitest.config.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Files that `npm test` runs to a part, because they take their size from `support/extent.ts`. */
const inBothLengths = globSync("test/**/*.test.ts", { cwd: ROOT }).filter(
  (path) => !path.endsWith(".long.test.ts") && readFileSync(`${ROOT}/${path}`, "utf8").includes("/support/extent.ts"),
);

const long = mergeConfig(short, defineConfig({ test: { env: { TEST_EXTENT: "long" } } }));
// Merging adds lists to each other, and these two stand for themselves.
export default {
  ...long,
  test: { ...long.test, include: ["test/**/*.long.test.ts", ...inBothLengths], exclude: ["**/node_modules/**"] },
};
