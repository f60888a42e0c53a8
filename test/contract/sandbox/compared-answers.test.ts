import { describe, expect, it, onTestFinished } from "vitest";
import { testSandbox } from "../../support/sandbox.ts";

// The parts of answers that the tests of public clients compare, besides those in the tables of json-api.

const opened = async (profile: "canonical" | "production") => {
  const sandbox = await testSandbox({ profile });
  onTestFinished(() => sandbox.close());
  return sandbox;
};

describe("an error", () => {
  it.each([
    ["canonical", "https://docs.platform.example/errors#"],
    ["production", "https://dev.moysklad.ru/doc/api/remap/1.2/#error_"],
  ] as const)("under the profile %s has a link that begins with %s and ends in its code", async (profile, link) => {
    const sandbox = await opened(profile);
    const answers = [
      await sandbox.call("GET", "entity/nothing"),
      await sandbox.call("POST", "entity/product", {}),
      await sandbox
        .call("POST", "entity/product", [{}])
        .then((answer) => ({ at: (...steps: (string | number)[]) => answer.at(0, ...steps) })),
      await sandbox.call("GET", "entity/uom", undefined, { authorization: "Bearer wrong" }),
      await sandbox.call("GET", "nothing"),
    ];
    for (const answer of answers) expect(answer.at("errors", 0, "moreInfo")).toBe(`${link}${String(answer.at("errors", 0, "code"))}`);
  });

  it("of a change that does not say of what is 400 with code 1012", async () => {
    const sandbox = await opened("canonical");
    for (const type of ["product", "counterparty", "customerorder"]) {
      const answer = await sandbox.call("PUT", `entity/${type}`, { name: "Имя" });
      expect([answer.status, answer.at("errors", 0, "code")]).toEqual([400, 1012]);
    }
    expect((await sandbox.call("PUT", "entity/nothing", {})).at("errors", 0, "code")).toBe(1005);
  });

  it("of an element whose id is none is 2016, the others of the array stand by themselves", async () => {
    const sandbox = await opened("canonical");
    const elements = [{ foo: "bar" }, { name: "Имя" }, { id: "not-id", foo: "bar" }, { id: 7, name: "Имя" }];
    const answer = await sandbox.call("POST", "entity/product", elements);
    expect(answer.status).toBe(400);
    expect(elements.map((_, at) => answer.at(at, "errors", 0, "code"))).toEqual([3000, undefined, 2016, 2016]);
  });

  it.each([
    [{ supplier: { meta: { type: "counterparty", href: "incorrect-href" } }, name: "Имя" }, '"type"'],
    [{ name: "Имя", supplier: { meta: { href: "https://other.example/x", type: "counterparty" } } }, '"href"'],
  ])("of a foreign host stands at the beginning of what is in the meta: %j", async (body, first) => {
    const sandbox = await opened("canonical");
    const text = JSON.stringify(body);
    const answer = await sandbox.call("POST", "entity/product", text);
    expect(answer.at("errors", 0)).toMatchObject({ code: 1059, line: 1, column: text.indexOf(first) + 1 });
  });

  it("of an interface that there is none of is a page with 503", async () => {
    const sandbox = await opened("canonical");
    const answer = await sandbox.call("POST", `${sandbox.base}/api/foo/0/foo/bar`, []);
    expect([answer.status, answer.body]).toEqual([503, undefined]);
  });
});
