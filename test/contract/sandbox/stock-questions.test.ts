import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

interface Made {
  id: string;
  href: string;
  meta: unknown;
}

const namesOf = (answer: SandboxAnswer) => (answer.at("rows") as { name: string }[]).map(({ name }) => name);

async function made(sandbox: TestSandbox, type: string, body: object): Promise<Made> {
  const answer = await sandbox.call("POST", `entity/${type}`, body);
  expect(answer.status, answer.text).toBe(200);
  return { id: String(answer.at("id")), href: String(answer.at("meta", "href")), meta: answer.at("meta") };
}

describe("what the stock report may be asked (chapter 14)", () => {
  let sandbox: TestSandbox;
  let folder: Made;
  let inner: Made;
  let supplier: Made;
  let plain: Made;
  let parent: Made;
  let red: Made;
  let characteristic: string;
  beforeAll(async () => {
    sandbox = await testSandbox();
    folder = await made(sandbox, "productfolder", { name: "Полка" });
    inner = await made(sandbox, "productfolder", { name: "Ящик", productFolder: { meta: folder.meta } });
    supplier = await made(sandbox, "counterparty", { name: "Поставщик полки" });
    plain = await made(sandbox, "product", { name: "На полке", productFolder: { meta: folder.meta }, minimumBalance: 5 });
    const more = { productFolder: { meta: inner.meta }, supplier: { meta: supplier.meta }, buyPrice: { value: 700 } };
    parent = await made(sandbox, "product", { name: "С цветами", ...more });
    const variant = (value: string) =>
      sandbox.call("POST", "entity/variant", { product: { meta: parent.meta }, characteristics: [{ name: "Цвет полки", value }] });
    const first = await variant("красный");
    red = { id: String(first.at("id")), href: String(first.at("meta", "href")), meta: first.at("meta") };
    characteristic = `${sandbox.api}/entity/variant/metadata/characteristics/${String(first.at("characteristics", 0, "id"))}`;
    await variant("синий");
  });
  afterAll(() => sandbox.close());

  const ask = (filter: string, more = "") =>
    sandbox.call("GET", `report/stock/all?filter=${encodeURIComponent(`${filter};stockMode=all;quantityMode=all`)}${more}`);
  const RED = "С цветами (красный)";
  const BLUE = "С цветами (синий)";

  it("a filter by a product shows it alone; includeRelated=true its variants too, whatever groupBy says", async () => {
    expect(namesOf(await ask(`product=${parent.href}`))).toEqual(["С цветами"]);
    expect(namesOf(await ask(`product=${parent.href}`, "&includeRelated=true&order=name"))).toEqual(["С цветами", RED, BLUE]);
    expect(namesOf(await ask(`product=${parent.href}`, "&includeRelated=true&groupBy=product&order=name"))).toEqual([
      "С цветами",
      RED,
      BLUE,
    ]);
    expect(namesOf(await ask(`product=${plain.href};variant=${red.href}`, "&order=name"))).toEqual(["На полке", RED]);
    const without = namesOf(await ask(`variant!=${red.href}`, "&includeRelated=true"));
    expect(without).toContain(BLUE);
    expect(without).not.toContain(RED);
  });

  it("includeRelated needs a filter by product or variant", async () => {
    const refused = await sandbox.call("GET", "report/stock/all?includeRelated=true");
    expect([refused.status, refused.at("errors", 0, "code")]).toEqual([412, 13005]);
    expect((await sandbox.call("GET", "report/stock/all?includeRelated=maybe")).at("errors", 0, "code")).toBe(1091);
    expect((await sandbox.call("GET", "report/stock/all?includeRelated=false")).status).toBe(200);
  });

  it("a folder counts with its sub-folders unless withSubFolders=false, and a variant lies where its product does", async () => {
    const order = "&order=name";
    expect(namesOf(await ask(`productFolder=${folder.href}`, order))).toEqual(["На полке", "С цветами", RED, BLUE]);
    expect(namesOf(await ask(`productFolder=${folder.href};withSubFolders=false`, order))).toEqual(["На полке"]);
    expect((await ask(`productFolder!=${folder.href}`)).at("errors", 0, "code")).toBe(1034);
  });

  it("suppliers may be repeated, and all references of one request use the same operator", async () => {
    const other = await made(sandbox, "counterparty", { name: "Другой поставщик" });
    await made(sandbox, "product", { name: "Чужое", supplier: { meta: other.meta } });
    const both = await ask(`supplier=${supplier.href};supplier=${other.href}`, "&order=name");
    expect(namesOf(both)).toEqual(["С цветами", RED, BLUE, "Чужое"]);
    const others = namesOf(await ask(`supplier!=${supplier.href}`));
    expect(others).toContain("Чужое");
    expect(others).not.toContain(RED);
    expect((await ask(`supplier=${supplier.href};product!=${plain.href}`)).at("errors", 0, "code")).toBe(1034);
    expect((await ask(`supplier!=${supplier.href};productFolder=${folder.href}`)).status).toBe(200);
  });

  it("there are no batches: none is found, and all goods are none", async () => {
    const batch = `${sandbox.api}/entity/consignment/5f0c1d2e-0000-4000-8000-000000000001`;
    expect(namesOf(await ask(`consignment=${batch}`))).toEqual([]);
    expect(namesOf(await ask(`consignment!=${batch}`))).toContain("На полке");
  });

  it("additional fields and characteristics are named by their href", async () => {
    const field = await made(sandbox, "product/metadata/attributes", { name: "Марка", type: "string" });
    await sandbox.call("PUT", parent.href, { attributes: [{ meta: field.meta, value: "Заря" }] });
    expect(namesOf(await ask(`${field.href}=Заря`, "&order=name"))).toEqual(["С цветами", RED, BLUE]);
    expect(namesOf(await ask(`${field.href}~зар;product=${parent.href}`))).toEqual(["С цветами"]);
    expect(namesOf(await ask(`${characteristic}=красный`))).toEqual([RED]);
    expect(namesOf(await ask(`${characteristic}~н`, "&order=name"))).toEqual([RED, BLUE]);
    expect((await ask(`${field.href}x=1`)).at("errors", 0, "code")).toBe(1034);
  });

  it("underMinimum compares with the minimum of the goods", async () => {
    const under = await sandbox.call("GET", `report/stock/all?filter=${encodeURIComponent("stockMode=underMinimum;quantityMode=all")}`);
    expect(namesOf(under)).toEqual(["На полке"]);
    const byMinimum = await sandbox.call("GET", "report/stock/all?stockMode=all&order=minimumBalance,desc;name");
    expect(byMinimum.at("rows", 0, "name")).toBe("На полке");
  });

  it("order may name several keys", async () => {
    const names = namesOf(await ask(`supplier=${supplier.href}`, "&order=stock;name,desc"));
    expect(names).toEqual([BLUE, RED, "С цветами"]);
    expect((await ask(`product=${plain.href}`, "&order=name,up")).at("errors", 0, "code")).toBe(1042);
  });

  it("a row has the image of its goods, and a variant's the folder, unit and cost of its product", async () => {
    await sandbox.call("POST", `${plain.href}/images`, { filename: "полка.png", content: PNG });
    const row = await ask(`product=${plain.href}`);
    expect(row.at("rows", 0, "image")).toMatchObject({
      meta: { type: "image", downloadHref: expect.stringContaining("/download/") },
      title: "полка",
      filename: "полка.png",
      size: expect.any(Number),
      miniature: { downloadHref: expect.any(String) },
      tiny: { downloadHref: expect.any(String) },
    });
    const variant = await ask(`variant=${red.href}`);
    expect(variant.at("rows", 0)).toMatchObject({ price: 700, folder: { name: "Ящик", pathName: "Полка" } });
    expect(variant.at("rows", 0, "image")).toBeUndefined();
  });

  it("each key takes its own operators only", async () => {
    for (const filter of ["archived!=true", "moment>2026-01-01 00:00:00", "search=~ч", "stockMode!=all", "reserveOnly!=true"]) {
      const refused = await sandbox.call("GET", `report/stock/all?filter=${encodeURIComponent(filter)}`);
      expect([refused.status, refused.at("errors", 0, "code")], filter).toEqual([412, 1034]);
    }
  });
});

