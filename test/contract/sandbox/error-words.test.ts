import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReferences } from "../../support/sandbox-shop.ts";

const ID = "5f0c1d2e-0000-4000-8000-000000000001";

describe("the words of an error", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  it("name the value at fault, not the field that it stands in", async () => {
    const shop = await shopReferences(sandbox);
    const { meta } = shop.product as { meta: { href: string } };
    const product = (more: object) => sandbox.call("POST", "entity/product", { name: "Чай", ...more });
    const state = (name: string, stateType: string) =>
      sandbox.call("POST", "entity/customerorder/metadata/states", { name, color: 1, stateType });
    const variant = (characteristics: object[]) => sandbox.call("POST", "entity/variant", { product: shop.product, characteristics });
    await state("Ждёт", "Regular");
    const pieces = [
      { name: "Цвет", value: "1" },
      { name: "Цвет", value: "2" },
    ];
    const foreign = "https://other.example/api/remap/1.2/entity/uom/1";
    const cases: [number, Awaited<ReturnType<typeof product>>, string][] = [
      [1059, await product({ uom: { meta: { href: foreign, type: "uom" } } }), foreign],
      [1060, await product({ uom: { meta: { href: meta.href, type: "uom" } } }), meta.href],
      [1046, await sandbox.call("PUT", meta.href, { images: [{ id: ID }] }), ID],
      [3011, await product({ barcodes: [{ code128: "7".repeat(256) }] }), "7".repeat(256)],
      [3014, await product({ barcodes: [{ gtin: "04600000000010" }] }), "04600000000010"],
      [3015, await sandbox.call("POST", "entity/employee", { lastName: "Орлова", email: "анна" }), "анна"],
      [11000, await state("Ждёт", "Regular"), "Ждёт"],
      [11001, await state("Иной", "Strange"), "Strange"],
      [10001, await variant([{ name: "Вкус" }]), "Вкус"],
      [15004, await variant(pieces), "Цвет"],
      [14002, await sandbox.call("GET", "entity/uom/metadata/attributes"), "uom"],
    ];
    for (const [code, answer, value] of cases) {
      expect(answer.at("errors", 0, "code"), String(code)).toBe(code);
      expect(String(answer.at("errors", 0, "error")), String(code)).toContain(value);
    }
  });
});
