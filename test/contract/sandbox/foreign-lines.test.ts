import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxAnswer, TestSandbox } from "../../support/sandbox.ts";
import { type ShopReferences, shopOnShift } from "../../support/sandbox-shop.ts";

const NOBODYS = "00000000-0000-4000-8000-000000000000";

describe("lines of documents in the sandbox", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let shift: { meta: unknown };
  beforeAll(async () => {
    ({ sandbox, shop, shift } = await shopOnShift());
  });
  afterAll(() => sandbox.close());

  const codeOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];

  /** A document with one line: the addresses of both. */
  async function document(type: "retaildemand" | "customerorder"): Promise<{ href: string; line: string; id: string }> {
    const head = type === "retaildemand" ? { retailShift: { meta: shift.meta } } : { organization: shop.organization, agent: shop.buyer };
    const positions = [{ assortment: shop.product, quantity: 1, price: 100 }];
    const made = await sandbox.call("POST", `entity/${type}?expand=positions`, { ...head, positions });
    const id = String(made.at("positions", "rows", 0, "id"));
    return { href: String(made.at("meta", "href")), line: String(made.at("positions", "rows", 0, "meta", "href")), id };
  }

  it.each(["retaildemand", "customerorder"] as const)("that belong to another document than the path's are 1046 (a %s's)", async (type) => {
    const mine = await document("retaildemand");
    const other = await document(type);
    const foreign = `${mine.href}/positions/${other.id}`;
    expect(codeOf(await sandbox.call("GET", foreign))).toEqual([412, 1046]);
    expect(codeOf(await sandbox.call("PUT", foreign, { quantity: 2 }))).toEqual([412, 1046]);
    expect(codeOf(await sandbox.call("DELETE", foreign))).toEqual([412, 1046]);
    expect(codeOf(await sandbox.call("POST", `${mine.href}/positions/delete`, [{ meta: { href: other.line } }]))).toEqual([412, 1046]);
    expect(codeOf(await sandbox.call("PUT", mine.href, { positions: [{ id: other.id }] }))).toEqual([412, 1046]);
    const added = await sandbox.call("POST", `${mine.href}/positions`, [
      { assortment: shop.product },
      { id: other.id, assortment: shop.product },
    ]);
    expect(codeOf(added)).toEqual([412, 1046]);
    expect((await sandbox.call("GET", `${mine.href}/positions`)).at("meta", "size")).toBe(1);
    expect((await sandbox.call("GET", other.line)).at("quantity")).toBe(1);
  });

  it("that are nobody's are 404, and an id that is none is 1000", async () => {
    const { href } = await document("retaildemand");
    for (const method of ["GET", "DELETE"]) {
      expect(codeOf(await sandbox.call(method, `${href}/positions/${NOBODYS}`))).toEqual([404, 1021]);
      expect(codeOf(await sandbox.call(method, `${href}/positions/первая`))).toEqual([404, 1000]);
    }
    expect(codeOf(await sandbox.call("PUT", `${href}/positions/${NOBODYS}`, { quantity: 2 }))).toEqual([404, 1021]);
  });

  it("are told apart from elements of what is no document: those of another object are 404 there", async () => {
    const bundle = async () =>
      await sandbox.call("POST", "entity/bundle?expand=components", {
        name: "Набор",
        components: [{ assortment: shop.product, quantity: 1 }],
      });
    const [mine, other] = [await bundle(), await bundle()];
    const foreign = `${String(mine.at("meta", "href"))}/components/${String(other.at("components", "rows", 0, "id"))}`;
    expect(codeOf(await sandbox.call("GET", foreign))).toEqual([404, 1021]);
  });
});
