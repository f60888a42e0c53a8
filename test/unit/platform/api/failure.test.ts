import { describe, expect, it } from "vitest";
import { outcomeOf, type PlatformCall } from "../../../../src/platform/api/answer.ts";

const CALL: PlatformCall = { method: "GET", path: "entity/product" };

/** The failure for an answer, and the length of all its texts together. */
async function failureOf(status: number, body: string) {
  const outcome = await outcomeOf(CALL, { status, headers: {}, body: Buffer.from(body) });
  if (outcome.kind === "answer") throw new Error("no failure");
  const { failure } = outcome;
  return { failure, length: failure.message.length + JSON.stringify(failure.errors).length + (failure.body ?? "").length };
}

describe("the failure of an answer", () => {
  it("keeps the platform's errors as they are where they are as long as the platform's", async () => {
    const errors = [
      {
        error: "Ошибка: поле 'name' не заполнено",
        code: 3000,
        parameter: "name",
        moreInfo: "https://dev.example/#3000",
        line: 1,
        column: 7,
      },
      { error: "Ещё ошибка", code: "1005" },
    ];
    const { failure } = await failureOf(412, JSON.stringify({ errors }));
    expect(failure.message).toBe("GET entity/product: 412 3000 Ошибка: поле 'name' не заполнено; 1005 Ещё ошибка");
    expect(failure.errors).toMatchObject([errors[0], { error: "Ещё ошибка", code: 1005 }]);
  });

  it("bounds what a long text, many errors or many dependencies make of it", async () => {
    const text = "слово ".repeat(100_000);
    const error = { error: text, parameter: text, moreInfo: text, dependencies: Array(1_000).fill({ href: "https://a.example/b" }) };
    expect((await failureOf(400, JSON.stringify({ errors: [error] }))).length).toBeLessThan(20_000);
    expect((await failureOf(400, JSON.stringify({ errors: Array(100_000).fill({ error: "e", code: 1 }) }))).failure.errors).toHaveLength(
      100,
    );
    expect((await failureOf(400, JSON.stringify({ errors: Array(100_000).fill({}) }))).failure.message.length).toBeLessThan(2_100);
    expect((await failureOf(502, `<html>${text}`)).failure.body?.length).toBeLessThan(600);
  });

  it("cuts no address of a person in two", async () => {
    for (let before = 1_900; before < 2_000; before += 1) {
      const { failure } = await failureOf(400, JSON.stringify({ errors: [{ error: `${"а".repeat(before)} buyer.name@shop.example.ru` }] }));
      expect(failure.message.includes("buyer.name") === failure.message.includes("buyer.name@shop.example.ru")).toBe(true);
    }
  });
});
