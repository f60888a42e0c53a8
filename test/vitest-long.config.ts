import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import short from "./vitest.config.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Files of which `npm test` runs only a part: they import the size from `support/extent.ts`, or the registers or databases from a list that does. */
const SIZED = /\/support\/extent\.ts"|\bTRIED_(REGISTERS|DATABASES)\b/;
const inBothLengths = globSync("test/**/*.test.ts", { cwd: ROOT }).filter(
  (path) => !path.endsWith(".long.test.ts") && SIZED.test(readFileSync(`${ROOT}/${path}`, "utf8")),
);

// The tests start programs and browsers, several at a time. A limit is there to end what hangs.
const long = mergeConfig(short, defineConfig({ test: { env: { TEST_EXTENT: "long" }, testTimeout: 240_000, hookTimeout: 240_000 } }));
// Merging would join these two lists with those of the other configuration, so they are set here.
export default {
  ...long,
  test: { ...long.test, include: ["test/**/*.long.test.ts", ...inBothLengths], exclude: ["**/node_modules/**"] },
};
