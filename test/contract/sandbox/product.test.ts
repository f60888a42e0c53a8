import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";

describe("products and services of the sandbox", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  const make = (more: object = {}, type = "product") => sandbox.call("POST", `entity/${type}`, { name: "Товар", ...more });
  const change = (made: SandboxAnswer, body: object) => sandbox.call("PUT", String(made.at("meta", "href")), body);
  const codeOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const ref = (type: string, name?: string) => shopReference(sandbox, type, name);

  it.each(["product", "service"])(
    "a %s without barcodes, or with an empty array of them, gets one EAN-13 with a right check digit",
    async (type) => {
      for (const more of [{}, { barcodes: [] }]) {
        const text = String((await make(more, type)).at("barcodes", 0, "ean13"));
        expect(text).toMatch(/^2\d{12}$/);
        const sum = [...text].reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0);
        expect(sum % 10).toBe(0);
      }
    },
  );

  it("an array of empty barcodes means none", async () => {
    expect((await make({ barcodes: [{ ean13: "" }] })).at("barcodes")).toBeUndefined();
  });

  it("barcodes are one-key objects, replaced as a whole, and an empty array deletes all", async () => {
    const made = await make({ barcodes: [{ ean8: "46009333" }, { code128: "A-1" }] });
    expect(made.at("barcodes")).toEqual([{ ean8: "46009333" }, { code128: "A-1" }]);
    expect((await change(made, { barcodes: [{ upc: "036000291452" }] })).at("barcodes")).toEqual([{ upc: "036000291452" }]);
    expect((await change(made, { name: "Иначе" })).at("barcodes")).toEqual([{ upc: "036000291452" }]);
    expect((await change(made, { barcodes: [] })).at("barcodes")).toBeUndefined();
    expect(codeOf(await make({ barcodes: [{ ean13: "1", upc: "2" }] }))).toEqual([412, 3016]);
  });

  it("a barcode of more than 255 characters is 3011, a GTIN with a wrong check digit 3014", async () => {
    expect(codeOf(await make({ barcodes: [{ code128: "1".repeat(256) }] }))).toEqual([412, 3011]);
    expect(codeOf(await make({ barcodes: [{ gtin: "04600000001010" }] }))).toEqual([412, 3014]);
    expect((await make({ barcodes: [{ gtin: "04600000001012" }] })).at("barcodes", 0)).toEqual({ gtin: "04600000001012" });
  });

  it("sale prices show every price type with meta, id, name and externalCode, zero where none was given", async () => {
    const made = await make();
    expect(made.at("salePrices")).toHaveLength(2);
    expect(made.at("salePrices", 0)).toMatchObject({ value: 0, currency: { meta: { type: "currency" } } });
    expect(made.at("salePrices", 1, "priceType")).toMatchObject({
      meta: { type: "pricetype", href: expect.stringContaining("/context/companysettings/pricetype/") },
      id: expect.any(String),
      name: "Оптовая цена",
      externalCode: expect.any(String),
    });
  });

  it("sale prices are merged by price type: those that are not listed stay", async () => {
    const retail = { value: 10_000, priceType: ref("pricetype", "Цена продажи") };
    const wholesale = { value: 9_000.5, priceType: ref("pricetype", "Оптовая цена") };
    const made = await make({ salePrices: [retail] });
    const merged = await change(made, { salePrices: [wholesale] });
    expect([merged.at("salePrices", 0, "value"), merged.at("salePrices", 1, "value")]).toEqual([10_000, 9_000.5]);
    expect(codeOf(await change(made, { salePrices: [{ priceType: retail.priceType }] }))).toEqual([412, 3000]);
    expect(codeOf(await change(made, { salePrices: [{ ...retail, value: -1 }] }))).toEqual([412, 3002]);
  });

  it("purchase and minimum price are given only when there is one, in the account's currency unless another is named", async () => {
    expect(Object.keys((await make()).body as object)).not.toEqual(expect.arrayContaining(["buyPrice"]));
    const made = await make({ buyPrice: { value: 500 }, minPrice: { value: 900 } });
    expect(made.at("buyPrice")).toMatchObject({ value: 500, currency: { meta: { type: "currency" } } });
    expect((await change(made, { buyPrice: null })).at("buyPrice")).toBeUndefined();
  });

  it("vatEnabled needs vat (16010), and a rate of its own ends taking the folder's", async () => {
    expect(codeOf(await make({ vatEnabled: true }))).toEqual([412, 16010]);
    expect((await make()).body).toMatchObject({ useParentVat: true });
    expect((await make({ vat: 22 })).body).toMatchObject({
      useParentVat: false,
      vatEnabled: true,
      effectiveVat: 22,
      effectiveVatEnabled: true,
    });
    expect((await make({ vat: 0, vatEnabled: false })).body).toMatchObject({ effectiveVat: 0, effectiveVatEnabled: false });
    expect((await make({ vat: 0, vatEnabled: true })).body).toMatchObject({ effectiveVat: 0, effectiveVatEnabled: true });
  });

  it("the rate that is applied comes from the nearest folder that has one", async () => {
    const outer = await sandbox.call("POST", "entity/productfolder", { name: "Внешняя", vat: 10 });
    const inner = await sandbox.call("POST", "entity/productfolder", { name: "Внутренняя", productFolder: { meta: outer.at("meta") } });
    const made = await make({ productFolder: { meta: inner.at("meta") } });
    expect(made.body).toMatchObject({ effectiveVat: 10, effectiveVatEnabled: true, pathName: "Внешняя/Внутренняя" });
    expect(made.at("vat")).toBeUndefined();
  });

  it("pathName is the folder's path: another folder, and another name of a folder above, change it", async () => {
    const outer = await sandbox.call("POST", "entity/productfolder", { name: "Верх" });
    const inner = await sandbox.call("POST", "entity/productfolder", { name: "Низ", productFolder: { meta: outer.at("meta") } });
    const made = await make({ productFolder: { meta: inner.at("meta") } });
    await change(outer, { name: "Вверху" });
    const href = String(made.at("meta", "href"));
    expect((await sandbox.call("GET", href)).at("pathName")).toBe("Вверху/Низ");
    expect((await change(made, { productFolder: { meta: outer.at("meta") } })).at("pathName")).toBe("Вверху");
    expect((await change(made, { productFolder: null })).at("pathName")).toBe("");
    expect(codeOf(await change(outer, { productFolder: { meta: inner.at("meta") } }))).toEqual([412, 3007]);
  });

  it("weighed and onTap are given only when they are true", async () => {
    const plain = await make({ weighed: false, onTap: false });
    expect(Object.keys(plain.body as object).filter((name) => ["weighed", "onTap"].includes(name))).toEqual([]);
    expect((await make({ weighed: true })).at("weighed")).toBe(true);
  });

  it("a pack needs the product's unit (16008) and another one of its own (3028); packs are replaced as a whole", async () => {
    const [piece, box] = [ref("uom", "шт"), ref("uom", "упак")];
    expect(codeOf(await make({ packs: [{ uom: box, quantity: 10 }] }))).toEqual([412, 16008]);
    expect(codeOf(await make({ uom: piece, packs: [{ uom: piece, quantity: 10 }] }))).toEqual([412, 3028]);
    expect(codeOf(await make({ uom: piece, packs: [{ uom: box, quantity: 0 }] }))).toEqual([412, 3003]);
    const made = await make({ uom: piece, packs: [{ uom: box, quantity: 10, barcodes: [{ ean13: "4600000000015" }] }] });
    const id = made.at("packs", 0, "id");
    expect(made.at("packs", 0)).toMatchObject({ id: expect.any(String), quantity: 10, barcodes: [{ ean13: "4600000000015" }] });
    const kept = await change(made, {
      packs: [
        { id, uom: box, quantity: 12 },
        { uom: ref("uom", "компл"), quantity: 2 },
      ],
    });
    expect([kept.at("packs", 0, "id"), kept.at("packs", 0, "quantity")]).toEqual([id, 12]);
    expect(
      codeOf(
        await change(made, {
          packs: [
            { id, uom: box, quantity: 1 },
            { id, uom: box, quantity: 2 },
          ],
        }),
      ),
    ).toEqual([412, 3013]);
    expect((await change(made, { packs: [] })).at("packs")).toBeUndefined();
  });

  it("minimum stock is an object only for who asks for it, and a number for all", async () => {
    const made = await make({ minimumStock: { type: "ALL_WAREHOUSE_SUM", quantity: 5 } });
    const href = String(made.at("meta", "href"));
    expect([made.at("minimumStock"), made.at("minimumBalance")]).toEqual([undefined, 5]);
    expect((await sandbox.call("GET", `${href}?fields=minimumStock`)).at("minimumStock")).toEqual({
      type: "ALL_WAREHOUSE_SUM",
      quantity: 5,
    });
    expect((await change(made, { minimumStock: { type: "ALL_WAREHOUSE_SAME", quantity: 7 } })).at("minimumBalance")).toBe(5);
    await change(made, { minimumBalance: 9 });
    expect((await sandbox.call("GET", `${href}?fields=minimumStock`)).at("minimumStock", "quantity")).toBe(9);
    expect((await change(made, { minimumStock: { type: "WAREHOUSE_VARIED" } })).at("minimumBalance")).toBeUndefined();
    const balance = await sandbox.call("POST", `${href}/storebalances`, { store: ref("store"), quantity: 3 });
    expect(balance.at(0, "quantity")).toBe(3);
    expect((await sandbox.call("GET", `${href}/storebalances`)).at("meta", "size")).toBe(1);
  });

  it("a tracking category that is not known is 16106, a payment subject outside of the list is 2029", async () => {
    expect(codeOf(await make({ trackingType: "BRAND_NEW" }))).toEqual([412, 16106]);
    expect((await make()).body).toMatchObject({ trackingType: "NOT_TRACKED", paymentItemType: "GOOD" });
    expect(codeOf(await make({ paymentItemType: "SERVICE" }))).toEqual([400, 2029]);
    expect((await make({ paymentItemType: "WORK" }, "service")).at("paymentItemType")).toBe("WORK");
    expect((await make({}, "service")).at("paymentItemType")).toBe("SERVICE");
  });

  it("variantsCount counts the variants, and they go with their product", async () => {
    const made = await make();
    expect(made.at("variantsCount")).toBe(0);
    for (const value of ["S", "M"]) {
      await sandbox.call("POST", "entity/variant", { product: { meta: made.at("meta") }, characteristics: [{ name: "Размер", value }] });
    }
    const href = String(made.at("meta", "href"));
    expect((await sandbox.call("GET", href)).at("variantsCount")).toBe(2);
    const before = Number((await sandbox.call("GET", "entity/variant?limit=0")).at("meta", "size"));
    expect((await sandbox.call("DELETE", href)).status).toBe(200);
    expect((await sandbox.call("GET", "entity/variant?limit=0")).at("meta", "size")).toBe(before - 2);
  });

  it("goods that something points at are not deleted: 409 with code 1028 and who it is", async () => {
    const tea = ref("product", "Чай чёрный «Утренний», 100 пакетиков");
    const refused = await sandbox.call("DELETE", tea.meta.href);
    expect(codeOf(refused)).toEqual([409, 1028]);
    expect(refused.at("errors", 0, "dependencies")).toEqual([{ meta: expect.objectContaining({ type: "bundle" }) }]);
    const uom = await sandbox.call("DELETE", ref("store").meta.href);
    expect(uom.at("errors", 0, "dependencies", 0, "meta", "type")).toBe("retailstore");
  });

  it("a variant that is in use keeps its product: 409 with code 1023", async () => {
    const made = await make();
    const variant = await sandbox.call("POST", "entity/variant", {
      product: { meta: made.at("meta") },
      characteristics: [{ name: "Размер", value: "S" }],
    });
    const component = { assortment: { meta: variant.at("meta") }, quantity: 1 };
    const bundle = await sandbox.call("POST", "entity/bundle", { name: "Набор", components: [component] });
    expect(codeOf(await sandbox.call("DELETE", String(made.at("meta", "href"))))).toEqual([409, 1023]);
    await sandbox.call("DELETE", String(bundle.at("meta", "href")));
    expect((await sandbox.call("DELETE", String(made.at("meta", "href")))).status).toBe(200);
  });

  it.each(["product", "service", "variant", "bundle"])("the template of a %s is filled and not saved", async (type) => {
    const size = async () => (await sandbox.call("GET", `entity/${type}?limit=0`)).at("meta", "size");
    const before = await size();
    const template = await sandbox.call("PUT", `entity/${type}/new`, { description: "по образцу" });
    expect(template.status).toBe(200);
    expect(template.body).toMatchObject({ archived: false, description: "по образцу" });
    expect(template.at("id")).toBeUndefined();
    expect(await size()).toBe(before);
    expect((await sandbox.call("PUT", `entity/${type}/new`, [])).at("errors", 0, "code")).toBe(2008);
    expect((await sandbox.call("PUT", "entity/uom/new", {})).at("errors", 0, "code")).toBe(1029);
  });

  it("an object by its syncId is read and deleted; one that nobody has is 412 with code 1057", async () => {
    const syncId = "11111111-2222-4333-8444-555555555555";
    const made = await make({ syncId });
    expect((await make({ syncId, name: "Другой" })).body).toMatchObject({ id: made.at("id"), name: "Товар" });
    expect(codeOf(await change(made, { syncId: "11111111-2222-4333-8444-555555555556" }))).toEqual([412, 1047]);
    expect((await sandbox.call("GET", `entity/product/syncid/${syncId}`)).at("id")).toBe(made.at("id"));
    expect((await sandbox.call("DELETE", `entity/product/syncid/${syncId}`)).status).toBe(200);
    expect(codeOf(await sandbox.call("GET", `entity/product/syncid/${syncId}`))).toEqual([412, 1057]);
    expect(codeOf(await sandbox.call("DELETE", "entity/product/syncid/none"))).toEqual([400, 1052]);
  });
});

describe("codes of goods where the company demands that they differ", () => {
  it("a code that other goods have is 412 with code 3006", async () => {
    const sandbox = await testSandbox({ settings: { uniqueCodes: true } });
    try {
      const made = await sandbox.call("POST", "entity/product", { name: "Первый", code: "Ж-1" });
      const again = await sandbox.call("POST", "entity/service", { name: "Вторая", code: "Ж-1" });
      expect([again.status, again.at("errors", 0, "code")]).toEqual([412, 3006]);
      expect((await sandbox.call("PUT", String(made.at("meta", "href")), { code: "Ж-1", name: "Он же" })).status).toBe(200);
    } finally {
      await sandbox.close();
    }
  });
});
