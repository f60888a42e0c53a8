import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeSolution } from "../../support/fake-solution.ts";
import { Receiver } from "../../support/receiver.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

const APP = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
};

describe("updatedFields of changes that no body names", () => {
  let solution: FakeSolution;
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let receiver: Receiver;
  beforeAll(async () => {
    solution = await FakeSolution.open();
    sandbox = await testSandbox({ solution: { target: solution.url, ...APP } });
    await sandbox.beginSolution();
    shop = await shopReferences(sandbox);
  });
  afterAll(() => Promise.all([sandbox.close(), solution.close()]));
  beforeEach(async () => {
    receiver = await Receiver.open();
    for (const { id } of [...sandbox.account.objects.all("webhook").values()]) await sandbox.call("DELETE", `entity/webhook/${id}`);
    for (const entityType of ["retailshift", "retaildemand"]) {
      await sandbox.call("POST", "entity/webhook", { url: receiver.url, action: "UPDATE", entityType, diffType: "FIELDS" });
    }
  });

  /** The types and fields in notifications, in their order. */
  const told = async (count: number) =>
    (await receiver.until(count)).flatMap(({ body }) =>
      (body as { events: { meta: { type: string }; updatedFields: string[] }[] }).events.map(
        ({ meta, updatedFields }) => `${meta.type} ${updatedFields.join()}`,
      ),
    );
  const sell = (shift: { meta: unknown }) =>
    sandbox.call("POST", "entity/retaildemand", {
      retailShift: { meta: shift.meta },
      positions: [{ assortment: shop.product, quantity: 1, price: 100, vat: 10, vatEnabled: true }],
    });

  it("are the cheque alone when the register has registered a shift and a sale", async () => {
    const shift = await openShift(sandbox, shop);
    expect(await told(1)).toEqual(["retailshift cheque"]);
    await sell(shift);
    expect(await told(2)).toEqual(["retailshift cheque", "retaildemand cheque"]);
    await receiver.close();
  });

  it("are the moment of deletion alone when a document is put into the recycle bin (7.1)", async () => {
    const shift = await openShift(sandbox, shop);
    const sale = await sell(shift);
    await told(2);
    await sandbox.call("POST", `${String(sale.at("meta", "href"))}/trash`);
    expect((await told(3)).at(-1)).toBe("retaildemand deleted");
    await receiver.close();
  });
});
