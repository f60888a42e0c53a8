import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import short from "./vitest.config.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What a file names that `npm test` runs to a part: its size comes from `support/extent.ts`, or its registers from a list that does. */
const SIZED = /\/support\/extent\.ts"|\bTRIED_REGISTERS\b/;
const inBothLengths = globSync("test/**/*.test.ts", { cwd: ROOT }).filter(
  (path) => !path.endsWith(".long.test.ts") && SIZED.test(readFileSync(`${ROOT}/${path}`, "utf8")),
);

const long = mergeConfig(short, defineConfig({ test: { env: { TEST_EXTENT: "long" } } }));
// Merging adds lists to each other, and these two stand for themselves.
export default {
  ...long,
  test: { ...long.test, include: ["test/**/*.long.test.ts", ...inBothLengths], exclude: ["**/node_modules/**"] },
};
