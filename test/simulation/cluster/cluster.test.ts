import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore, type Store } from "../../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../../support/databases.ts";
import { EXTENT, extent } from "../../support/extent.ts";
import { type ClusterMutation, playCluster } from "./play.ts";
import { shadowed } from "./shared-database.ts";

/** The number of seeds. `npm run simulate -- --part cluster` makes more. */
const SEEDS = EXTENT === "long" ? 6 : 1;
const LASTING_MS = extent({ short: 20_000, long: 60_000 });
const LIMIT_MS = 300_000;

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("three processes of a cluster", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      await (await database.open()).migrate();
      store = await openStore(shadowed(database.options));
    });
    afterAll(async () => {
      await store.close();
      await database.drop();
    });

    it.each(Array.from({ length: SEEDS }, (_, at) => at + 1))(
      "never send between the commands of another, whatever is paused, cut off or switched (seed %i)",
      { timeout: LIMIT_MS },
      async (seed) => {
        const run = await playCluster({ store, seed, lastingMs: LASTING_MS });
        expect(run.broken).toBeUndefined();
        expect(run.documents).toBeGreaterThan(extent({ short: 15, long: 50 }));
        expect(run.changes).toBeGreaterThan(extent({ short: 0, long: 2 }));
      },
    );

    it.each<ClusterMutation>(["clock"])("break the promise without the question of the %s", { timeout: LIMIT_MS }, async (mutation) => {
      const broken: string[] = [];
      for (let seed = 1; seed <= 8 && broken.length === 0; seed += 1) {
        const run = await playCluster({ store, seed, lastingMs: LASTING_MS, mutation });
        if (run.broken !== undefined) broken.push(run.broken);
      }
      expect(broken[0]).toMatch(/sends under token \d+ after/);
    });
  });
}
