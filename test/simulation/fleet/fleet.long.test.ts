import { describe, expect, it } from "vitest";
import { missingProgram } from "../../support/missing-program.ts";
import { reportOf, runFleet } from "./run-fleet.ts";

const SEED = 3;
const MINUTES = 1;
/** A dozen programs start, and an answer takes ten seconds at worst. The machine runs other tests at the same time. */
const LIMIT_MS = 600_000;
const missing = missingProgram("haproxy");

describe("two servers behind the proxy of the compose file", () => {
  it.skipIf(missing !== undefined)(
    `lose nothing and double nothing while each is killed, paused, cut off and updated, and the database is switched to its standby${missing ?? ""}`,
    { timeout: LIMIT_MS },
    async () => {
      const run = await runFleet({ minutes: MINUTES, seed: SEED, versions: [], standby: true });
      const { ok, lines } = reportOf(run, SEED);
      expect(lines.slice(0, -4)).toEqual([]);
      expect(ok).toBe(true);
      expect(run.strikes.size).toBeGreaterThanOrEqual(3);
      expect(run.strikes.get("primary lost")).toBe(1);
      expect(run.documents).toBeGreaterThan(50);
    },
  );
});
