import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../../support/databases.ts";
import { EXTENT, extent } from "../../support/extent.ts";
import { playLoyaltyMonth } from "./month.ts";
import { LOYALTY_MUTATIONS, type LoyaltyMutation } from "./mutation.ts";
import { simulateLoyalty } from "./simulate.ts";
import { LoyaltyStorage } from "./storage.ts";

/** The number of seeds. Each decides a storm. `npm run simulate -- --part loyalty` makes thousands of runs. */
const SEEDS = extent({ short: 2, long: 8 });
/** Seeds with two processes. They are few, because each run waits for the real database. */
const SEEDS_OF_POSTGRES = [2, 7];
/** The largest number of seeds before the absence of a safeguard is noticed. */
const SEEDS_TO_FIND_A_MUTATION = 40;
/** Safeguards whose absence is noticed with the first seeds. */
const SOON_FOUND: readonly LoyaltyMutation[] = ["expiry-at-read", "one-transaction"];
const TRIED = EXTENT === "long" ? LOYALTY_MUTATIONS : SOON_FOUND;
/** `npm run simulate -- --part loyalty --month` plays a hundred thousand receipts of thirty days. */
const MONTH = { seed: 1, receipts: extent({ short: 200, long: 500 }), days: extent({ short: 2, long: 8 }) };
const TIMEOUT_MS = extent({ short: 120_000, long: 900_000 });
const SHORT = { tills: 2, operations: 8 };

describe("the simulation of loyalty", () => {
  let storage: LoyaltyStorage;
  beforeAll(async () => {
    storage = await LoyaltyStorage.open();
  });
  afterAll(() => storage.close());

  it(
    `keeps every promise about points in ${SEEDS} runs of deaths, lost answers and passing days`,
    async () => {
      for (let seed = 1; seed <= SEEDS; seed += 1)
        expect((await simulateLoyalty(storage, { seed })).broken, `seed ${seed}`).toBeUndefined();
    },
    TIMEOUT_MS,
  );

  it.each(TRIED)(
    "finds out that a safeguard of loyalty is missing: %s",
    async (mutation) => {
      let found = false;
      for (let seed = 1; seed <= SEEDS_TO_FIND_A_MUTATION && !found; seed += 1)
        found = (await simulateLoyalty(storage, { seed, mutation })).broken !== undefined;
      expect(found).toBe(true);
    },
    TIMEOUT_MS,
  );

  it(
    "plays the same trade with points again from the same seed",
    async () => {
      const run = { seed: 11, ...SHORT };
      expect(await simulateLoyalty(storage, run)).toEqual(await simulateLoyalty(storage, run));
    },
    TIMEOUT_MS,
  );
});

for (const kind of DATABASE_KINDS.filter(({ title }) => title === "PostgreSQL" && EXTENT === "long"))
  describeDatabase("the simulation of loyalty with statements of two processes between one another", kind, () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await kind.make();
    });
    afterAll(() => database.drop());

    it(
      "keeps every promise about points",
      async () => {
        const store = await database.open();
        await store.migrate();
        const storage = new LoyaltyStorage(store);
        for (const seed of SEEDS_OF_POSTGRES) expect((await simulateLoyalty(storage, { seed })).broken, `seed ${seed}`).toBeUndefined();
      },
      TIMEOUT_MS,
    );
  });

describe("days of generated trade with points", () => {
  it(
    `end after ${MONTH.receipts} receipts with every account equal to the recount, and an altered row is named`,
    async () => {
      const { broken, sales, returns, deaths } = await playLoyaltyMonth(MONTH);
      expect(broken).toBeUndefined();
      expect(sales + returns).toBeGreaterThanOrEqual(MONTH.receipts);
      expect(returns).toBeGreaterThan(0);
      expect(deaths).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
