import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type RawAnswer, rawRequest } from "../../support/raw-request.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";

const USUAL = { authorization: "Bearer test-token", "accept-encoding": "gzip" };
const JSON_BODY = { ...USUAL, "content-type": "application/json" };

describe("the door of the sandbox", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  /** `path` is relative to `{api}`, or to the origin when it begins with a slash. */
  function raw(
    method: string,
    path: string,
    headers: Record<string, string | string[]> = USUAL,
    body?: string | Buffer,
  ): Promise<RawAnswer> {
    return rawRequest(method, path.startsWith("/") ? `${sandbox.base}${path}` : `${sandbox.api}/${path}`, headers, body);
  }

  const errorOf = (answer: RawAnswer) => ({ status: answer.status, ...(answer.body as { errors: object[] }).errors[0] });

  describe("versions", () => {
    it("1.0, 1.1 and 1.2 answer from the same store, with hrefs in the version that was asked for", async () => {
      const created = await sandbox.call("POST", "entity/product", { name: "Пряники" });
      for (const version of ["1.0", "1.1", "1.2"]) {
        const api = `${sandbox.base}/api/remap/${version}`;
        const read = await sandbox.call("GET", `${api}/entity/product/${created.at("id")}`);
        expect(read.at("name")).toBe("Пряники");
        expect(read.at("meta", "href")).toBe(`${api}/entity/product/${created.at("id")}`);
        const list = await sandbox.call("GET", `${api}/entity/product?limit=1`);
        expect(list.at("meta", "nextHref")).toBe(`${api}/entity/product?limit=1&offset=1`);
        expect(list.at("context", "employee", "meta", "href")).toBe(`${api}/context/employee`);
      }
    });

    it("an href of one version is a reference in another", async () => {
      const uom = await sandbox.call("GET", `${sandbox.base}/api/remap/1.1/entity/uom?limit=1`);
      const created = await sandbox.call("POST", "entity/product", { name: "Соль", uom: { meta: uom.at("rows", 0, "meta") } });
      expect(created.status).toBe(200);
      expect(created.at("uom", "meta", "href")).toMatch(`${sandbox.api}/entity/uom/`);
    });

    it.each(["1.3", "2.0", "latest"])("another version is a page with status 404, no JSON: %s", async (version) => {
      const answer = await raw("GET", `/api/remap/${version}/entity/product`);
      expect([answer.status, answer.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
      expect(answer.text).toContain("<html>");
    });

    it("1.1 shows webhooks by 25 and sub-collections by 100; 1.2 by 1000", async () => {
      const { id } = (await sandbox.call("POST", "entity/product", { name: "Мыло" })).body as { id: string };
      const limits = async (version: string, path: string) => {
        const answer = await sandbox.call("GET", `${sandbox.base}/api/remap/${version}/${path}`);
        return answer.at("meta", "limit");
      };
      expect([await limits("1.1", "entity/webhook"), await limits("1.2", "entity/webhook")]).toEqual([25, 1000]);
      expect([
        await limits("1.1", "entity/product/metadata/attributes"),
        await limits("1.2", "entity/product/metadata/attributes"),
      ]).toEqual([100, 1000]);
      expect([await limits("1.1", `entity/product/${id}/images`), await limits("1.2", `entity/product/${id}/images`)]).toEqual([100, 1000]);
      expect(await limits("1.1", "entity/product")).toBe(1000);
      expect(await limits("1.1", "entity/webhook?limit=50")).toBe(50);
    });
  });

  describe("gzip", () => {
    it("is demanded: without it, or with another coding only, the answer is 415 with an empty body", async () => {
      for (const coding of [undefined, "identity", "deflate, br"]) {
        const answer = await raw("GET", "entity/product", {
          authorization: USUAL.authorization,
          ...(coding === undefined ? {} : { "accept-encoding": coding }),
        });
        expect([answer.status, answer.text]).toEqual([415, ""]);
      }
    });

    it("packs the answer, and Content-Encoding says so", async () => {
      const answer = await raw("GET", "entity/product", { ...USUAL, "accept-encoding": "gzip, deflate" });
      expect([answer.status, answer.headers["content-encoding"]]).toEqual([200, "gzip"]);
    });

    it("is optional with the setting, and the answer is plain then", async () => {
      const lenient = await testSandbox({ settings: { gzip: "optional" } });
      onTestFinished(() => lenient.close());
      const answer = await rawRequest("GET", `${lenient.api}/entity/product`, { authorization: USUAL.authorization });
      expect([answer.status, answer.headers["content-encoding"]]).toEqual([200, undefined]);
      expect(answer.body).toHaveProperty("rows");
    });

    it("is taken of a body", async () => {
      const answer = await raw("POST", "entity/product", { ...JSON_BODY, "content-encoding": "gzip" }, gzipSync('{"name":"Крупа"}'));
      expect(answer.body).toMatchObject({ name: "Крупа" });
      expect(errorOf(await raw("POST", "entity/product", { ...JSON_BODY, "content-encoding": "gzip" }, "no gzip"))).toMatchObject({
        status: 400,
        code: 2001,
      });
    });
  });

  describe("bodies", () => {
    it("of another type than JSON are 415 with code 1037", async () => {
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=windows-1251"]) {
        const answer = await raw("POST", "entity/product", { ...USUAL, "content-type": type }, '{"name":"a"}');
        expect(errorOf(answer)).toMatchObject({ status: 415, code: 1037 });
      }
      expect(
        (await raw("POST", "entity/product", { ...USUAL, "content-type": "application/json;charset=UTF-8" }, '{"name":"a"}')).status,
      ).toBe(200);
    });

    it("that are no JSON are 400 with code 2001, line and column of the fault", async () => {
      expect(errorOf(await raw("POST", "entity/product", JSON_BODY, '{\n"name": }'))).toMatchObject({
        status: 400,
        code: 2001,
        line: 2,
        column: 9,
      });
    });

    it("that are empty are 400 with code 1027", async () => {
      expect(errorOf(await raw("POST", "entity/product", JSON_BODY))).toMatchObject({ status: 400, code: 1027 });
    });

    it("above 20 MB are 413 with code 1044", async () => {
      const large = gzipSync(Buffer.alloc(20 * 1024 * 1024 + 1, 0x20));
      expect(errorOf(await raw("POST", "entity/product", { ...JSON_BODY, "content-encoding": "gzip" }, large))).toMatchObject({
        status: 413,
        code: 1044,
        error: expect.stringContaining("20 МБ"),
      });
    });

    it("lead to errors that name line and column of what they are about", async () => {
      const text = '[\n  {"name": "Рис"},\n  {"name": "Мука", "weight": "много"}\n]';
      const answer = await raw("POST", "entity/product", JSON_BODY, text);
      expect(answer.status).toBe(400);
      expect((answer.body as object[])[1]).toMatchObject({ errors: [{ parameter: "weight", line: 3, column: 20 }] });
      const single = await raw("POST", "entity/product", JSON_BODY, '{"code": "1",\n "name": 5}');
      expect(errorOf(single)).toMatchObject({ code: 2016, parameter: "name", line: 2, column: 2 });
    });
  });

  describe("addresses and headers", () => {
    it("a list path may end with a slash", async () => {
      expect((await raw("GET", "entity/product/?limit=0")).status).toBe(200);
    });

    it("an address above 8 KB is 414, headers above 8 KB together are 431", async () => {
      expect((await raw("GET", `entity/product?search=${"a".repeat(8_200)}`)).status).toBe(414);
      expect((await raw("GET", "entity/product", { ...USUAL, "x-long": "a".repeat(8_200) })).status).toBe(431);
      expect((await raw("GET", "entity/product?limit=0", { ...USUAL, "x-long": "a".repeat(7_500) })).status).toBe(200);
    });

    it("a query that cannot be decoded is 400 with code 1058", async () => {
      expect(errorOf(await raw("GET", "entity/product?filter=name=%zz"))).toMatchObject({ status: 400, code: 1058 });
    });

    it("an unknown path is 404 with code 1002, a method that is not offered 405 with code 1039", async () => {
      expect(errorOf(await raw("GET", "entity"))).toMatchObject({ status: 404, code: 1002 });
      expect(errorOf(await raw("GET", "nothing/here"))).toMatchObject({ status: 404, code: 1002 });
      for (const method of ["DELETE", "PATCH"]) {
        expect(errorOf(await raw(method, "entity/product"))).toMatchObject({ status: 405, code: 1039 });
      }
    });

    it("creating with an id in the path is 400 with code 1006", async () => {
      const path = "entity/product/00000000-0000-4000-8000-000000000000";
      expect(errorOf(await raw("POST", path, JSON_BODY, "{}"))).toMatchObject({ status: 400, code: 1006 });
      expect(errorOf(await raw("POST", "entity/product/new", JSON_BODY, "{}"))).toMatchObject({ status: 405, code: 1039 });
    });

    it("Accept that takes no JSON is 400 with code 1062", async () => {
      expect(errorOf(await raw("GET", "entity/product", { ...USUAL, accept: "text/html" }))).toMatchObject({ status: 400, code: 1062 });
      expect((await raw("GET", "entity/product?limit=0", { ...USUAL, accept: "application/json;charset=utf-8" })).status).toBe(200);
    });

    it("Accept-Language changes the language of error texts only", async () => {
      const path = "entity/product/00000000-0000-4000-8000-000000000000";
      const russian = errorOf(await raw("GET", path));
      const english = errorOf(await raw("GET", path, { ...USUAL, "accept-language": "en" }));
      expect(russian).toMatchObject({ status: 404, code: 1021, error: expect.stringMatching(/[а-я]/) });
      expect(english).toMatchObject({ status: 404, code: 1021, error: expect.not.stringMatching(/[а-я]/) });
    });

    it("an error names its code in moreInfo", async () => {
      expect(errorOf(await raw("GET", "nothing"))).toMatchObject({ moreInfo: expect.stringMatching(/1002$/) });
    });

    it("Platform-Pretty-Print-JSON gives indented output", async () => {
      const pretty = await raw("GET", "entity/product?limit=1", { ...USUAL, "platform-pretty-print-json": "true" });
      expect(pretty.text).toContain('\n  "meta": {');
      expect((await raw("GET", "entity/product?limit=1")).text).not.toContain("\n");
    });

    it("X-Platform-Format-Millisecond gives datetimes with milliseconds, and their absence without", async () => {
      const updated = (answer: RawAnswer) => (answer.body as { rows: { updated: string }[] }).rows[0]?.updated;
      expect(updated(await raw("GET", "entity/product?limit=1", { ...USUAL, "x-platform-format-millisecond": "true" }))).toMatch(
        /:\d\d\.\d{3}$/,
      );
      expect(updated(await raw("GET", "entity/product?limit=1"))).toMatch(/:\d\d$/);
    });

    it("a prefix of webhooks to mute without scheme or domain is 412 with code 3030; several are several headers", async () => {
      const muted = (prefix: string | string[]) =>
        raw("POST", "entity/product", { ...JSON_BODY, "x-platform-webhook-disablebyprefix": prefix }, '{"name":"Мята"}');
      for (const prefix of ["hooks.example.org", "https://", "https://a.example,https://b.example"]) {
        expect(errorOf(await muted(prefix))).toMatchObject({ status: 412, code: 3030 });
      }
      expect((await muted(["https://a.example/in", "http://127.0.0.1:1"])).status).toBe(200);
    });

    it("the production profile knows its own names of headers, and no others", async () => {
      const production = await testSandbox({ profile: "production" });
      onTestFinished(() => production.close());
      const ask = (headers: Record<string, string>) => rawRequest("GET", `${production.api}/entity/uom?limit=1`, { ...USUAL, ...headers });
      expect((await ask({ "lognex-pretty-print-json": "true" })).text).toContain("\n");
      expect((await ask({ "platform-pretty-print-json": "true" })).text).not.toContain("\n");
      const denied = await ask({ authorization: "Bearer wrong" });
      expect(denied.headers).toMatchObject({ "x-lognex-auth": "401000", "x-lognex-retry-timeinterval": "3000", "x-lognex-reset": "0" });
      expect(Object.keys(denied.headers).join()).not.toContain("platform");
    });
  });

  it("hrefs carry the public address, and hrefs of both addresses are its own", async () => {
    const proxied = await testSandbox({ publicUrl: "https://api.example.org" });
    onTestFinished(() => proxied.close());
    const created = await proxied.call("POST", "entity/product", { name: "Чай" });
    const { id, meta } = created.body as { id: string; meta: { href: string } };
    expect(meta.href).toBe(`https://api.example.org/api/remap/1.2/entity/product/${id}`);
    for (const href of [meta.href, `${proxied.api}/entity/product/${id}`]) {
      const changed = await proxied.call("POST", "entity/product", [
        { meta: { href, type: "product", mediaType: "application/json" }, code: href },
      ]);
      expect(changed.at(0, "code")).toBe(href);
    }
    const foreign = await proxied.call("POST", "entity/product", [
      { meta: { ...meta, href: meta.href.replace("example.org", "example.com") } },
    ]);
    expect(foreign.at(0, "errors", 0, "code")).toBe(1059);
  });
});
