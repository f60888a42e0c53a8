import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const SUPPORT = join(import.meta.dirname, "../../support");
/** The option of `npm start`, and one with which a program can collect its garbage before it measures. */
const OPTIONS = ["--max-semi-space-size=8", "--expose-gc"];
/**
 * The largest number of bytes that may be kept. Finished requests may survive two quick collections, and the heap's
 * pages are not always full.
 */
const MOST_KEPT_BYTES = 8 * 1024 * 1024;
/** The largest number of bytes by which a long request may enlarge its idle connection: a tenth of the request. */
const MOST_KEPT_BYTES_A_CONNECTION = 1_500;

/** The largest number of bytes of garbage in a process with the options of `npm start`. */
function mostGarbage(...words: string[]): Promise<number> {
  return numberOf("garbage.ts", ...words);
}

async function numberOf(program: string, ...words: string[]): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [...OPTIONS, join(SUPPORT, program), ...words]);
  return Number(stdout);
}

it("a crowded server keeps less than half the garbage, and as much as before once the crowd has gone", async () => {
  const [plain, crowded, after] = await Promise.all([mostGarbage(), mostGarbage("crowded"), mostGarbage("crowded", "gone")]);
  expect(crowded).toBeLessThan(plain / 2);
  expect(after).toBeGreaterThan(crowded * 2);
});

it("a flood of requests that nobody has proved leaves no finished requests to the rare collections of the whole heap", async () => {
  expect(await numberOf("finished-requests.ts")).toBeLessThan(MOST_KEPT_BYTES);
});

it.each([
  ["long address", [15_000, 0]],
  ["long header", [0, 15_000]],
  ["long address and a long header", [7_000, 7_000]],
] as const)("an idle connection does not hold the %s of its last request", async (_what, [address, header]) => {
  const [long, short] = await Promise.all([
    numberOf("idle-connections.ts", `${address}`, `${header}`),
    numberOf("idle-connections.ts", "0", "0"),
  ]);
  expect(long - short).toBeLessThan(MOST_KEPT_BYTES_A_CONNECTION);
});
