import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LEFT_OUT } from "../../../src/tools/sandbox/types/left-out.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { EMPLOYEE, type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";

// json-api 2, 3, 4 and 10.1, fact by fact. The facts about admission, logins and limits are in files of their own.

const AS_EMPLOYEE = { authorization: `Basic ${Buffer.from(`${EMPLOYEE.login}:${EMPLOYEE.password}`).toString("base64")}` };
const NOBODY = "00000000-0000-4000-8000-000000000000";

describe("addresses, authentication and transport", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  const faultOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    sandbox.call(method, path, body, headers);

  it("the service works only with JSON: bodies of answers say so, refusals too", async () => {
    for (const path of ["entity/product", "report/stock/all", "context/employee", "entity/product/metadata", "async", "nothing"]) {
      expect((await call("GET", path)).headers.get("content-type"), path).toMatch(/^application\/json;\s*charset=utf-8$/i);
    }
  });

  it("an answer is compressed, and tells it in Content-Encoding", async () => {
    const answer = await rawRequest("GET", `${sandbox.api}/entity/product`, {
      authorization: "Bearer test-token",
      "accept-encoding": "gzip",
    });
    expect(answer.headers["content-encoding"]).toBe("gzip");
  });

  it("the types that the sandbox leaves out are those of its README", () => {
    const readme = readFileSync(new URL("../../../src/tools/sandbox/README.md", import.meta.url), "utf8");
    const [, section = ""] = /^## What is left out\n(.*?)^## /ms.exec(readme) ?? [];
    const rows = section.split("\n").filter((line) => line.startsWith("|"));
    const named = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
    expect(named).toEqual([...LEFT_OUT]);
  });

  it("an unknown entity type is 412 with code 1005, a path segment that is no id 404 with code 1000", async () => {
    expect(faultOf(await call("GET", "entity/elephant"))).toEqual([412, 1005]);
    expect(faultOf(await call("POST", "entity/elephant", { name: "Слон" }))).toEqual([412, 1005]);
    for (const type of LEFT_OUT) expect([type, ...faultOf(await call("GET", `entity/${type}`))]).toEqual([type, 412, 1005]);
    expect(faultOf(await call("GET", "entity/product/not-an-id"))).toEqual([404, 1000]);
    expect(faultOf(await call("PUT", "entity/product/not-an-id", { name: "x" }))).toEqual([404, 1000]);
    expect(faultOf(await call("DELETE", "entity/product/12345"))).toEqual([404, 1000]);
  });

  it("a trailing slash after a list path is accepted for writing too", async () => {
    expect((await call("POST", "entity/product/", { name: "Косая черта" })).status).toBe(200);
  });

  it("an href that names a foreign host is refused with code 1059 and status 400, wherever it stands", async () => {
    const meta = { href: `https://other.example/api/remap/1.2/entity/uom/${NOBODY}`, type: "uom", mediaType: "application/json" };
    expect(faultOf(await call("POST", "entity/product", { name: "Чужой", uom: { meta } }))).toEqual([400, 1059]);
    expect((await call("POST", "entity/product/delete", [{ meta: { ...meta, type: "product" } }])).at(0, "errors", 0, "code")).toBe(1059);
    const filter = encodeURIComponent(`supplier=https://other.example/api/remap/1.2/entity/counterparty/${NOBODY}`);
    expect(faultOf(await call("GET", `entity/product?filter=${filter}`))).toEqual([400, 1059]);
  });

  it("creating, editing and deleting that a type does not offer are 405 with a code for each", async () => {
    const href = shopReference(sandbox, "region").meta.href;
    expect(faultOf(await call("POST", "entity/region", { name: "Край" }))).toEqual([405, 1011]);
    expect(faultOf(await call("PUT", href, { name: "Край" }))).toEqual([405, 1026]);
    expect(faultOf(await call("DELETE", href))).toEqual([405, 1010]);
    expect(faultOf(await call("POST", "entity/region/delete", []))).toEqual([405, 1010]);
  });

  it("webhooks need the account administrator, whatever is done with them", async () => {
    const made = await call("POST", "entity/webhook", { url: "https://hooks.example/a", action: "CREATE", entityType: "service" });
    const href = String(made.at("meta", "href"));
    const asked: [string, string, unknown?][] = [
      ["GET", "entity/webhook"],
      ["POST", "entity/webhook", { url: "https://hooks.example/b", action: "DELETE", entityType: "service" }],
      ["GET", href],
      ["PUT", href, { enabled: false }],
      ["DELETE", href],
      ["POST", "entity/webhook/delete", [{ meta: made.at("meta") }]],
      ["GET", "entity/webhookstock"],
      ["POST", "entity/webhookstock", { url: "https://hooks.example/c", stockType: "stock", reportType: "all" }],
    ];
    for (const [method, path, body] of asked) {
      expect([method, path, ...faultOf(await call(method, path, body, AS_EMPLOYEE))]).toEqual([method, path, 403, 30004]);
    }
    expect((await call("GET", href)).at("enabled")).toBe(true);
  });

  it("additional fields and states need the administrator to be managed, and nobody to be read", async () => {
    const field = await call("POST", "entity/counterparty/metadata/attributes", { name: "Район", type: "string" });
    const state = await call("POST", "entity/counterparty/metadata/states", { name: "Свой", color: 1, stateType: "Regular" });
    for (const made of [field, state]) {
      const href = String(made.at("meta", "href"));
      const base = href.slice(0, href.lastIndexOf("/"));
      expect((await call("GET", href, undefined, AS_EMPLOYEE)).status).toBe(200);
      for (const [method, path, body] of [
        ["POST", base, { name: "Другой", type: "string", color: 1, stateType: "Regular" }],
        ["PUT", href, { name: "Иначе" }],
        ["DELETE", href, undefined],
      ] as const) {
        expect([method, (await call(method, path, body, AS_EMPLOYEE)).status]).toEqual([method, 403]);
      }
      expect((await call("GET", href)).body).toEqual(made.body);
    }
    const deleted = await call("POST", "entity/counterparty/metadata/attributes/delete", [{ meta: field.at("meta") }], AS_EMPLOYEE);
    expect(faultOf(deleted)).toEqual([403, 14013]);
  });

  it("Accept may be missing, name everything or JSON, with or without a charset (D3)", async () => {
    for (const accept of [undefined, "*/*", "application/json", "application/json;charset=utf-8", "application/json; charset=UTF-8"]) {
      const headers = { authorization: "Bearer test-token", "accept-encoding": "gzip", ...(accept === undefined ? {} : { accept }) };
      expect([accept, (await rawRequest("GET", `${sandbox.api}/entity/uom?limit=1`, headers)).status]).toEqual([accept, 200]);
    }
  });

  it("Accept-Language of another language is the account's own", async () => {
    const text = async (language: string) =>
      (await call("GET", `entity/product/${NOBODY}`, undefined, { "accept-language": language })).at("errors", 0, "error");
    expect(await text("de")).toBe(await text("ru"));
    expect(await text("en")).not.toBe(await text("ru"));
  });

  it("an error has a text, a whole number as code, and a link that ends in the code", async () => {
    const answers = [
      await call("POST", "entity/product", {}),
      await call("GET", "entity/product?limit=x"),
      await call("GET", `entity/product/${NOBODY}`),
      await call("GET", "entity/product", undefined, { authorization: "Bearer wrong" }),
    ];
    for (const { body } of answers) {
      const { errors } = body as { errors: { error: string; code: number; moreInfo: string }[] };
      expect(Object.keys(body as object)).toEqual(["errors"]);
      for (const { error, code, moreInfo } of errors) {
        expect([typeof error, Number.isInteger(code)]).toEqual(["string", true]);
        expect(moreInfo.endsWith(String(code))).toBe(true);
      }
    }
  });

  it("webhooks and additional fields have the same shapes under 1.1 and 1.2 (seed)", async () => {
    const old = sandbox.api.replace("/1.2", "/1.1");
    const current = (answer: SandboxAnswer): unknown => JSON.parse(answer.text.replaceAll("/remap/1.1/", "/remap/1.2/"));
    const field = await call("POST", `${old}/entity/employee/metadata/attributes`, { name: "Табель", type: "string" });
    const hook = await call("POST", `${old}/entity/webhook`, { url: "https://hooks.example/old", action: "DELETE", entityType: "uom" });
    for (const [base, made] of [
      ["entity/employee/metadata/attributes", field],
      ["entity/webhook", hook],
    ] as const) {
      expect(made.at("meta", "href")).toBe(`${old}/${base}/${String(made.at("id"))}`);
      expect((await call("GET", `${base}/${String(made.at("id"))}`)).body).toEqual(current(made));
      expect((await call("GET", `${old}/${base}/${String(made.at("id"))}`)).body).toEqual(made.body);
    }
    expect((await call("DELETE", `entity/webhook/${String(hook.at("id"))}`)).status).toBe(200);
    expect(faultOf(await call("DELETE", `entity/webhook/${String(hook.at("id"))}`))).toEqual([404, 1021]);
  });

  it("an object's nested collections have a limit of 100 under 1.1 and of 1000 under 1.2 (seed)", async () => {
    const made = await call("POST", "entity/counterparty", { name: "Вложенный" });
    const id = String(made.at("id"));
    const limit = async (api: string) => (await call("GET", `${api}/entity/counterparty/${id}`)).at("accounts", "meta", "limit");
    expect([await limit(sandbox.api.replace("/1.2", "/1.1")), await limit(sandbox.api)]).toEqual([100, 1000]);
  });

  it("an address longer than is taken is 414, and so is one with a long query only", async () => {
    expect((await call("GET", `entity/${"a".repeat(9000)}`)).status).toBe(414);
  });
});
