import { describe, expect, it, onTestFinished } from "vitest";
import type { FaultName } from "../../../src/tools/sandbox/api/faults.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const clock = new VirtualClock(Date.UTC(2026, 2, 5, 9));

async function struckBy(name: FaultName, share = 1, seed = 1): Promise<TestSandbox> {
  const sandbox = await testSandbox({ clock, seed, faults: [{ name, share }] });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** The names of the products in the account, read without the API. */
function names({ account }: TestSandbox): unknown[] {
  return [...account.objects.all("product").values()].map(({ values }) => values.name);
}

describe("faults of the sandbox", () => {
  it("lost-answer: the write is stored, the connection closed; reading goes on", async () => {
    const sandbox = await struckBy("lost-answer");
    await expect(sandbox.call("POST", "entity/product", { name: "Пропавший ответ" })).rejects.toThrow();
    expect(names(sandbox)).toContain("Пропавший ответ");
    expect((await sandbox.call("GET", "entity/product?limit=1")).status).toBe(200);
    expect((await sandbox.call("POST", "entity/product", {})).at("errors", 0, "code"), "nothing was stored").toBe(3000);
  });

  it("burst-429: 429 with 1049 below the rate, nothing done", async () => {
    const sandbox = await struckBy("burst-429");
    const answer = await sandbox.call("POST", "entity/product", { name: "Лишний" });
    expect([answer.status, answer.at("errors", 0, "code")]).toEqual([429, 1049]);
    expect(answer.headers.get("x-platform-retry-after")).toMatch(/^\d+$/);
    expect(names(sandbox)).not.toContain("Лишний");
  });

  it("html-error: 503 with a page, nothing done", async () => {
    const sandbox = await struckBy("html-error");
    const answer = await sandbox.call("POST", "entity/product", { name: "Лишний" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
    expect(names(sandbox)).not.toContain("Лишний");
  });

  it("slow-answer: the work is done at once, the answer comes 1 s later", async () => {
    const sandbox = await struckBy("slow-answer");
    let answered = false;
    const calling = sandbox.call("POST", "entity/product", { name: "Медленный" }).finally(() => {
      answered = true;
    });
    while (!names(sandbox).includes("Медленный")) await clock.advance(0);
    await clock.advance(999);
    expect(answered).toBe(false);
    while (!answered) await clock.advance(1);
    expect((await calling).status).toBe(200);
  });

  it("late-lists: a new object enters lists 1 s later, its own address answers at once", async () => {
    const sandbox = await struckBy("late-lists");
    const created = await sandbox.call("POST", "entity/product", { name: "Поздний" });
    const listed = async () => (await sandbox.call("GET", "entity/product?filter=name=Поздний")).at("meta", "size");
    expect((await sandbox.call("GET", String(created.at("meta", "href")))).at("name")).toBe("Поздний");
    expect(await listed()).toBe(0);
    await clock.advance(999);
    expect(await listed()).toBe(0);
    await clock.advance(1);
    expect(await listed()).toBe(1);
  });

  it("strike the same requests for the same seed, and others for another", async () => {
    const row = async (seed: number) => {
      const sandbox = await struckBy("html-error", 0.5, seed);
      const statuses: number[] = [];
      for (let request = 0; request < 30; request += 1) statuses.push((await sandbox.call("GET", "entity/uom?limit=0")).status);
      return statuses;
    };
    const first = await row(3);
    expect(new Set(first)).toEqual(new Set([200, 503]));
    expect(await row(3)).toEqual(first);
    expect(await row(4)).not.toEqual(first);
  });
});
