import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";

// Reference json-api 13.13: resources below the types.

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});
afterAll(() => sandbox.close());

const call = (method: string, path: string, body?: unknown) => sandbox.call(method, path, body);
const outcome = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];

describe("departments", () => {
  const order = async () =>
    ((await call("GET", "entity/group")).at("rows") as { name: string; index: number }[])
      .sort((one, other) => one.index - other.index)
      .map(({ name, index }) => `${index} ${name}`);

  it("are made, renamed, moved by their index and deleted; a name twice is 60001", async () => {
    const made = [await call("POST", "entity/group", { name: "Север" }), await call("POST", "entity/group", { name: "Юг" })];
    expect(made.map(({ status }) => status)).toEqual([200, 200]);
    expect(await order()).toEqual(["0 Основной", "1 Север", "2 Юг"]);
    expect(outcome(await call("POST", "entity/group", { name: "Север" }))).toEqual([412, 60001]);
    const south = String(made[1]?.at("meta", "href"));
    expect(outcome(await call("PUT", south, { name: "Север" }))).toEqual([412, 60001]);
    expect((await call("PUT", south, { name: "Юг-2", index: 0 })).at("index")).toBe(0);
    expect(await order()).toEqual(["0 Юг-2", "1 Основной", "2 Север"]);
    expect((await call("PUT", south, { index: 100 })).at("index")).toBe(2);
    expect(await order()).toEqual(["0 Основной", "1 Север", "2 Юг-2"]);
    expect((await call("DELETE", south)).status).toBe(200);
    expect(outcome(await call("GET", south))).toEqual([404, 1021]);
  });

  it("that something belongs to are not deleted, and a name is needed", async () => {
    const [first] = (await call("GET", "entity/group?limit=1")).at("rows") as { meta: { href: string } }[];
    expect(outcome(await call("DELETE", String(first?.meta.href)))).toEqual([409, 1028]);
    expect(outcome(await call("POST", "entity/group", {}))).toEqual([412, 3000]);
  });
});
