import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type GoldenWorld, goldenWorld } from "../../support/golden-world.ts";
import { type SandboxAnswer, testSandbox } from "../../support/sandbox.ts";

// json-api 3, 7.1, 8.1, D47, D49.

let world: GoldenWorld;
beforeAll(async () => {
  world = await goldenWorld();
});
afterAll(() => world.close());

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  world.sandbox.call(method, path, body, headers);
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });

describe("a refused login", () => {
  const WRONG = "Неправильный пароль или имя пользователя";
  const MALFORMED = "Неверный формат имени пользователя. Укажите свою учетную запись, например admin@romashka.";

  it.each([
    ["a wrong password", basic("admin@shop:wrong"), WRONG],
    ["a wrong name", basic("nobody@shop:secret"), WRONG],
    ["a wrong token", { authorization: "Bearer wrong" }, WRONG],
    ["no credentials", { authorization: "" }, WRONG],
    ["a login without @", basic("admin:secret"), MALFORMED],
    ["a login without @ and password", basic("admin"), MALFORMED],
  ])("for %s says why, with one status and one code", async (_case, headers, reason) => {
    const answer = await call("GET", "entity/uom?limit=1", undefined, headers);
    expect([answer.status, answer.at("errors", 0, "code")]).toEqual([401, 1056]);
    expect(answer.at("errors", 0, "error")).toBe(`Ошибка аутентификации: ${reason}`);
    expect(decodeURIComponent(answer.headers.get("x-platform-auth-message") ?? "")).toBe(`Ошибка аутентификации: ${reason}`);
    const english = await call("GET", "entity/uom?limit=1", undefined, { ...headers, "accept-language": "en" });
    expect(String(english.at("errors", 0, "error"))).toMatch(/^Authentication failed: [ -~]+$/);
  });
});

const rowsOf = (answer: SandboxAnswer) => answer.at("rows") as { id: string; code: string; name: string }[];

describe("data that every account has", () => {
  it("are 86 regions with fixed ids, 77 the city of Moscow and 23 the Krasnodar territory", async () => {
    const rows = rowsOf(await call("GET", "entity/region"));
    expect(rows).toHaveLength(86);
    for (const { id, code } of rows) expect(id).toBe(`00000000-0000-0000-0000-0000000000${code}`);
    expect(new Set(rows.map(({ code }) => code)).size).toBe(86);
    const nameOf = (code: string) => rows.find((row) => row.code === code)?.name;
    expect([nameOf("77"), nameOf("23")]).toEqual(["г. Москва", "Краснодарский край"]);
    const one = await call("GET", "entity/region/00000000-0000-0000-0000-000000000077");
    expect([one.status, one.at("name")]).toEqual([200, "г. Москва"]);
    const region = { meta: one.at("meta") };
    const buyer = await call("POST", "entity/counterparty", { name: "Имя", actualAddressFull: { region, city: "Москва" } });
    expect([buyer.status, buyer.at("actualAddressFull", "region", "meta", "href")]).toEqual([200, one.at("meta", "href")]);
  });

  it("are at least 58 system units, no two of one code, none of them to be changed", async () => {
    const rows = rowsOf(await call("GET", "entity/uom"));
    expect(rows.length).toBeGreaterThanOrEqual(58);
    expect(new Set(rows.map(({ code }) => code)).size).toBe(rows.length);
    for (const { name, code } of rows) expect([name.length > 0, code]).toEqual([true, expect.stringMatching(/^\d{3}$/)]);
    const changed = await call("PUT", `entity/uom/${rows.at(-1)?.id}`, { name: "иное" });
    expect(changed.at("errors", 0, "code")).toBe(1024);
  });

  it.each(["region", "uom", "country"])("of the classifier %s have their code as external code, too", async (type) => {
    const rows = (await call("GET", `entity/${type}`)).at("rows") as { code: string; externalCode: string }[];
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ externalCode }) => externalCode)).toEqual(rows.map(({ code }) => code));
    const [first] = rows;
    const found = await call("GET", `entity/${type}?filter=externalCode=${first?.code}`);
    expect(found.at("rows")).toEqual([first]);
  });

  it("have the same ids whatever the seed, and everything else others", async () => {
    const other = await testSandbox({ seed: 77, products: 3 });
    onTestFinished(() => other.close());
    for (const type of ["region", "uom"]) {
      const ids = async (get: typeof call) => rowsOf(await get("GET", `entity/${type}`)).map(({ id }) => id);
      expect(await ids((method, path) => other.call(method, path))).toEqual(await ids(call));
    }
    const [goods] = rowsOf(await other.call("GET", "entity/product?limit=1&order=updated,desc"));
    expect((await call("GET", `entity/product/${goods?.id}`)).status).toBe(404);
    expect((await other.call("GET", `entity/product/${goods?.id}?expand=uom`)).at("uom", "name")).toEqual(expect.any(String));
  });
});

