import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const SUPPORT = join(import.meta.dirname, "../support");
/** Two programs that run at the same time. */
const LIMIT_MS = 240_000;
/** A few thousand lines of explanations. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

interface Told {
  decided: unknown[];
  rows: { entries: unknown[]; moves: unknown[] };
  said: string[];
}

async function play(...options: string[]): Promise<Told> {
  const { stdout } = await promisify(execFile)(process.execPath, [...options, join(SUPPORT, "wording-scenario.ts")], {
    timeout: LIMIT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return JSON.parse(stdout);
}

describe("all texts of doubts, reasons and refusals, worded anew", () => {
  it("change nothing but what people read: rows, codes, statuses and what may be settled stay", { timeout: 2 * LIMIT_MS }, async () => {
    const [plain, anew] = await Promise.all([play(), play("--import", join(SUPPORT, "reworded.ts"))]);
    expect(anew.decided).toEqual(plain.decided);
    expect(anew.rows).toEqual(plain.rows);
    // The test sees something: hundreds of decisions and rows, and hardly a line that is worded as before.
    expect(Math.min(plain.decided.length, plain.rows.entries.length, plain.rows.moves.length)).toBeGreaterThan(150);
    expect(anew.said).toHaveLength(plain.said.length);
    const same = new Set(plain.said.filter((text, at) => text === anew.said[at]));
    expect(same.size).toBeLessThan(5);
  });
});
