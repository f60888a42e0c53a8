import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { leastBody, shopReference } from "../../support/sandbox-bodies.ts";

const codeOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];

describe("points of sale of the sandbox", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  const make = (more: object = {}, query = "") =>
    sandbox.call("POST", `entity/retailstore${query}`, { ...leastBody(sandbox, "retailstore"), ...more });
  const change = (made: SandboxAnswer, body: object) => sandbox.call("PUT", String(made.at("meta", "href")), body);

  it("a new one is on, asks for a phone, lets lines be deleted and knows nothing of its register", async () => {
    const made = await make();
    expect(made.body).toMatchObject({
      active: true,
      allowDeleteReceiptPositions: true,
      requiredPhone: true,
      requiredEmail: false,
      syncAgents: true,
      showBeerOnTap: false,
      sendMarksToChestnyZnakOnCloud: false,
      marksCheckMode: "CORRECT_MARKS_ONLY",
      environment: {},
      authTokenAttached: false,
      priceType: { name: "Цена продажи" },
    });
    for (const name of ["code", "created", "syncId", "attributes"]) expect(made.at(name)).toBeUndefined();
  });

  it("allowCreateProducts and controlShippingStock are not both true (3028)", async () => {
    expect(codeOf(await make({ allowCreateProducts: true, controlShippingStock: true }))).toEqual([412, 3028]);
    const made = await make({ allowCreateProducts: true });
    expect(codeOf(await change(made, { controlShippingStock: true }))).toEqual([412, 3028]);
    expect((await change(made, { controlShippingStock: true, allowCreateProducts: false })).status).toBe(200);
  });

  it("allowCustomPrice is taken, externalCode and environment are not", async () => {
    const made = await make({ allowCustomPrice: true, externalCode: "мой", environment: { os: "моя" } });
    expect(made.body).toMatchObject({ allowCustomPrice: true, environment: {} });
    expect(made.at("externalCode")).not.toBe("мой");
    expect((await change(made, { externalCode: "мой" })).at("externalCode")).toBe(made.at("externalCode"));
  });

  it("the choice of masters needs masters (4002)", async () => {
    expect(codeOf(await make({ minionToMasterType: "CHOSEN" }))).toEqual([412, 4002]);
    const masterRetailStores = [shopReference(sandbox, "retailstore")];
    const made = await make({ minionToMasterType: "CHOSEN", masterRetailStores }, "?expand=masterRetailStores");
    expect(made.at("masterRetailStores", "meta")).toMatchObject({ type: "retailstore", size: 1 });
    expect(made.at("masterRetailStores", "rows", 0, "name")).toBe('Магазин "Образец № 1"');
    const list = await sandbox.call("GET", `${String(made.at("meta", "href"))}/masterRetailStores`);
    expect(list.at("rows", 0, "name")).toBe('Магазин "Образец № 1"');
  });

  it("a folder is not given together with one that lies in it (4003)", async () => {
    const [outer, inner, other] = ["Продукты", "Бакалея", "Услуги"].map((name) => shopReference(sandbox, "productfolder", name));
    expect(codeOf(await make({ productFolders: [inner, outer] }))).toEqual([412, 4003]);
    expect((await make({ productFolders: [inner, other] })).at("productFolders", "meta", "size")).toBe(2);
  });

  it("the organization's main account must be in the account currency (4004)", async () => {
    const currency = { meta: (await sandbox.call("POST", "entity/currency", { name: "юань" })).at("meta") };
    const organization = await sandbox.call("POST", "entity/organization", {
      name: "Экспорт",
      accounts: [{ accountNumber: "1", currency, isDefault: true }, { accountNumber: "2" }],
    });
    expect(codeOf(await make({ organization: { meta: organization.at("meta") } }))).toEqual([412, 4004]);
  });

  it("cashiers are written as employees and given as records, which keep their ids", async () => {
    const [first, second] = ["Иванова М. П.", "Петров Д. О."].map((name) => shopReference(sandbox, "employee", name));
    const made = await make({ cashiers: [first, second] });
    const list = `${String(made.at("meta", "href"))}/cashiers`;
    const rows = (await sandbox.call("GET", `${list}?expand=employee&limit=10`)).at("rows") as { id: string; employee: { name: string } }[];
    expect(rows.map(({ employee }) => employee.name)).toEqual(["Иванова М. П.", "Петров Д. О."]);
    const one = await sandbox.call("GET", `${list}/${rows[1]?.id}`);
    expect(one.body).toMatchObject({
      meta: { type: "cashier" },
      accountId: sandbox.account.id,
      employee: second,
      retailStore: { meta: { href: made.at("meta", "href") } },
    });
    await change(made, { cashiers: [second] });
    expect((await sandbox.call("GET", list)).at("rows", 0, "id")).toBe(rows[1]?.id);
    expect(codeOf(await change(made, { cashiers: [shopReference(sandbox, "uom")] }))).toEqual([400, 2027]);
  });

  it("the records of cashiers are only read at their own addresses", async () => {
    const list = `${shopReference(sandbox, "retailstore").meta.href}/cashiers`;
    const one = String((await sandbox.call("GET", list)).at("rows", 0, "meta", "href"));
    expect(codeOf(await sandbox.call("POST", list, {}))).toEqual([405, 1011]);
    expect(codeOf(await sandbox.call("PUT", one, {}))).toEqual([405, 1026]);
    expect(codeOf(await sandbox.call("DELETE", one))).toEqual([405, 1010]);
  });

  it("nulls in groups of buyers are ignored, elsewhere null in an array is 3012", async () => {
    const made = await make({ filterAgentsTags: ["опт", null], createAgentsTags: [null, "новые"] });
    expect(made.body).toMatchObject({ filterAgentsTags: ["опт"], createAgentsTags: ["новые"] });
    expect(codeOf(await make({ customerOrderStates: [null] }))).toEqual([412, 3012]);
  });

  it("addressFull makes address; both are found by search, as a substring", async () => {
    await make({ name: "Лавка у фонтана", addressFull: { city: "Новообразцов", street: "Дальняя" } });
    for (const word of ["фонта", "вообраз"]) {
      expect((await sandbox.call("GET", `entity/retailstore?search=${encodeURIComponent(word)}`)).at("rows", 0, "address")).toBe(
        "Новообразцов, Дальняя",
      );
    }
  });

  it("lastOperationNames says 00001 for types that were never used, and the last number of the others", async () => {
    const made = await make();
    expect(made.at("lastOperationNames")).toContainEqual({ entity: "retaildemand", name: "00001" });
    const shift = await sandbox.call("POST", "entity/retailshift", {
      name: "00077",
      organization: shopReference(sandbox, "organization"),
      retailStore: { meta: made.at("meta") },
    });
    expect(shift.status).toBe(200);
    const names = (await sandbox.call("GET", String(made.at("meta", "href")))).at("lastOperationNames");
    expect(names).toContainEqual({ entity: "retailshift", name: "00077" });
  });

  it("states of orders are references to states, given whole when they are expanded", async () => {
    const state = shopReference(sandbox, "state", "Новый");
    const made = await make({ orderToState: state, customerOrderStates: [state] }, "?expand=orderToState");
    expect(made.at("orderToState", "name")).toBe("Новый");
    expect(made.at("customerOrderStates")).toEqual([expect.objectContaining({ meta: expect.objectContaining({ href: state.meta.href }) })]);
  });
});

describe("points of sale on the free plan", () => {
  it("over the plan a new one is off, and asking for it on is 4001", async () => {
    const sandbox = await testSandbox({ settings: { plan: "free" } });
    try {
      const body = leastBody(sandbox, "retailstore");
      const made = await sandbox.call("POST", "entity/retailstore", body);
      expect(made.at("active")).toBe(false);
      expect(codeOf(await sandbox.call("POST", "entity/retailstore", { ...body, active: true }))).toEqual([412, 4001]);
      const own = shopReference(sandbox, "retailstore").meta.href;
      expect((await sandbox.call("PUT", own, { active: false })).at("active")).toBe(false);
      expect((await sandbox.call("PUT", String(made.at("meta", "href")), { active: true })).at("active")).toBe(true);
    } finally {
      await sandbox.close();
    }
  });
});