describe("createShared of a fresh account", () => {
  const SHARED = ["product", "service", "bundle", "employee", "organization", "project"];
  const OWN = [
    ...["counterparty", "store", "contract", "retailshift", "retaildemand", "retailsalesreturn"],
    ...["retaildrawercashin", "retaildrawercashout", "customerorder"],
  ];

  it.each([...SHARED, ...OWN])("of %s is the list's", async (type) => {
    expect((await call("GET", `entity/${type}/metadata`)).at("createShared")).toBe(SHARED.includes(type));
    const many = await call("GET", `entity/metadata?filter=type=${type}`);
    expect(many.at(type, "createShared")).toBe(SHARED.includes(type));
  });

  it("of a custom dictionary is true", async () => {
    await call("POST", "entity/customentity", { name: "Полки" });
    const settings = await call("GET", "context/companysettings/metadata");
    expect((settings.at("customEntities") as { createShared: boolean }[]).map(({ createShared }) => createShared)).toEqual([true]);
  });
});

describe("the number of the next document", () => {
  const DOCUMENTS = ["customerorder", "retaildemand", "retailsalesreturn", "retailshift", "retaildrawercashin", "retaildrawercashout"];

  it.each(DOCUMENTS)("of type %s follows the last created one whose name ends in digits", async (type) => {
    const own = await goldenWorld();
    onTestFinished(() => own.close());
    const made = (name?: string) =>
      own.sandbox.call("POST", `entity/${type}`, { ...own.least(type), ...(name === undefined ? {} : { name }) });
    const next = async () => (await made()).at("name");
    await made("WEB-100");
    expect(await next()).toBe("WEB-101");
    expect(await next()).toBe("WEB-102");
    await made("без номера");
    expect(await next()).toBe("WEB-103");
    await made("A007");
    expect([await next(), await next()]).toEqual(["A008", "A009"]);
    await made("9");
    expect([await next(), await next()]).toEqual(["10", "11"]);
    // A number that exists is skipped.
    await made("13");
    const twelve = await made("12");
    expect(await next()).toBe("14");
    await made("Z-1");
    await own.sandbox.call("DELETE", String(twelve.at("meta", "href")));
    expect(await next()).toBe("Z-2");
    const last = await made("Q-5");
    await own.sandbox.call("DELETE", String(last.at("meta", "href")));
    expect(await next()).toBe("Z-3");
    const huge = "99999999999999999999";
    await made(huge);
    expect(await next()).toBe("100000000000000000000");
  });

  it("is 00001 where there is none, and a template shows it", async () => {
    const sandbox = await testSandbox();
    onTestFinished(() => sandbox.close());
    expect((await sandbox.call("PUT", "entity/customerorder/new")).at("name")).toBe("00001");
    const order = async (name?: string) => {
      const first = async (type: string) => ({ meta: (await sandbox.call("GET", `entity/${type}?limit=1`)).at("rows", 0, "meta") });
      const body = {
        organization: await first("organization"),
        agent: await first("counterparty"),
        ...(name === undefined ? {} : { name }),
      };
      return (await sandbox.call("POST", "entity/customerorder", body)).at("name");
    };
    expect([await order("Первый"), await order(), await order()]).toEqual(["Первый", "00001", "00002"]);
  });
});
