import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Receiver } from "../../support/receiver.ts";
import { temporaryFolder } from "../../support/registers.ts";
import { EMPLOYEE, type TestSandbox, testSandbox } from "../../support/sandbox.ts";

const FIELDS = "entity/product/metadata/attributes";
const NOBODY = "00000000-0000-4000-8000-000000000000";
const AS_EMPLOYEE = { authorization: `Basic ${Buffer.from(`${EMPLOYEE.login}:${EMPLOYEE.password}`).toString("base64")}` };

interface Made {
  id: string;
  href: string;
  meta: { href: string; type: string; mediaType: string };
}

/** A directory, its elements, and a field of products whose values are these elements. */
async function directoryOf(sandbox: TestSandbox, name: string, elements: string[]) {
  const { id } = await made(sandbox, "entity/customentity", { name });
  const inside = await Promise.all(elements.map((each) => made(sandbox, `entity/customentity/${id}`, { name: each })));
  const customEntityMeta = customMeta(sandbox, id);
  const field = await made(sandbox, FIELDS, { name: `${name} товара`, type: "customentity", customEntityMeta });
  return { id, elements: inside, field };
}

async function made(sandbox: TestSandbox, path: string, body: object): Promise<Made> {
  const answer = await sandbox.call("POST", path, body);
  expect(answer.status, answer.text).toBe(200);
  return { id: String(answer.at("id")), href: String(answer.at("meta", "href")), meta: answer.at("meta") as Made["meta"] };
}

function customMeta(sandbox: TestSandbox, id: string) {
  const href = `${sandbox.api}/context/companysettings/metadata/customEntities/${id}`;
  return { href, type: "customentitymetadata", mediaType: "application/json" };
}