describe("stock that follows with a delay", () => {
  const DELAY_MS = 5_000;
  const clock = new VirtualClock(Date.UTC(2026, 2, 5, 9, 0, 30));
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let shift: { meta: unknown };
  beforeAll(async () => {
    sandbox = await testSandbox({ clock, settings: { stockDelayMs: DELAY_MS } });
    shop = await shopReferences(sandbox);
    shift = await openShift(sandbox, shop);
    await clock.advance(DELAY_MS);
  });
  afterAll(() => sandbox.close());

  it("goods being recalculated are missing in the short report; withRecalculate=true on bystore shows them with null", async () => {
    const { id } = (await sandbox.call("GET", (shop.product.meta as { href: string }).href)).body as { id: string };
    const lines = async (report: string) => {
      const answer = await sandbox.call("GET", `report/stock/${report}`);
      return (answer.body as { assortmentId: string; stock: number | null }[]).filter(({ assortmentId }) => assortmentId === id);
    };
    const [before] = await lines("bystore/current");
    const positions = [{ assortment: shop.product, quantity: 3, price: 100 }];
    await sandbox.call("POST", "entity/retaildemand", { retailShift: { meta: shift.meta }, positions });
    for (const report of ["bystore/current", "all/current", "all/current?withRecalculate=true"])
      expect(await lines(report), report).toEqual([]);
    const underway = await lines("bystore/current?withRecalculate=true");
    expect(underway).toEqual([{ ...before, stock: null }]);
    const long = async () => {
      const answer = await sandbox.call("GET", "report/stock/all?stockMode=all");
      return (answer.at("rows") as { meta: { href: string }; stock: number }[]).find(({ meta }) => meta.href.includes(id))?.stock;
    };
    expect(await long()).toBe(before?.stock);
    await clock.advance(DELAY_MS);
    expect(await lines("bystore/current")).toEqual([{ ...before, stock: Number(before?.stock) - 3 }]);
    expect(await long()).toBe(Number(before?.stock) - 3);
  });
});
