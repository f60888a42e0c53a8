import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference, stocked } from "../../support/sandbox-bodies.ts";

describe("employees of the sandbox", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  const make = (more: object = {}) => sandbox.call("POST", "entity/employee", { lastName: "Орлова", ...more });
  const codeOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code"), answer.at("errors", 0, "parameter")];

  it("names are made of their parts, whatever a body says", async () => {
    const made = await make({
      firstName: "Вера",
      middleName: "Ильинична",
      name: "Имя",
      fullName: "Имя",
      shortFio: "Имя",
      uid: "вера@shop",
    });
    expect(made.body).toMatchObject({ name: "Орлова В. И.", shortFio: "Орлова В. И.", fullName: "Вера Ильинична Орлова" });
    expect(made.at("uid")).toBeUndefined();
    expect((await make()).body).toMatchObject({ name: "Орлова", fullName: "Орлова" });
  });

  it("lastName is needed on a change too", async () => {
    const href = String((await make()).at("meta", "href"));
    expect(codeOf(await sandbox.call("PUT", href, { firstName: "Анна" }))).toEqual([412, 3000, "lastName"]);
    expect((await sandbox.call("PUT", href, { lastName: "Орлова", firstName: "Анна" })).at("name")).toBe("Орлова А.");
    expect(codeOf(await sandbox.call("PUT", href, { lastName: null }))).toEqual([400, 2016, "lastName"]);
  });

  it("a tax number with wrong check digits is 43006, an e-mail that is none 3015", async () => {
    expect(codeOf(await make({ inn: "500100732258" }))).toEqual([412, 43006, "inn"]);
    expect((await make({ inn: "500100732259", salary: { value: 5_000_000 } })).body).toMatchObject({ salary: { value: 5_000_000 } });
    expect(codeOf(await make({ email: "нет адреса" }))).toEqual([412, 3015, "email"]);
  });

  it("a photo needs a name and content and is at most 3 MB; its content is not given back, null removes it", async () => {
    const photo = { filename: "anna.png", content: Buffer.from("picture").toString("base64") };
    const made = await make({ image: photo });
    expect(made.at("image")).toMatchObject({ title: "anna", filename: "anna.png", size: 7, updated: expect.any(String) });
    expect(made.at("image")).not.toHaveProperty("content");
    const large = { ...photo, content: Buffer.alloc(3 * 1024 * 1024 + 1).toString("base64") };
    expect(codeOf(await make({ image: large })).slice(0, 2)).toEqual([412, 43001]);
    expect(codeOf(await make({ image: { content: photo.content } })).slice(0, 2)).toEqual([412, 43002]);
    expect(codeOf(await make({ image: { filename: "anna.png" } })).slice(0, 2)).toEqual([412, 43003]);
    const href = String(made.at("meta", "href"));
    expect((await sandbox.call("PUT", href, { lastName: "Орлова", phone: "1" })).at("image", "size")).toBe(7);
    expect((await sandbox.call("PUT", href, { lastName: "Орлова", image: made.at("image") })).at("image")).toEqual(made.at("image"));
    expect((await sandbox.call("PUT", href, { lastName: "Орлова", image: null })).at("image")).toBeUndefined();
  });

  it("a cashier shows both a cashier object and an array of records, somebody else only an empty array", async () => {
    const cashier = await sandbox.call("GET", shopReference(sandbox, "employee", "Петров Д. О.").meta.href);
    expect(cashier.at("cashier")).toMatchObject({
      id: expect.any(String),
      accountId: sandbox.account.id,
      employee: { meta: { href: cashier.at("meta", "href") } },
      retailStore: { meta: { type: "retailstore" } },
    });
    expect(cashier.at("cashiers")).toMatchObject([{ meta: { type: "cashier" } }, { meta: { type: "cashier" } }]);
    const director = await sandbox.call("GET", shopReference(sandbox, "employee", "Соколова А. С.").meta.href);
    expect([director.at("cashier"), director.at("cashiers")]).toEqual([undefined, []]);
  });

  it("records of the employee's collection are at home below their point of sale", async () => {
    const { href } = shopReference(sandbox, "employee", "Петров Д. О.").meta;
    const list = await sandbox.call("GET", `${href}/cashiers`);
    const home = String(list.at("rows", 0, "meta", "href"));
    expect(home).toContain(`/entity/retailstore/${stocked(sandbox, "retailstore").id}/cashiers/`);
    expect((await sandbox.call("GET", home)).at("id")).toBe(list.at("rows", 0, "id"));
    expect((await sandbox.call("GET", `${href}?expand=cashiers.retailStore`)).at("cashiers", 0, "retailStore", "name")).toEqual(
      expect.any(String),
    );
  });

  it("an employee in use is not deleted, one who is not is", async () => {
    const director = shopReference(sandbox, "employee", "Соколова А. С.").meta.href;
    expect(codeOf(await sandbox.call("DELETE", director)).slice(0, 2)).toEqual([409, 1028]);
    expect((await sandbox.call("DELETE", String((await make()).at("meta", "href")))).status).toBe(200);
  });
});
