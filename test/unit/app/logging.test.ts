import { closeSync, existsSync, openSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createLog, logOutput } from "../../../src/app/logging.ts";

/** A file of Linux that is always full. */
const FULL = "/dev/full";

describe("the log on a full disk", () => {
  it.runIf(existsSync(FULL))("ends nothing: its lines wait, and beyond the limit they are dropped", () => {
    const fd = openSync(FULL, "w");
    try {
      const log = createLog({ level: "info", destination: logOutput(fd) });
      const text = "x".repeat(1_000);
      for (let line = 0; line < 3_000; line += 1) expect(() => log.info({ line }, text)).not.toThrow();
    } finally {
      closeSync(fd);
    }
  });
});
