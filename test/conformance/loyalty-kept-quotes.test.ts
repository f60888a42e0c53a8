import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { KeptQuotes } from "../../src/loyalty/kept-quotes/kept-quotes.ts";
import type { QuoteRow } from "../../src/loyalty/kept-quotes/quote-queries.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../support/loyalty-bench.ts";

/** The trace of a quote by 200 rules has about so many characters. */
const LONG_TRACE = 12_000;

function quote(number: number, traceLength: number): QuoteRow {
  return {
    id: `quote-${number}`,
    app_id: LOYALTY_KEY.appId,
    account_id: LOYALTY_KEY.accountId,
    member_id: "member",
    inputs_hash: `inputs-${number}`,
    entry_number: number,
    programme_version: 1,
    spent: 0,
    earned: 1,
    needs_code: 0,
    trace: "x".repeat(traceLength),
    made_at_ms: number,
  };
}

for (const kind of TRIED_DATABASES)
  describeDatabase("quotes that wait to be stored", kind, () => {
    let database: TestDatabase;
    let store: Store;

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });

    afterAll(() => database.drop());

    beforeEach(() => store.commit((tx) => tx.deleteFrom("loyalty_quotes").execute()));

    /** Stores the quotes. Returns how many quotes each commit has added. */
    async function addedBy(quotes: readonly QuoteRow[]): Promise<number[]> {
      const { services } = await LoyaltyBench.open({ store });
      const totals = [0];
      const commit: Store["commit"] = async (work) => {
        const done = await store.commit(work);
        totals.push((await store.db.selectFrom("loyalty_quotes").select("id").execute()).length);
        return done;
      };
      const kept = new KeptQuotes({ ...services, store: { commit, read: (work) => store.read(work) } });
      for (const row of quotes) kept.keep(row);
      await kept.flush();
      return totals.slice(1).map((total, at) => total - (totals[at] ?? 0));
    }

    it("are stored fifty in a commit", async () => {
      expect(await addedBy(Array.from({ length: 120 }, (_, number) => quote(number, 100)))).toEqual([50, 50, 20]);
    });

    it("are stored few in a commit when their traces are long, and all are kept", async () => {
      const quotes = Array.from({ length: 20 }, (_, number) => quote(number, LONG_TRACE));
      expect(await addedBy(quotes)).toEqual([9, 9, 2]);
      expect(await store.db.selectFrom("loyalty_quotes").selectAll().orderBy("made_at_ms").execute()).toEqual(quotes);
    });
  });
