import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EarlierReturns } from "../../src/loyalty/orders/earlier-returns.ts";
import { rowOfLine } from "../../src/loyalty/orders/order-lines.ts";
import type { ReturnedLine, SoldLine } from "../../src/loyalty/points/matching.ts";
import { atSoldSums } from "../../src/loyalty/points/matching.ts";
import { sharesOf } from "../../src/loyalty/points/shares.ts";
import type { Store } from "../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { LOYALTY_KEY, LOYALTY_STORE } from "../support/loyalty-bench.ts";

const RUNS = 40;
/** So many points that each kopeck of a line shows in the shares. */
const POINTS = 1_000_000;
const POLICY = { giveBack: true, clawBack: true };

/** `x` and `y` are never sold. Some prices are so large that price × quantity exceeds 64 bits. */
const price = fc.constantFrom(0, 1, 3, 999_999, 1_000_001, 2 ** 47 - 1);
const thousandths = fc.integer({ min: 1, max: 3_000 });
const returned = line(["a", "b", "x", "y"]);
const sold = line(["a", "b"]).chain((each) =>
  fc.record({ pointsKopecks: fc.nat(90), earningKopecks: fc.nat(90) }).map((weights): SoldLine => ({ ...each, ...weights })),
);

function line(products: readonly string[]): fc.Arbitrary<ReturnedLine> {
  const amounts = { unitKopecks: price, quantityMillionths: thousandths.map((each) => each * 1_000) };
  return fc.record({ productId: fc.constantFrom(...products), ...amounts, paidKopecks: fc.nat(900), grossKopecks: fc.nat(900) });
}

for (const kind of DATABASE_KINDS)
  describeDatabase("what earlier returns have brought back", kind, () => {
    let database: TestDatabase;
    let store: Store;

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });

    afterAll(() => database.drop());

    it("gives a return the same shares and money, added up by the database, as line by line", async () => {
      const lists = fc.array(fc.array(returned, { maxLength: 5 }), { maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(sold, { minLength: 1, maxLength: 8 }),
          lists,
          fc.array(returned, { maxLength: 4 }),
          async (lines, before, now) => {
            const saleId = await stored("sale", lines, null);
            const returns = new EarlierReturns(store);
            for (const [nth, each] of before.entries()) {
              await stored("return", each, saleId);
              if (nth % 2 === 0) await returns.read(saleId);
            }
            const summed = await store.read((db) => returns.of(db, saleId));
            expect(outcome(lines, summed, now)).toEqual(outcome(lines, before.flat(), now));
          },
        ),
        { numRuns: RUNS },
      );
    });

    function stored(type: "sale" | "return", lines: readonly ReturnedLine[], saleId: number | null): Promise<number> {
      return store.commit(async (tx) => {
        const { appId, accountId } = LOYALTY_KEY;
        count += 1;
        const row = { app_id: appId, account_id: accountId, type, document_key: String(count), store_id: LOYALTY_STORE, sale_id: saleId };
        const { id } = await tx
          .insertInto("loyalty_orders")
          .values({ ...row, ...EMPTY, state: "booked" })
          .returning("id")
          .executeTakeFirstOrThrow();
        for (const [index, each] of lines.entries())
          await tx
            .insertInto("loyalty_order_lines")
            .values(rowOfLine(id, index + 1, { ...each, pointsKopecks: 0, earningKopecks: 0 }))
            .execute();
        return id;
      });
    }
  });

let count = 0;

const EMPTY = {
  content_hash: "",
  member_id: null,
  moment_ms: 0,
  received_at_ms: 0,
  paid_kopecks: 0,
  spent: 0,
  earned: 0,
  given_back: 0,
  clawed_back: 0,
  sale_key: null,
  programme_version: 0,
  anomalies: null,
  content: null,
};

/** What the return moves. The product that was returned too often is only for people. */
function outcome(lines: readonly SoldLine[], returnedBefore: readonly ReturnedLine[], now: readonly ReturnedLine[]): object {
  const sale = { spentPoints: POINTS, earnedPoints: POINTS, givenBackPoints: 0, clawedBackPoints: 0, lines, returnedBefore };
  const shares = sharesOf(sale, atSoldSums(now, { sold: lines, returnedBefore }), POLICY);
  return shares.kind === "shared" ? shares : { kind: shares.kind };
}
