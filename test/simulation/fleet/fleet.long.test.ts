import { describe, expect, it } from "vitest";
import { missingProgram } from "../../support/missing-program.ts";
import { reportOf, runFleet } from "./run-fleet.ts";

const SEED = 3;
const MINUTES = 1;
/** Starts of a dozen programs and ten seconds an answer at worst, on a machine that runs other tests beside. */
const LIMIT_MS = 600_000;
const missing = missingProgram("haproxy");

describe("two servers behind the proxy of the compose file", () => {
  it.skipIf(missing !== undefined)(
    `lose nothing and double nothing while each is killed, paused, cut off and updated${missing ?? ""}`,
    { timeout: LIMIT_MS },
    async () => {
      const run = await runFleet({ minutes: MINUTES, seed: SEED, versions: [] });
      const { ok, lines } = reportOf(run, SEED);
      expect(lines.slice(0, -4)).toEqual([]);
      expect(ok).toBe(true);
      expect(run.strikes.size).toBeGreaterThanOrEqual(3);
      expect(run.documents).toBeGreaterThan(50);
    },
  );
});
