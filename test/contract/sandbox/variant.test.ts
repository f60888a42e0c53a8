import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";

describe("variants of the sandbox", () => {
  let sandbox: TestSandbox;
  let product: { meta: unknown };
  beforeAll(async () => {
    sandbox = await testSandbox();
    product = { meta: (await sandbox.call("POST", "entity/product", { name: "Кружка", salePrices: [{ value: 500 }] })).at("meta") };
  });
  afterAll(() => sandbox.close());

  const make = (characteristics: unknown, more: object = {}) =>
    sandbox.call("POST", "entity/variant", { product, characteristics, ...more });
  const codeOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];

  it("a variant needs its product and at least one characteristic, an empty array of them is 15001", async () => {
    const refused = await sandbox.call("POST", "entity/variant", {});
    expect((refused.at("errors") as { parameter: string }[]).map(({ parameter }) => parameter).sort()).toEqual([
      "characteristics",
      "product",
    ]);
    expect(codeOf(await make([]))).toEqual([412, 15001]);
  });

  it("a characteristic is found by its id, else by its name, and neither is 10000", async () => {
    const first = await make([{ name: "Материал", value: "стекло" }]);
    const id = first.at("characteristics", 0, "id");
    const second = await make([{ id, value: "фарфор" }]);
    expect(second.at("characteristics")).toMatchObject([{ id, name: "Материал", value: "фарфор" }]);
    expect((await make([{ name: "Материал", value: "сталь" }])).at("characteristics", 0, "id")).toBe(id);
    expect(codeOf(await make([{ value: "глина" }]))).toEqual([412, 10000]);
    expect(codeOf(await make([{ name: "Материал" }]))).toEqual([412, 10001]);
  });

  it("a characteristic named twice is 15004, the set of another variant of the product 15000, in whatever order", async () => {
    const [colour, size] = [
      { name: "Цвет", value: "синий" },
      { name: "Размер", value: "L" },
    ];
    expect(codeOf(await make([colour, { name: "Цвет", value: "белый" }]))).toEqual([412, 15004]);
    expect((await make([colour, size])).status).toBe(200);
    expect(codeOf(await make([size, colour]))).toEqual([412, 15000]);
    const other = await make([colour]);
    expect(codeOf(await sandbox.call("PUT", String(other.at("meta", "href")), { characteristics: [size, colour] }))).toEqual([412, 15000]);
  });

  it("a service has no variants (15002)", async () => {
    expect(codeOf(await make([{ name: "Цвет", value: "1" }], { product: shopReference(sandbox, "service") }))).toEqual([412, 15002]);
  });

  it("the name is the product's with the values of the characteristics, and follows both", async () => {
    const made = await make(
      [
        { name: "Цвет", value: "алый" },
        { name: "Размер", value: "S" },
      ],
      { name: "Своё имя" },
    );
    const href = String(made.at("meta", "href"));
    expect(made.at("name")).toBe("Кружка (алый, S)");
    expect((await sandbox.call("PUT", href, { characteristics: [{ name: "Цвет", value: "бурый" }] })).at("name")).toBe("Кружка (бурый)");
    await sandbox.call("PUT", (product.meta as { href: string }).href, { name: "Чашка" });
    expect((await sandbox.call("GET", href)).at("name")).toBe("Чашка (бурый)");
  });

  it("prices that it does not have are the product's, until it has one of its own", async () => {
    const made = await make([{ name: "Цвет", value: "с ценой" }]);
    expect(made.at("salePrices", 0, "value")).toBe(500);
    const own = await sandbox.call("PUT", String(made.at("meta", "href")), { salePrices: [{ value: 700 }] });
    expect([own.at("salePrices", 0, "value"), own.at("salePrices", 1, "value")]).toEqual([700, 0]);
  });

  it("a variant stays with its product (3001)", async () => {
    const made = await make([{ name: "Цвет", value: "верный" }]);
    const moved = await sandbox.call("PUT", String(made.at("meta", "href")), { product: shopReference(sandbox, "product") });
    expect(codeOf(moved)).toEqual([412, 3001]);
  });

  it("the metadata of variants lists all characteristics, each at an address that answers", async () => {
    const metadata = await sandbox.call("GET", "entity/variant/metadata");
    const [first] = metadata.at("characteristics") as { meta: { href: string }; name: string }[];
    expect(first).toMatchObject({ name: "Цвет", type: "string", required: false });
    expect((await sandbox.call("GET", String(first?.meta.href))).at("name")).toBe("Цвет");
    expect((await sandbox.call("GET", "entity/variant/metadata/characteristics")).at("characteristics")).toEqual(
      metadata.at("characteristics"),
    );
  });

  it("expand=product gives the product whole", async () => {
    const made = await make([{ name: "Цвет", value: "раскрытый" }]);
    expect((await sandbox.call("GET", `${String(made.at("meta", "href"))}?expand=product`)).at("product", "name")).toEqual(
      expect.any(String),
    );
  });
});
