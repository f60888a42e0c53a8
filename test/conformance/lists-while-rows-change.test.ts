import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { auditStep } from "../../src/accounts/audit-queries.ts";
import { listStep as entriesStep, searchStep } from "../../src/journal/finding/search-queries.ts";
import { newestInSteps, type Step, type StepEnd } from "../../src/kernel/work/newest-in-steps.ts";
import { memberIdsOfStep, type TermPlace } from "../../src/loyalty/members/member-queries.ts";
import { listStep as paymentsStep } from "../../src/payments/finding/search-queries.ts";
import type { Store } from "../../src/store/database.ts";
import type { Tables } from "../../src/store/tables.ts";
import { fillTable } from "../support/hostile/fill-table.ts";
import { openMemoryStore } from "../support/memory-store.ts";

/** More rows than the first step looks at. */
const ROWS = 250;
const KEY = { appId: "app", accountId: "account" };
const ALL = { limit: 1_000 };

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
});
afterEach(() => store.close());

/** Looks through all rows. Directly after the first statement of each step, and before its second one, `change` has its turn. */
function changing<Place extends object, Found>(
  look: (step: Step<Place>) => Promise<StepEnd<Place, Found>>,
  change: () => Promise<unknown>,
) {
  return newestInSteps<Place, Found>(ALL.limit, async (step) => {
    const [end] = await Promise.all([look(step), change()]);
    return end;
  });
}

const number = "printf('%08d', n.value)";
const LISTS: Record<
  string,
  { table: keyof Tables; values: Record<string, string>; look: (step: Step<never>) => Promise<StepEnd<never, { id: unknown }>> }
> = {
  "lines of the audit": { table: "audit", values: { id: "n.value" }, look: (step) => auditStep(store.db, ALL, step) as never },
  "entries in the order of their ids": {
    table: "entries",
    values: { id: "n.value", state: "'refused'", document_id: number },
    look: (step) => entriesStep(store.db, ALL, step) as never,
  },
  "entries in the order of their arrival": {
    table: "entries",
    values: { id: "n.value", state: "'refused'", document_id: number, accepted_at_ms: "n.value" },
    look: (step) => searchStep(store.db, ALL, step) as never,
  },
  "QR payments": {
    table: "payments",
    values: { id: number, operation_id: number, bank_id: number, created_at_ms: "n.value" },
    look: (step) => paymentsStep(store.db, ALL, step) as never,
  },
};

describe("a list that is read in steps has each row once", () => {
  for (const [name, { table, values, look }] of Object.entries(LISTS)) {
    it(`while newer rows are added: ${name}`, async () => {
      await fillTable(store, table, ROWS + 5, values);
      const idOf = (nth: number) => (values.id === number ? `${nth}`.padStart(8, "0") : nth);
      const newest = await store.db
        .selectFrom(table as "audit")
        .selectAll()
        .where("id", ">", idOf(ROWS) as number)
        .execute();
      await store.db
        .deleteFrom(table as "audit")
        .where("id", ">", idOf(ROWS) as number)
        .execute();
      const found = await changing(look, () => {
        const rows = newest.splice(0);
        return rows.length === 0
          ? Promise.resolve()
          : store.db
              .insertInto(table as "audit")
              .values(rows)
              .execute();
      });
      expect(newest).toEqual([]);
      const ids = found.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.slice(-ROWS)).toEqual(Array.from({ length: ROWS }, (_, nth) => idOf(ROWS - nth)));
    });
  }

  it("while a member looked at loses the term: members", async () => {
    await fillTable(store, "loyalty_terms", ROWS, { app_id: "'app'", account_id: "'account'", term: "'first'", member_id: number });
    let nth = 0;
    const found = await changing<TermPlace, string>(
      (step) => memberIdsOfStep(store.db, KEY, ["first"], step),
      () => store.db.deleteFrom("loyalty_terms").where("member_id", "=", `${++nth}`.padStart(8, "0")).execute(),
    );
    expect(found.slice(-ROWS + 1)).toEqual(Array.from({ length: ROWS - 1 }, (_, at) => `${at + 2}`.padStart(8, "0")));
  });
});
