import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readAtMost, readFileAtMost } from "../../../../src/kernel/files/bounded-read.ts";
import { temporaryFolder } from "../../../support/server-process.ts";

const MOST = 200_000;

describe("reading with a bound", () => {
  it("returns everything up to the bound", async () => {
    const bytes = Buffer.alloc(MOST, "a");
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, bytes);
    expect(readFileAtMost(file, MOST)?.equals(bytes)).toBe(true);
    expect(readFileAtMost(file, MOST - 1)).toBeUndefined();
    expect((await readAtMost(Readable.from([bytes]), MOST))?.equals(bytes)).toBe(true);
    expect(await readAtMost(Readable.from([bytes]), MOST - 1)).toBeUndefined();
    expect(readFileAtMost("/dev/null", MOST)?.length).toBe(0);
  });

  it("ends at a device that never ends", () => {
    expect(readFileAtMost("/dev/zero", MOST)).toBeUndefined();
  });
});
