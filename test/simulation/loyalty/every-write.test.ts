import { afterAll, beforeAll, expect, it } from "vitest";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../../support/databases.ts";
import { EXTENT, extent, spread } from "../../support/extent.ts";
import { DEEDS } from "./deeds.ts";
import { attempt } from "./every-write.ts";
import { LoyaltyStorage } from "./storage.ts";

/** At how many awaits and statements of one deed a process dies when not all are tried. The first and the last are among them. */
const TRIED = extent({ short: 4, long: 8 });
/** The same number for a deed that takes a second. */
const TRIED_OF_LARGE = 3;
const TOLD = EXTENT === "long" ? DEEDS : DEEDS.filter(({ isLarge }) => isLarge !== true);
/** Two databases in the long run, one in the short one. */
const KINDS = DATABASE_KINDS.filter(({ title }) => title === "SQLite in memory" || (EXTENT === "long" && title === "PostgreSQL"));

for (const kind of KINDS)
  describeDatabase("a process that dies between two writes of loyalty", kind, () => {
    let database: TestDatabase;
    let storage: LoyaltyStorage;

    beforeAll(async () => {
      database = await kind.make();
      const store = await database.open();
      await store.migrate();
      storage = new LoyaltyStorage(store);
    });

    afterAll(() => database.drop());

    it.each(TOLD)("leaves nothing half done and nothing done twice: $title", { timeout: 600_000 }, async (deed) => {
      const whole = await attempt(storage, deed, undefined);
      expect(whole).toMatchObject({ hasDied: false, findings: [] });
      // A deed is at least a transaction with two writes, so it has more awaits than this.
      expect(whole.awaits).toBeGreaterThan(4);
      const places = Array.from({ length: whole.awaits }, (_, index) => index + 1);
      const isSampled = EXTENT === "short" || kind.shared;
      const tried = deed.isLarge === true ? spread(places, TRIED_OF_LARGE) : isSampled ? spread(places, TRIED) : places;
      for (const at of tried) {
        for (const fate of ["die-before", "die-after"] as const) {
          const { hasDied, findings, stored } = await attempt(storage, deed, { kind: "at", await: at, fate, again: 1 + (at % 7) });
          const place = `await ${at}, ${fate}`;
          expect(hasDied, place).toBe(true);
          expect(findings, place).toEqual([]);
          expect(stored, place).toEqual(whole.stored);
        }
      }
    });

    it("would be noticed where the writes of a sale were not one transaction", async () => {
      const [sale] = DEEDS;
      const whole = await attempt(storage, sale ?? expect.fail(), undefined);
      const half = await attempt(storage, sale ?? expect.fail(), { kind: "at", await: whole.awaits - 4, fate: "die-before" }, true);
      expect(half.stored).not.toEqual(whole.stored);
    });
  });
