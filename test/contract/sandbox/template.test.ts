import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";

describe("templates of documents in the sandbox", () => {
  let sandbox: TestSandbox;
  let retailShift: { meta: unknown };
  const line = () => ({
    assortment: shopReference(sandbox, "product", "Пакет-майка, большой"),
    quantity: 2,
    price: 990,
    vat: 22,
    vatEnabled: true,
  });
  const template = (type: string, body: object) => sandbox.call("PUT", `entity/${type}/new`, body);
  const codeOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];

  beforeAll(async () => {
    sandbox = await testSandbox();
    const shift = await sandbox.call("POST", "entity/retailshift", {
      organization: shopReference(sandbox, "organization"),
      retailStore: shopReference(sandbox, "retailstore"),
    });
    retailShift = { meta: shift.at("meta") };
  });
  afterAll(() => sandbox.close());

  it("a sale's needs the shift, has everything from it and no sums, and is not saved", async () => {
    expect(codeOf(await template("retaildemand", {}))).toEqual([412, 1031]);
    const filled = await template("retaildemand", { retailShift });
    expect(filled.body).toMatchObject({
      sum: 0,
      cashSum: 0,
      qrSum: 0,
      retailStore: { meta: {} },
      store: { meta: {} },
      agent: { meta: {} },
    });
    expect([filled.at("id"), filled.at("meta"), filled.at("positions")]).toEqual([undefined, undefined, undefined]);
    expect((await sandbox.call("GET", "entity/retaildemand?limit=0")).at("meta", "size")).toBe(0);
  });

  it("a sale's takes buyer and lines from the customer order that is named, and can be saved as it is", async () => {
    const agent = shopReference(sandbox, "counterparty", "Васильева Елена Николаевна");
    const order = await sandbox.call("POST", "entity/customerorder", {
      organization: shopReference(sandbox, "organization"),
      agent,
      positions: [{ ...line(), reserve: 1 }],
    });
    const filled = await template("retaildemand", { retailShift, customerOrder: { meta: order.at("meta") } });
    expect(filled.body).toMatchObject({
      sum: 1980,
      agent: { meta: { href: agent.meta.href } },
      positions: { rows: [{ quantity: 2, price: 990 }] },
    });
    const { positions, ...body } = filled.body as { positions: { rows: object[] } };
    const sale = await sandbox.call("POST", "entity/retaildemand", { ...body, cashSum: 1980, positions: positions.rows });
    expect([sale.status, sale.at("sum")]).toEqual([200, 1980]);
  });

  it("a return's comes from the sale that is returned, or from a shift without a receipt", async () => {
    const sale = await sandbox.call("POST", "entity/retaildemand", { retailShift, positions: [line()], noCashSum: 1000 });
    const bySale = await template("retailsalesreturn", { demand: { meta: sale.at("meta") } });
    expect(bySale.body).toMatchObject({
      sum: 1980,
      noCashSum: 1000,
      cashSum: 980,
      retailShift: { meta: { href: (retailShift.meta as { href: string }).href } },
      positions: { rows: [{ quantity: 2 }] },
    });
    const byShift = await template("retailsalesreturn", { retailShift });
    expect(byShift.body).toMatchObject({ sum: 0, store: { meta: {} }, retailStore: { meta: {} }, organization: { meta: {} } });
    expect(codeOf(await template("retailsalesreturn", {}))).toEqual([412, 1031]);
  });

  it.each(["retaildrawercashin", "retaildrawercashout"])("the one of %s comes with a shift or without, sum 0", async (type) => {
    expect((await template(type, {})).body).toMatchObject({ sum: 0, agent: { meta: { type: "employee" } } });
    expect((await template(type, { retailShift })).body).toMatchObject({ sum: 0, organization: { meta: { type: "organization" } } });
  });

  it("a customer order's delivery address has both forms", async () => {
    const order = await sandbox.call("POST", "entity/customerorder", {
      organization: shopReference(sandbox, "organization"),
      agent: shopReference(sandbox, "counterparty"),
      shipmentAddressFull: { city: "Образцов", street: "Дальняя", house: "3" },
    });
    expect(order.at("shipmentAddress")).toBe("Образцов, Дальняя, 3");
    const cleared = await sandbox.call("PUT", String(order.at("meta", "href")), { shipmentAddress: "" });
    expect([cleared.at("shipmentAddress"), cleared.at("shipmentAddressFull")]).toEqual([undefined, undefined]);
  });

  it("codes of a variant whose product is marked are kept", async () => {
    const product = await sandbox.call("POST", "entity/product", { name: "Туфли", trackingType: "SHOES" });
    const variant = await sandbox.call("POST", "entity/variant", {
      product: { meta: product.at("meta") },
      characteristics: [{ name: "Размер", value: "38" }],
    });
    const trackingCodes = [{ cis: "010460000000000021ABC", type: "trackingcode" }];
    const positions = [{ ...line(), assortment: { meta: variant.at("meta") }, trackingCodes }];
    const sale = await sandbox.call("POST", "entity/retaildemand?expand=positions", { retailShift, positions });
    expect(sale.at("positions", "rows", 0, "trackingCodes")).toEqual(trackingCodes);
  });
});
