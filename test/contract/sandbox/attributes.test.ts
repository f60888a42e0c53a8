import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EMPLOYEE, type TestSandbox, testSandbox } from "../../support/sandbox.ts";

const BASE = "entity/product/metadata/attributes";

describe("additional fields of the sandbox", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  /** Makes a definition and returns its meta. */
  async function define(body: object): Promise<{ href: string; id: string; meta: unknown }> {
    const made = await sandbox.call("POST", BASE, body);
    expect(made.status, made.text).toBe(200);
    return { href: String(made.at("meta", "href")), id: String(made.at("id")), meta: made.at("meta") };
  }

  it("a definition needs name and type, both reported together", async () => {
    const refused = await sandbox.call("POST", BASE, {});
    expect(refused.status).toBe(412);
    expect(refused.at("errors", 0)).toMatchObject({ code: 3000, parameter: "name" });
    expect(refused.at("errors", 1)).toMatchObject({ code: 3000, parameter: "type" });
  });

  it("a definition has meta of type attributemetadata, an id and required false", async () => {
    const made = await sandbox.call("POST", BASE, { name: "Сорт", type: "string" });
    expect(made.body).toMatchObject({
      meta: { type: "attributemetadata", mediaType: "application/json" },
      name: "Сорт",
      type: "string",
      required: false,
    });
    expect((await sandbox.call("GET", String(made.at("meta", "href")))).body).toEqual(made.body);
    const list = await sandbox.call("GET", BASE);
    expect(list.at("meta")).toMatchObject({ size: 1, limit: 1000, offset: 0 });
    expect(list.at("rows", 0)).toEqual(made.body);
  });

  it("two fields of one type cannot share a name, not even by a change or within one array", async () => {
    await define({ name: "Цвет", type: "string" });
    const other = await define({ name: "Оттенок", type: "string" });
    expect((await sandbox.call("POST", BASE, { name: "Цвет", type: "long" })).at("errors", 0)).toMatchObject({
      code: 3006,
      parameter: "name",
    });
    expect((await sandbox.call("PUT", other.href, { name: "Цвет" })).at("errors", 0, "code")).toBe(3006);
    const both = await sandbox.call("POST", BASE, [
      { name: "Парный", type: "string" },
      { name: "Парный", type: "string" },
    ]);
    expect(both.at(0, "name")).toBe("Парный");
    expect(both.at(1, "errors", 0, "code")).toBe(3006);
  });

  it("the type never changes, and what a change leaves out stays", async () => {
    const made = await define({ name: "Срок", type: "time", description: "годен до" });
    expect((await sandbox.call("PUT", made.href, { type: "string" })).at("errors", 0)).toMatchObject({ code: 3001, parameter: "type" });
    expect((await sandbox.call("PUT", made.href, { name: "Срок годности" })).body).toMatchObject({ type: "time", description: "годен до" });
  });

  it("required cannot be changed for a boolean field, nor be true for a file", async () => {
    const flag = await define({ name: "Хит", type: "boolean" });
    expect((await sandbox.call("PUT", flag.href, { required: true })).at("errors", 0, "code")).toBe(3001);
    expect((await sandbox.call("POST", BASE, { name: "Паспорт", type: "file", required: true })).status).toBe(412);
  });

  it("an array changes the elements with an id and creates the others", async () => {
    const known = await define({ name: "Вид 1", type: "string" });
    const answer = await sandbox.call("POST", BASE, [
      { id: known.id, name: "Вид один" },
      { name: "Вид два", type: "long" },
      { meta: known.meta, description: "и так" },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.at(0)).toMatchObject({ id: known.id, name: "Вид один", type: "string" });
    expect(answer.at(1)).toMatchObject({ name: "Вид два", type: "long" });
    expect(answer.at(2)).toMatchObject({ id: known.id, description: "и так" });
  });

  it("a bulk delete that names one unknown field deletes nothing; a good one answers an empty body", async () => {
    const first = await define({ name: "Лишнее 1", type: "string" });
    const second = await define({ name: "Лишнее 2", type: "string" });
    const unknown = { meta: { ...(first.meta as object), href: first.href.replace(first.id, "00000000-0000-4000-8000-000000000000") } };
    expect((await sandbox.call("POST", `${BASE}/delete`, [{ meta: first.meta }, unknown])).status).toBeGreaterThanOrEqual(400);
    expect((await sandbox.call("GET", first.href)).status).toBe(200);
    const gone = await sandbox.call("POST", `${BASE}/delete`, [{ meta: first.meta }, { meta: second.meta }]);
    expect([gone.status, gone.text]).toEqual([200, ""]);
    expect((await sandbox.call("GET", first.href)).status).toBe(404);
  });

  it("values are set on objects, merged by field, cleared with null, and only filled ones appear", async () => {
    const colour = await define({ name: "Оттенок ткани", type: "string" });
    const rate = await define({ name: "Оценка", type: "long" });
    const made = await sandbox.call("POST", "entity/product", {
      name: "Шарф",
      attributes: [
        { meta: colour.meta, value: "красный" },
        { meta: rate.meta, value: 5 },
      ],
    });
    expect(made.at("attributes")).toEqual([
      { meta: colour.meta, id: colour.id, name: "Оттенок ткани", type: "string", value: "красный" },
      { meta: rate.meta, id: rate.id, name: "Оценка", type: "long", value: 5 },
    ]);
    const href = String(made.at("meta", "href"));
    const merged = await sandbox.call("PUT", href, { attributes: [{ meta: rate.meta, value: 4 }] });
    expect(merged.at("attributes", 0, "value")).toBe("красный");
    expect(merged.at("attributes", 1, "value")).toBe(4);
    expect((await sandbox.call("PUT", href, { attributes: null })).at("attributes", 0, "value")).toBe("красный");
    const cleared = await sandbox.call("PUT", href, {
      attributes: [
        { id: colour.id, value: null },
        { meta: rate.meta, value: null },
      ],
    });
    expect(cleared.at("attributes")).toBeUndefined();
  });

  it("a value of the wrong form is 2016, a missing one 14009, an unknown field 14003, another type's 14000", async () => {
    const made = await define({ name: "Вес нетто", type: "double" });
    const put = (attributes: unknown[]) => sandbox.call("POST", "entity/product", { name: "Х", attributes });
    expect((await put([{ meta: made.meta, value: "много" }])).at("errors", 0)).toMatchObject({ code: 2016, parameter: "Вес нетто" });
    expect((await put([{ meta: made.meta }])).at("errors", 0, "code")).toBe(14009);
    const unknown = { ...(made.meta as object), href: made.href.replace(made.id, "00000000-0000-4000-8000-000000000000") };
    expect((await put([{ meta: unknown, value: 1 }])).at("errors", 0, "code")).toBe(14003);
  });

  it("a required field must have a value at creation and at change; without one nothing is stored", async () => {
    const before = (await sandbox.call("POST", "entity/product", { name: "Ранний" })).at("meta", "href");
    const must = await define({ name: "Обязательное", type: "string", required: true });
    const refused = await sandbox.call("POST", "entity/product", { name: "Поздний" });
    expect(refused.at("errors", 0)).toMatchObject({ code: 3000, parameter: "Обязательное" });
    expect((await sandbox.call("PUT", String(before), { name: "Всё ещё ранний" })).status).toBe(412);
    expect((await sandbox.call("PUT", String(before), { attributes: [{ meta: must.meta, value: "" }] })).at("errors", 0, "code")).toBe(
      3000,
    );
    expect((await sandbox.call("PUT", String(before), { attributes: [{ meta: must.meta, value: "да" }] })).status).toBe(200);
    // A required, filled field may be deleted all the same.
    expect((await sandbox.call("DELETE", must.href)).status).toBe(200);
    expect((await sandbox.call("GET", String(before))).at("attributes")).toBeUndefined();
  });

  it("a field that points at products takes a product and answers its name", async () => {
    const made = await define({ name: "Замена", type: "product" });
    const other = await sandbox.call("POST", "entity/product", { name: "Заменитель" });
    const answer = await sandbox.call("POST", "entity/product", {
      name: "Оригинал",
      attributes: [{ meta: made.meta, value: { meta: other.at("meta") } }],
    });
    expect(answer.at("attributes", 0, "value")).toMatchObject({
      meta: { href: other.at("meta", "href"), type: "product" },
      name: "Заменитель",
    });
  });

  it("a file is uploaded with its name and content, downloaded by its address, and cleared with file null", async () => {
    const made = await define({ name: "Инструкция", type: "file" });
    const upload = (file: unknown) => [{ meta: made.meta, file }];
    const content = Buffer.from("как включить").toString("base64");
    const answer = await sandbox.call("POST", "entity/product", { name: "Чайник", attributes: upload({ filename: "how.txt", content }) });
    expect(answer.at("attributes", 0, "value")).toBe("how.txt");
    const link = await sandbox.call("GET", String(answer.at("attributes", 0, "download", "href")));
    expect(await (await fetch(String(link.headers.get("location")))).text()).toBe("как включить");
    const put = (attributes: unknown) => sandbox.call("PUT", String(answer.at("meta", "href")), { attributes });
    expect((await put([{ meta: made.meta, value: "other.txt" }])).at("errors", 0, "code")).toBe(14001);
    expect((await put(upload({ content }))).at("errors", 0, "code")).toBe(14006);
    expect((await put(upload({ filename: "x" }))).at("errors", 0, "code")).toBe(14007);
    expect((await put(upload(null))).at("attributes")).toBeUndefined();
  });

  it("only an administrator changes and deletes definitions", async () => {
    const made = await define({ name: "Тайна", type: "string" });
    const authorization = `Basic ${Buffer.from(`${EMPLOYEE.login}:${EMPLOYEE.password}`).toString("base64")}`;
    expect((await sandbox.call("POST", BASE, { name: "Моё", type: "string" }, { authorization })).at("errors", 0, "code")).toBe(14010);
    expect((await sandbox.call("DELETE", made.href, undefined, { authorization })).at("errors", 0, "code")).toBe(14013);
    expect((await sandbox.call("GET", made.href, undefined, { authorization })).status).toBe(200);
  });

  it("metadata names the fields as a collection, with their rows when expanded", async () => {
    const metadata = await sandbox.call("GET", "entity/product/metadata");
    expect(metadata.at("attributes", "meta")).toMatchObject({ href: `${sandbox.api}/${BASE}`, type: "attributemetadata" });
    expect(metadata.at("attributes", "rows")).toBeUndefined();
    expect(metadata.body).toMatchObject({ groups: [], createShared: true });
    const expanded = await sandbox.call("GET", "entity/product/metadata?expand=attributes");
    expect(expanded.at("attributes", "rows", 0, "name")).toBe("Сорт");
  });
});