describe("custom directories of the sandbox", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  it("an administrator makes a directory of a name, renames it, finds it in the company's settings and deletes it", async () => {
    expect((await sandbox.call("POST", "entity/customentity", {})).at("errors", 0)).toMatchObject({ code: 3000, parameter: "name" });
    const answer = await sandbox.call("POST", "entity/customentity", { name: "Регионы" });
    const id = String(answer.at("id"));
    expect(answer.body).toMatchObject({
      meta: { href: `${sandbox.api}/entity/customentity/${id}`, type: "customentity", mediaType: "application/json" },
      name: "Регионы",
    });
    expect((await sandbox.call("PUT", `entity/customentity/${id}`, { name: "Округа" })).at("name")).toBe("Округа");
    const settings = await sandbox.call("GET", "context/companysettings");
    const metadata = await sandbox.call("GET", String(settings.at("meta", "metadataHref")));
    const known = { meta: customMeta(sandbox, id), entityMeta: { href: answer.at("meta", "href"), type: "customentity" }, name: "Округа" };
    expect(metadata.at("customEntities")).toMatchObject([known]);
    expect((await sandbox.call("GET", customMeta(sandbox, id).href)).body).toMatchObject(known);
    expect((await sandbox.call("GET", "entity/customentity")).at("rows")).toMatchObject([{ id, name: "Округа" }]);
    expect((await sandbox.call("DELETE", `entity/customentity/${id}`)).status).toBe(200);
    expect((await sandbox.call("GET", `entity/customentity/${id}`)).status).toBe(404);
  });

  it("others use directories, but make, rename and delete none", async () => {
    const { id } = await made(sandbox, "entity/customentity", { name: "Чужие" });
    const refusals = await Promise.all([
      sandbox.call("POST", "entity/customentity", { name: "Свои" }, AS_EMPLOYEE),
      sandbox.call("PUT", `entity/customentity/${id}`, { name: "Свои" }, AS_EMPLOYEE),
      sandbox.call("DELETE", `entity/customentity/${id}`, undefined, AS_EMPLOYEE),
    ]);
    expect(refusals.map((each) => [each.status, each.at("errors", 0, "code")])).toEqual([
      [403, 1045],
      [403, 1017],
      [403, 1018],
    ]);
    expect((await sandbox.call("POST", `entity/customentity/${id}`, { name: "Запись" }, AS_EMPLOYEE)).status).toBe(200);
  });

  it("elements are created, read, changed, listed and deleted below their directory", async () => {
    const { id } = await made(sandbox, "entity/customentity", { name: "Сорта" });
    const path = `entity/customentity/${id}`;
    const first = await sandbox.call("POST", path, { name: "Первый", code: "1" });
    const element = String(first.at("id"));
    expect(first.body).toMatchObject({
      meta: {
        href: `${sandbox.api}/${path}/${element}`,
        metadataHref: customMeta(sandbox, id).href,
        type: "customentity",
        mediaType: "application/json",
        uuidHref: expect.stringContaining(`#custom_${id}/edit?id=`),
      },
      accountId: expect.any(String),
      name: "Первый",
      code: "1",
      externalCode: expect.any(String),
      shared: false,
      owner: { meta: { type: "employee" } },
      group: { meta: { type: "group" } },
      updated: expect.any(String),
    });
    expect((await sandbox.call("PUT", `${path}/${element}`, { description: "высший" })).body).toMatchObject({
      name: "Первый",
      description: "высший",
    });
    const many = await sandbox.call("POST", path, [{ name: "Второй" }, { meta: first.at("meta"), code: "01" }, { code: "x" }]);
    expect([many.at(0, "name"), many.at(1, "code"), many.at(2, "errors", 0, "code")]).toEqual(["Второй", "01", 3000]);
    const list = await sandbox.call("GET", `${path}?filter=code=01`);
    expect(list.at("meta")).toMatchObject({ href: `${sandbox.api}/${path}`, type: "customentity", size: 1 });
    expect(list.at("rows", 0)).toEqual((await sandbox.call("GET", `${path}/${element}`)).body);
    expect((await sandbox.call("GET", `${path}?order=name,desc`)).at("rows", 0, "name")).toBe("Первый");
    expect((await sandbox.call("GET", `${path}?search=высш`)).at("meta", "size")).toBe(1);
    const withId = await sandbox.call("POST", `${path}/${element}`, { name: "Третий" });
    expect([withId.status, withId.at("errors", 0, "code")]).toEqual([400, 1006]);
    expect((await sandbox.call("PUT", "entity/customentity/new", {})).at("errors", 0, "code")).toBe(1029);
    expect((await sandbox.call("POST", `${path}/delete`, [{ meta: many.at(0, "meta") }])).at(0, "info")).toBeTypeOf("string");
    expect((await sandbox.call("DELETE", `${path}/${element}`)).text).toBe("");
    expect((await sandbox.call("GET", path)).at("meta", "size")).toBe(0);
  });

  it("an element is not found in another directory", async () => {
    const one = await directoryOf(sandbox, "Один", ["Общее имя"]);
    const other = await directoryOf(sandbox, "Другой", ["Общее имя"]);
    const element = one.elements[0];
    expect((await sandbox.call("GET", `entity/customentity/${other.id}/${element?.id}`)).status).toBe(404);
    expect((await sandbox.call("GET", `entity/customentity/${other.id}`)).at("meta", "size")).toBe(1);
    const moved = await sandbox.call("POST", `entity/customentity/${other.id}`, [{ meta: element?.meta, name: "x" }]);
    expect(moved.at(0, "errors", 0, "code")).toBe(1021);
  });

  it("a field of type customentity names its directory in customEntityMeta and keeps to it", async () => {
    const { id, field } = await directoryOf(sandbox, "Цвета", []);
    const read = await sandbox.call("GET", field.href);
    expect(read.body).toMatchObject({ type: "customentity", customEntityMeta: customMeta(sandbox, id) });
    const without = await sandbox.call("POST", FIELDS, { name: "Без справочника", type: "customentity" });
    expect(without.at("errors", 0)).toMatchObject({ code: 3000, parameter: "customEntityMeta" });
    const unknown = { name: "Нигде", type: "customentity", customEntityMeta: customMeta(sandbox, NOBODY) };
    expect((await sandbox.call("POST", FIELDS, unknown)).at("errors", 0, "code")).toBe(2013);
    const other = await made(sandbox, "entity/customentity", { name: "Оттенки" });
    const turned = await sandbox.call("PUT", field.href, { customEntityMeta: customMeta(sandbox, other.id) });
    expect(turned.at("errors", 0, "code")).toBe(3001);
    expect((await sandbox.call("PUT", field.href, { ...(read.body as object), name: "Цвет" })).at("name")).toBe("Цвет");
    const string = await sandbox.call("POST", FIELDS, {
      name: "Не оттуда",
      type: "string",
      customEntityMeta: customMeta(sandbox, other.id),
    });
    expect([string.status, string.at("customEntityMeta")]).toEqual([200, undefined]);
    const asReference = { name: "Ссылкой", type: "customentity", customEntityMeta: { meta: customMeta(sandbox, id) } };
    expect((await sandbox.call("POST", FIELDS, asReference)).at("customEntityMeta")).toMatchObject(customMeta(sandbox, id));
  });

  it("a value is { meta, name }; it is given by meta or by name, and cleared with null", async () => {
    const { elements, field } = await directoryOf(sandbox, "Размеры", ["S", "M"]);
    const [small, medium] = elements;
    const product = await sandbox.call("POST", "entity/product", {
      name: "Майка",
      attributes: [{ meta: field.meta, value: { meta: small?.meta } }],
    });
    const value = { meta: small?.meta, name: "S" };
    expect(product.at("attributes")).toEqual([{ meta: field.meta, id: field.id, name: "Размеры товара", type: "customentity", value }]);
    const href = String(product.at("meta", "href"));
    const named = await sandbox.call("PUT", href, { attributes: [{ meta: field.meta, value: { name: "M" } }] });
    expect(named.at("attributes", 0, "value")).toEqual({ meta: medium?.meta, name: "M" });
    expect((await sandbox.call("PUT", href, { attributes: [{ meta: field.meta, value: null }] })).at("attributes")).toBeUndefined();
  });

  it("a value without meta and name is 14004, one of another directory or of no element 2013", async () => {
    const { field } = await directoryOf(sandbox, "Страны", ["Индия"]);
    const { elements } = await directoryOf(sandbox, "Города", ["Казань"]);
    const put = (value: unknown) => sandbox.call("POST", "entity/product", { name: "Чай", attributes: [{ meta: field.meta, value }] });
    for (const value of [{}, { name: "" }, "Индия", 5]) {
      const refused = await put(value);
      expect([refused.status, refused.at("errors", 0, "code")], JSON.stringify(value)).toEqual([412, 14004]);
    }
    for (const value of [{ meta: elements[0]?.meta }, { name: "Казань" }]) {
      expect((await put(value)).at("errors", 0, "code"), JSON.stringify(value)).toBe(2013);
    }
  });

  it("objects are filtered by the full href of an element, by its absence and by its presence", async () => {
    const { elements, field } = await directoryOf(sandbox, "Полки", ["Верхняя", "Нижняя"]);
    const shelved = (name: string, at: number) =>
      sandbox.call("POST", "entity/product", { name, attributes: [{ meta: field.meta, value: { meta: elements[at]?.meta } }] });
    await shelved("На верхней", 0);
    await shelved("На нижней", 1);
    const found = async (condition: string) => {
      const list = await sandbox.call("GET", `entity/product?filter=${encodeURIComponent(`${field.href}${condition};name~=На`)}`);
      return (list.at("rows") as { name: string }[]).map(({ name }) => name);
    };
    expect(await found(`=${elements[0]?.href}`)).toEqual(["На верхней"]);
    expect(await found(`!=${elements[0]?.href}`)).toEqual(["На нижней"]);
    expect(await found("=")).toEqual([]);
    expect(await found("!=")).toEqual(["На верхней", "На нижней"]);
    const contains = await sandbox.call("GET", `entity/product?filter=${encodeURIComponent(`${field.href}~Верх`)}`);
    expect([contains.status, contains.at("errors", 0, "code")]).toEqual([412, 1034]);
  });

  it("an element that an object holds and a directory that a field is of cannot be deleted: 409 with dependencies", async () => {
    const { id, elements, field } = await directoryOf(sandbox, "Бренды", ["Заря"]);
    const held = await sandbox.call("POST", "entity/product", {
      name: "Чашка",
      attributes: [{ meta: field.meta, value: { meta: elements[0]?.meta } }],
    });
    const element = await sandbox.call("DELETE", String(elements[0]?.href));
    expect([element.status, element.at("errors", 0, "code")]).toEqual([409, 1028]);
    expect(element.at("errors", 0, "dependencies", 0, "meta", "href")).toBe(held.at("meta", "href"));
    const directory = await sandbox.call("DELETE", `entity/customentity/${id}`);
    expect([directory.status, directory.at("errors", 0, "code")]).toEqual([409, 1028]);
    await sandbox.call("DELETE", field.href);
    expect((await sandbox.call("DELETE", String(held.at("meta", "href")))).status).toBe(200);
    expect((await sandbox.call("DELETE", `entity/customentity/${id}`)).status).toBe(200);
    expect((await sandbox.call("GET", String(elements[0]?.href))).status).toBe(404);
  });

  it("elements have events, and the href of each leads below its directory, of a deleted one too", async () => {
    const receiver = await Receiver.open();
    const { id } = await made(sandbox, "entity/customentity", { name: "Слышимый" });
    for (const action of ["CREATE", "DELETE"])
      await made(sandbox, "entity/webhook", { url: receiver.url, action, entityType: "customentity" });
    const element = await made(sandbox, `entity/customentity/${id}`, { name: "Слышно" });
    await sandbox.call("DELETE", element.href);
    for (const { body } of await receiver.until(2))
      expect(body).toMatchObject({ events: [{ meta: { type: "customentity", href: element.href } }] });
    await receiver.close();
  });
});

describe("custom directories in a folder", () => {
  it("survive the end of the process with their elements, fields and values", async () => {
    const data = await temporaryFolder();
    const before = await testSandbox({ data });
    const { id, elements, field } = await directoryOf(before, "Вечные", ["Камень"]);
    const product = await made(before, "entity/product", { name: "Скала", attributes: [{ meta: field.meta, value: { name: "Камень" } }] });
    await before.close();
    const after = await testSandbox({ data });
    const read = await after.call("GET", `entity/product/${product.id}`);
    expect(read.at("attributes", 0, "value", "name")).toBe("Камень");
    expect((await after.call("GET", `entity/customentity/${id}`)).at("rows", 0, "id")).toBe(elements[0]?.id);
    expect((await after.call("GET", `${FIELDS}/${field.id}`)).at("customEntityMeta", "href")).toBe(customMeta(after, id).href);
    await after.close();
  });
});
