import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const PROGRAM = join(import.meta.dirname, "../../support/garbage.ts");

/** Bytes of garbage that a process with the options of `npm start` holds at the most. */
async function mostGarbage(...words: string[]): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--max-semi-space-size=8", "--expose-gc", PROGRAM, ...words]);
  return Number(stdout);
}

it("a crowded server keeps less than half the garbage, and as much as before once the crowd has gone", async () => {
  const [plain, crowded, after] = await Promise.all([mostGarbage(), mostGarbage("crowded"), mostGarbage("crowded", "gone")]);
  expect(crowded).toBeLessThan(plain / 2);
  expect(after).toBeGreaterThan(crowded * 2);
});
