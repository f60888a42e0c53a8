import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

describe("goods in the lines of documents in the sandbox", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let retailShift: { meta: unknown };
  let phone: { meta: unknown };
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
    retailShift = { meta: (await openShift(sandbox, shop)).meta };
    phone = await made("product", { name: "Телефон", isSerialTrackable: true });
  });
  afterAll(() => sandbox.close());

  async function made(type: string, body: object): Promise<{ meta: unknown }> {
    const answer = await sandbox.call("POST", `entity/${type}`, body);
    if (answer.status !== 200) throw new Error(answer.text);
    return { meta: answer.at("meta") };
  }

  const sell = (line: object) =>
    sandbox.call("POST", "entity/retaildemand?expand=positions", { retailShift, positions: [{ price: 100, ...line }] });
  const codeOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const lineOf = (answer: SandboxAnswer) => answer.at("positions", "rows", 0);

  it("serial numbers are ignored for goods without serial accounting (12.2)", async () => {
    const sale = await sell({ assortment: shop.product, quantity: 3, things: ["A", "A"] });
    expect(lineOf(sale)).toMatchObject({ quantity: 3 });
    expect(lineOf(sale)).not.toHaveProperty("things");
  });

  it("of goods with serial accounting there are as many as serial numbers (12.2), else it is 3048", async () => {
    expect(lineOf(await sell({ assortment: phone, things: ["A", "B"] }))).toMatchObject({ quantity: 2, things: ["A", "B"] });
    expect(lineOf(await sell({ assortment: phone, quantity: 1, things: ["A"] }))).toMatchObject({ quantity: 1, things: ["A"] });
    expect(codeOf(await sell({ assortment: phone, quantity: 1, things: ["A", "B"] }))).toEqual([412, 3048]);
    expect(codeOf(await sell({ assortment: phone, things: ["A", ""] }))).toEqual([412, 3048]);
  });

  it("a variant has the serial accounting of its product", async () => {
    const variant = await made("variant", { product: phone, characteristics: [{ name: "Цвет", value: "красный" }] });
    expect(lineOf(await sell({ assortment: variant, things: ["C"] }))).toMatchObject({ things: ["C"] });
  });

  it("a serial number that comes twice in a document is 17103 for goods with serial accounting", async () => {
    expect(codeOf(await sell({ assortment: phone, things: ["A", "A"] }))).toEqual([412, 17103]);
  });

  it("a pack is one of the goods' own, of a variant also its product's, else it is 17020", async () => {
    const uom = shopReference(sandbox, "uom", "шт");
    const box = shopReference(sandbox, "uom", "кг");
    const boxed = async (name: string) => {
      const answer = await sandbox.call("POST", "entity/product", { name, uom, packs: [{ uom: box, quantity: 12 }] });
      return { ref: { meta: answer.at("meta") }, pack: answer.at("packs", 0) as { id: string } };
    };
    const [tea, rice] = [await boxed("Чай"), await boxed("Рис")];
    const variant = await made("variant", { product: tea.ref, characteristics: [{ name: "Сорт", value: "первый" }] });
    for (const assortment of [tea.ref, variant]) {
      expect(lineOf(await sell({ assortment, pack: tea.pack }))).toMatchObject({ pack: { id: tea.pack.id, quantity: 12, uom: box } });
      expect(lineOf(await sell({ assortment, pack: { id: tea.pack.id } }))).toMatchObject({ pack: { quantity: 12, uom: box } });
      expect(codeOf(await sell({ assortment, pack: rice.pack }))).toEqual([412, 17020]);
    }
    expect(codeOf(await sell({ assortment: shop.service, pack: tea.pack }))).toEqual([412, 17020]);
  });

  it("a pack that a document has stays, although the goods have given it up", async () => {
    const uom = shopReference(sandbox, "uom", "шт");
    const product = await sandbox.call("POST", "entity/product", {
      name: "Мука",
      uom,
      packs: [{ uom: shopReference(sandbox, "uom", "кг"), quantity: 2 }],
    });
    const sale = await sell({ assortment: { meta: product.at("meta") }, pack: product.at("packs", 0) });
    await sandbox.call("PUT", String(product.at("meta", "href")), { packs: [] });
    const line = lineOf(sale) as { id: string };
    const changed = await sandbox.call("PUT", `${String(sale.at("meta", "href"))}?expand=positions`, {
      positions: [{ ...line, quantity: 2 }],
    });
    expect(lineOf(changed)).toMatchObject({ id: line.id, quantity: 2 });
  });
});
