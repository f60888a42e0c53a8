import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { LOOK_UP_LIMIT_MS } from "../../../src/accounts/shop/look-up.ts";
import { draftDocument } from "../../../src/model/draft/draft.ts";
import { answered, openShopScene, saleAt, sold } from "../../support/shop-scene.ts";
import { RULES } from "../../support/till.ts";

/** A word in a body that stands for the requested id. */
const ASKED = "<asked>";
const FIELDS = [
  ...["name", "paymentItemType", "taxSystem", "trackingType", "uom", "product", "sum", "defaultTaxSystem", "organization", "code"],
  ...["cashiers", "employee", "firstName", "middleName", "lastName", "archived", "updated", "id", "meta", "rows", "size", "href"],
];
const word = fc.constantFrom(...["GOOD", "WORK", "PATENT_BASED", "TOBACCO", "кг", "166", "Иванова", "constructor", "", ASKED]);
const { whole } = fc.letrec<{ whole: unknown }>((tie) => ({
  whole: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    word,
    fc.constantFrom(null, true, 0, -1, 10_980, 1.5),
    fc.array(tie("whole"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...FIELDS), tie("whole"), { maxKeys: 8 }),
  ),
}));
/** A body that looks like an answer more often than a random one. */
const object = fc
  .dictionary(fc.constantFrom(...FIELDS), whole, { maxKeys: 8 })
  .map((fields) => ({ ...fields, id: ASKED, meta: fields.meta ?? {} }));
const list = fc.array(fc.oneof(object, whole), { maxLength: 3 }).map((rows) => ({ meta: { size: rows.length }, rows }));
const answer = fc.tuple(fc.constantFrom(200, 200, 200, 200, 204, 400, 403, 404, 412), fc.oneof(object, list, whole));

it("whatever the platform answers, a sale is told within 300 ms, drafted, and never broken", async () => {
  const scene = await openShopScene();
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 6 }), async (answers) => {
        let turn = 0;
        scene.wire.behave = async ({ url }) => {
          const [status, body] = answers[turn++ % answers.length] ?? [200, null];
          const asked = /[0-9a-f-]{36}/.exec(decodeURIComponent(url))?.[0] ?? "";
          return answered(status, JSON.stringify(body).replaceAll(ASKED, asked));
        };
        const goods = ["product", "product", "variant", "service", "bundle"].map((type) => sold({ type, id: randomUUID() }));
        const over = { document: { id: randomUUID(), idType: "native" }, storeId: randomUUID(), cashier: { id: randomUUID() } } as const;
        const sale = saleAt(scene, goods, over);
        const { tookMs, known } = await scene.askWithin(sale, LOOK_UP_LIMIT_MS);
        expect(tookMs).toBeLessThanOrEqual(LOOK_UP_LIMIT_MS);
        const operation = known === undefined ? sale : { ...sale, known };
        expect(draftDocument(operation, RULES, { reference: "1", lineSums: "within-kopeck" }).kind).toBe("document");
        // For so long nobody asks after a failure.
        await scene.clock.advance(10_000);
      }),
      { numRuns: 100 },
    );
  } finally {
    await scene.close();
  }
});
