import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

// json-api 13.9 has the fields. How they are computed is decided in decisions.md of the sandbox.

describe("customer orders and their sales", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let retailShift: { meta: unknown };
  /** Goods that `open` makes for each test, so that nothing else changes their stock. */
  let tea: { meta: unknown };
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
    retailShift = { meta: (await openShift(sandbox, shop)).meta };
  });
  afterAll(() => sandbox.close());

  const line = (quantity: number, more: object = {}) => ({ assortment: tea, quantity, price: 100, ...more });
  const hrefOf = (answer: SandboxAnswer) => String(answer.at("meta", "href"));
  const open = async (...positions: { quantity: number; reserve?: number }[]) => {
    tea = { meta: (await sandbox.call("POST", "entity/product", { name: `Чай ${sandbox.account.nextId}` })).at("meta") };
    return await sandbox.call("POST", "entity/customerorder", {
      ...{ organization: shop.organization, agent: shop.buyer, store: shop.store },
      positions: positions.map(({ quantity, reserve }) => line(quantity, { reserve })),
    });
  };
  const sell = (order: SandboxAnswer, quantity: number, more: object = {}) =>
    sandbox.call("POST", "entity/retaildemand", {
      ...{ retailShift, customerOrder: { meta: order.at("meta") }, positions: [line(quantity)] },
      ...more,
    });
  const bringBack = (sale: SandboxAnswer, quantity: number) =>
    sandbox.call("POST", "entity/retailsalesreturn", {
      ...{ organization: shop.organization, store: shop.store, retailStore: shop.retailStore, retailShift, agent: shop.buyer },
      ...{ demand: { meta: sale.at("meta") }, positions: [line(quantity)] },
    });
  const told = async (order: SandboxAnswer) => {
    const { body } = await sandbox.call("GET", hrefOf(order));
    const { shippedSum, payedSum, reservedSum } = body as Record<string, number>;
    const rows = (await sandbox.call("GET", `${hrefOf(order)}/positions`)).at("rows") as { shipped: number }[];
    return { shippedSum, payedSum, reservedSum, shipped: rows.map(({ shipped }) => shipped) };
  };
  const reserved = async () => {
    const filter = encodeURIComponent(`product=${String((tea.meta as { href: string }).href)};stockMode=all;quantityMode=all`);
    return (await sandbox.call("GET", `report/stock/all?filter=${filter}`)).at("rows", 0, "reserve");
  };

  it("a sale ships its order: lines, sums and the reserve follow, and a return takes it back", async () => {
    const order = await open({ quantity: 5, reserve: 4 });
    expect([await told(order), await reserved()]).toEqual([{ shippedSum: 0, payedSum: 0, reservedSum: 400, shipped: [0] }, 4]);
    const sale = await sell(order, 3);
    expect([await told(order), await reserved()]).toEqual([{ shippedSum: 300, payedSum: 300, reservedSum: 100, shipped: [3] }, 1]);
    expect((await bringBack(sale, 2)).status).toBe(200);
    expect([await told(order), await reserved()]).toEqual([{ shippedSum: 100, payedSum: 100, reservedSum: 300, shipped: [1] }, 3]);
  });

  it("what is told in the list, expanded and at a line's own address is the same", async () => {
    const order = await open({ quantity: 2 });
    await sell(order, 1);
    const whole = await sandbox.call("GET", `${hrefOf(order)}?expand=positions`);
    expect(whole.at("positions", "rows", 0, "shipped")).toBe(1);
    expect((await sandbox.call("GET", String(whole.at("positions", "rows", 0, "meta", "href")))).at("shipped")).toBe(1);
    const listed = await sandbox.call("GET", `entity/customerorder?filter=${encodeURIComponent(`id=${String(order.at("id"))}`)}`);
    expect(listed.at("rows", 0, "shippedSum")).toBe(100);
  });

  it("several lines of the same goods are filled in their order, and more than was ordered stands at the last", async () => {
    const order = await open({ quantity: 2 }, { quantity: 1 });
    await sell(order, 1);
    expect((await told(order)).shipped).toEqual([1, 0]);
    await sell(order, 4);
    expect((await told(order)).shipped).toEqual([2, 3]);
  });

  it("a sale that is not posted, in the bin, deleted or of another order ships nothing", async () => {
    const order = await open({ quantity: 5, reserve: 5 });
    await sell(order, 1, { applicable: false });
    const [binned, deleted, moved] = [await sell(order, 1), await sell(order, 1), await sell(order, 1)];
    expect((await told(order)).shipped).toEqual([3]);
    await sandbox.call("POST", `${hrefOf(binned)}/trash`);
    await sandbox.call("DELETE", hrefOf(deleted));
    await sandbox.call("PUT", hrefOf(moved), { customerOrder: null });
    expect([await told(order), await reserved()]).toEqual([{ shippedSum: 0, payedSum: 0, reservedSum: 500, shipped: [0] }, 5]);
  });

  it("an order that is read and written back reserves what it did", async () => {
    const order = await open({ quantity: 5, reserve: 4 });
    await sell(order, 3);
    const whole = await sandbox.call("GET", `${hrefOf(order)}?expand=positions`);
    expect((await sandbox.call("PUT", hrefOf(order), whole.body)).status).toBe(200);
    expect([(await told(order)).reservedSum, await reserved()]).toEqual([100, 1]);
  });
});
