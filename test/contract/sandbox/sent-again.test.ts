import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeSolution } from "../../support/fake-solution.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

const APP = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
};

describe("what a till of the sandbox sends once more", () => {
  let solution: FakeSolution;
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  beforeAll(async () => {
    solution = await FakeSolution.open();
    sandbox = await testSandbox({ solution: { target: solution.url, ...APP } });
    await sandbox.beginSolution();
    shop = await shopReferences(sandbox);
  });
  afterAll(() => Promise.all([sandbox.close(), solution.close()]));
  beforeEach(() => {
    solution.calls.length = 0;
  });

  const own = (path: string, method = "GET") => sandbox.call(method, `${sandbox.base}/sandbox/${path}`);
  /** Waits until the till's request has its outcome. */
  const outcome = async (id: string): Promise<SandboxAnswer> => {
    await expect.poll(async () => (await own(`receipts/${id}`)).status).toBe(200);
    return own(`receipts/${id}`);
  };
  const sent = (operation: string) => solution.fiscal().filter(({ path }) => path.endsWith(operation));
  const close = (href: string, closeDate: string | null) => sandbox.call("PUT", href, { closeDate });

  it("is a shift's closing after it was opened again, with the moment of that closing", async () => {
    const shift = await openShift(sandbox, shop);
    const { id } = (await sandbox.call("GET", shift.href)).body as { id: string };
    await close(shift.href, "2099-01-01 00:00:00");
    await outcome(`${id}/close`);
    await close(shift.href, null);
    await close(shift.href, "2099-01-02 12:00:00");
    await expect.poll(() => sent("closeshift").length).toBe(2);
    expect(sent("closeshift").map(({ body }) => body.closeMoment)).toEqual(["2099-01-01 00:00:00", "2099-01-02 12:00:00"]);
    await outcome(`${id}/close`);
    // A repeat of the newest closing has the bytes of that closing.
    solution.answers.push({ status: 409, code: 50004 });
    await close(shift.href, null);
    await close(shift.href, "2099-01-03 12:00:00");
    await expect.poll(async () => (await outcome(`${id}/close`)).at("state")).toBe("in-doubt");
    await close(shift.href, null);
    expect((await own(`receipts/${id}/close`, "POST")).status).toBe(202);
    await expect.poll(() => sent("closeshift").length).toBe(4);
    expect(sent("closeshift")[3]?.text).toBe(sent("closeshift")[2]?.text);
    await outcome(`${id}/close`);
  });

  it("is the earlier request of a document in doubt, also after the solution was suspended in between", async () => {
    const shift = await openShift(sandbox, shop);
    const { id: shiftId } = (await sandbox.call("GET", shift.href)).body as { id: string };
    await outcome(shiftId);
    solution.answers.push({ status: 409, code: 50004 });
    const sale = await sandbox.call("POST", "entity/retaildemand", {
      retailShift: { meta: shift.meta },
      positions: [{ assortment: shop.product, quantity: 2, price: 5490, discount: 10, vat: 10, vatEnabled: true }],
    });
    const id = String(sale.at("id"));
    expect((await outcome(id)).at("state")).toBe("in-doubt");
    await own("solution/suspend", "POST");
    expect((await own(`receipts/${id}`, "POST")).status).toBe(202);
    await expect.poll(async () => (await outcome(id)).at("state")).toBe("not-sent");
    await own("solution/resume", "POST");
    await sandbox.call("PUT", String(sale.at("meta", "href")), { name: "renamed" });
    expect((await own(`receipts/${id}`, "POST")).status).toBe(202);
    await expect.poll(() => sent("retaildemand").length).toBe(2);
    expect(sent("retaildemand")[1]?.text).toBe(sent("retaildemand")[0]?.text);
  });
});
