import { describe, expect, it } from "vitest";
import { MUTATIONS } from "./mutation.ts";
import { simulate } from "./simulate.ts";

const SEEDS = 300;
/** A safeguard that is missing shows in every second run or more; this many runs leave no doubt. */
const SEEDS_TO_FIND_A_MUTATION = 12;
const TIMEOUT_MS = 240_000;

describe("the simulation", () => {
  it(
    `finds nothing lost and nothing doubled in ${SEEDS} runs of deaths, power cuts and failing commits`,
    async () => {
      let deaths = 0;
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const { broken, ...run } = await simulate(seed);
        expect(broken, `seed ${seed}`).toBeUndefined();
        deaths += run.deaths;
      }
      expect(deaths).toBeGreaterThan(SEEDS);
    },
    TIMEOUT_MS,
  );

  it.each(MUTATIONS)(
    "finds out that a safeguard is missing: %s",
    async (mutation) => {
      let found = false;
      for (let seed = 1; seed <= SEEDS_TO_FIND_A_MUTATION && !found; seed += 1)
        found = (await simulate(seed, mutation)).broken !== undefined;
      expect(found).toBe(true);
    },
    TIMEOUT_MS,
  );

  it("runs the same again from the same seed", async () => {
    expect(await simulate(77)).toEqual(await simulate(77));
  });
});
