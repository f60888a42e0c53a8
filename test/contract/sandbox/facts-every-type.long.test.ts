import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { goldenTables } from "../../support/golden-fields.ts";
import { type GoldenWorld, goldenWorld } from "../../support/golden-world.ts";
import { Receiver } from "../../support/receiver.ts";
import type { SandboxAnswer } from "../../support/sandbox.ts";

// Statements about all types: the endpoints and events of the seed document, json-api 5.1, 5.3, 7.1, 7.4, 7.6, 8 and 9.

const GOODS = ["product", "service", "variant", "bundle"];
const DOCUMENTS = ["retailshift", "retaildemand", "retailsalesreturn", "retaildrawercashin", "retaildrawercashout", "customerorder"];
const OTHERS = ["counterparty", "employee", "uom", "organization", "retailstore"];
const TYPES = [...GOODS, ...OTHERS, ...DOCUMENTS];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let opened: Promise<GoldenWorld> | undefined;
const shared = () => {
  opened ??= goldenWorld();
  return opened;
};
afterAll(async () => (await opened)?.close());

describe.each(TYPES)("a %s", (type) => {
  let world: GoldenWorld;
  beforeAll(async () => {
    world = await shared();
  });
  const call = (method: string, path: string, body?: unknown) => world.sandbox.call(method, path, body);
  const make = async (more: object = {}) => {
    const made = await call("POST", `entity/${type}`, { ...world.least(type), ...more });
    expect(made.status, made.text).toBe(200);
    return { made, href: String(made.at("meta", "href")) };
  };
  /** A change of the description, or of a point of sale's prefix, with the other members that a change needs. */
  const change = (text: string) => ({
    ...(type === "employee" ? { lastName: "Орлова" } : {}),
    ...(type === "retailstore" ? { demandPrefix: text } : { description: text }),
  });
  const changed = type === "retailstore" ? "demandPrefix" : "description";

  it("is created, read, changed in part and deleted: each answer 200, the last one empty, and 404 after it", async () => {
    const { made, href } = await make();
    expect(href).toBe(`${world.sandbox.api}/entity/${type}/${String(made.at("id"))}`);
    expect(made.at("id")).toMatch(UUID);
    const read = await call("GET", href);
    expect([read.status, read.body]).toEqual([200, made.body]);
    const put = await call("PUT", href, change("изменено"));
    expect([put.status, put.at(changed), put.at("externalCode")]).toEqual([200, "изменено", made.at("externalCode")]);
    const gone = await call("DELETE", href);
    expect([gone.status, gone.text]).toEqual([200, ""]);
    for (const method of ["GET", "DELETE"]) {
      const missing = await call(method, href);
      expect([missing.status, missing.at("errors", 0, "code")]).toEqual([404, 1021]);
    }
    expect((await call("PUT", href, change("поздно"))).status).toBe(404);
  });

  it("stands in its list: context with the caller, meta of the collection, rows", async () => {
    const { made } = await make();
    const list = await call("GET", `entity/${type}?filter=id=${String(made.at("id"))}`);
    const href = `${world.sandbox.api}/context/employee`;
    expect(list.body).toMatchObject({
      context: { employee: { meta: { href, type: "employee", mediaType: "application/json" } } },
      meta: { type, mediaType: "application/json", size: 1, limit: 1000, offset: 0 },
      rows: [{ id: made.at("id"), meta: made.at("meta") }],
    });
    expect(Object.keys(list.body as object)).toEqual(["context", "meta", "rows"]);
  });

  it("is created, changed and deleted by arrays; the answers have the order of the elements", async () => {
    const made = await call("POST", `entity/${type}`, [world.least(type), world.least(type)]);
    expect(made.status, made.text).toBe(200);
    const metas = [0, 1].map((at) => ({ meta: made.at(at, "meta") }));
    const both = await call("POST", `entity/${type}`, [
      { ...metas[1], ...change("второй") },
      { ...metas[0], ...change("первый") },
    ]);
    expect([both.at(0, "id"), both.at(0, changed), both.at(1, changed)]).toEqual([made.at(1, "id"), "второй", "первый"]);
    const gone = await call("POST", `entity/${type}/delete`, metas);
    expect([gone.status, gone.body]).toEqual([200, [{ info: expect.any(String) }, { info: expect.any(String) }]]);
    expect((await call("GET", `entity/${type}/${String(made.at(0, "id"))}`)).status).toBe(404);
  });

  it("has a meta of href, metadataHref, type and mediaType, and an address of its type's metadata that answers", async () => {
    const { made } = await make();
    expect(made.at("meta")).toMatchObject({ type, mediaType: "application/json" });
    const metadata = await call("GET", String(made.at("meta", "metadataHref")));
    expect(metadata.status).toBe(200);
    const { meta, attributes, states, groups, createShared } = metadata.body as Record<string, unknown>;
    expect(meta).toEqual({ href: `${world.sandbox.api}/entity/${type}/metadata`, mediaType: "application/json" });
    // For variants the metadata has only their characteristics (json-api 13.2).
    if (type === "variant") return;
    expect([Array.isArray(groups), typeof createShared]).toEqual([true, "boolean"]);
    const rows = goldenTables().get(type) ?? [];
    expect(attributes !== undefined).toBe(rows.some(({ name }) => name === "attributes"));
    // The `state` of a point of sale is none of these states (json-api 12.6).
    expect(Array.isArray(states)).toBe(rows.some(({ name, type: kind }) => name === "state" && kind === "ref"));
  });

  it("leaves out what has no value: no answer holds null or a version", async () => {
    const { made, href } = await make();
    const list = await call("GET", `entity/${type}?limit=100`);
    for (const answer of [made, list, await call("GET", href)]) expect(answer.text).not.toContain(":null");
    expect([made.at("version"), list.at("rows", 0, "version")]).toEqual([undefined, undefined]);
  });

  it("has datetimes without a zone, to the second, and an external code of 22 URL-safe characters", async () => {
    const { made } = await make();
    for (const { name, type: kind } of goldenTables().get(type) ?? []) {
      const value = made.at(name);
      if (kind === "datetime" && value !== undefined) expect(value, name).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    }
    expect(made.at("externalCode")).toMatch(/^[\w-]{22}$/);
  });

  it("takes the names of fields as they are written: another letter case is another field, and is ignored", async () => {
    const { made } = await make({ EXTERNALCODE: "мимо", Archived: true, NAME: "мимо" });
    expect(made.text).not.toContain("мимо");
    expect(made.at("archived")).not.toBe(true);
  });

  it("is made once for one syncId, where its table has the field; a malformed one is 400 with code 1052", async () => {
    const has = (goldenTables().get(type) ?? []).some(({ name }) => name === "syncId");
    const syncId = "0f0e0d0c-1111-4222-8333-444455556666";
    const [first, again] = [await make({ syncId }), await make({ syncId, description: "второй раз" })];
    expect(again.made.at("id") === first.made.at("id")).toBe(has);
    if (!has) return;
    expect(first.made.at("syncId")).toBe(syncId);
    expect(again.made.at("description")).not.toBe("второй раз");
    const malformed = await call("POST", `entity/${type}`, { ...world.least(type), syncId: "не-uuid" });
    expect([malformed.status, malformed.at("errors", 0, "code")]).toEqual([400, 1052]);
    const bySyncId = await call("DELETE", `entity/${type}/syncid/${syncId}`);
    expect([bySyncId.status, bySyncId.text]).toEqual([200, ""]);
    expect((await call("GET", first.href)).status).toBe(404);
  });

  it("goes to the recycle bin when it is a document, and has none otherwise: 412 with code 1066", async () => {
    const { made, href } = await make();
    const answer = await call("POST", `${href}/trash`);
    if (!DOCUMENTS.includes(type)) {
      expect([answer.status, answer.at("errors", 0, "code")]).toEqual([412, 1066]);
      return;
    }
    expect([answer.status, answer.text]).toEqual([200, ""]);
    const found = async (more: string) => (await call("GET", `entity/${type}?filter=id=${String(made.at("id"))}${more}`)).at("rows");
    expect(await found("")).toEqual([]);
    expect(await found(";isDeleted=true")).toMatchObject([{ id: made.at("id"), deleted: expect.any(String) }]);
    const late = await call("PUT", href, change("в корзине"));
    expect([late.status, late.at("errors", 0, "code")]).toEqual([412, 3007]);
  });

  it("has additional fields, where its table has them, that are defined, filled, filtered by and deleted", async () => {
    // Services and bundles have the fields of the product (json-api 8.1).
    const has = (goldenTables().get(type) ?? []).some(({ name }) => name === "attributes");
    const base = `entity/${type}/metadata/attributes`;
    const defined = await call("POST", base, { name: `Поле ${type}`, type: "string" });
    if (!has) {
      expect([defined.status, defined.at("errors", 0, "code")]).toEqual([412, 14002]);
      return;
    }
    const meta = defined.at("meta");
    const { made } = await make({ attributes: [{ meta, value: "полный" }] });
    expect(made.at("attributes")).toEqual([{ meta, id: defined.at("id"), name: `Поле ${type}`, type: "string", value: "полный" }]);
    const filter = encodeURIComponent(`${String(defined.at("meta", "href"))}=полный`);
    expect((await call("GET", `entity/${type}?filter=${filter}`)).at("rows", 0, "id")).toBe(made.at("id"));
    expect((await call("GET", base)).at("meta")).toMatchObject({ limit: 1000, offset: 0, size: expect.any(Number) });
    expect((await call("POST", `${base}/delete`, [{ meta }])).text).toBe("");
    expect((await call("GET", String(made.at("meta", "href")))).at("attributes")).toBeUndefined();
  });

  it("takes a state of its own where it has them, and shows it", async () => {
    const state = world.target(type, "state");
    const has = (goldenTables().get(type) ?? []).some(({ name, type: kind }) => name === "state" && kind === "ref");
    expect(state !== undefined).toBe(has);
    const states = await call("POST", `entity/${type}/metadata/states`, { name: "Новое", color: 255, stateType: "Successful" });
    expect(states.status).toBe(has ? 200 : 404);
    if (!has) return;
    const { made } = await make({ state });
    expect(made.at("state", "meta", "href")).toBe(state?.meta.href);
  });

  it("is told of when it is created, changed and deleted", async () => {
    const receiver = await Receiver.open();
    const webhooks: SandboxAnswer[] = [];
    for (const action of ["CREATE", "UPDATE", "DELETE"]) {
      webhooks.push(await call("POST", "entity/webhook", { url: receiver.url, action, entityType: type }));
    }
    const { made, href } = await make();
    await call("PUT", href, change("сказано"));
    await call("DELETE", href);
    const told = await receiver.until(3);
    const events = told.map(({ body }) => (body as { events: object[] }).events);
    const accountId = made.at("accountId");
    expect(events).toEqual(["CREATE", "UPDATE", "DELETE"].map((action) => [{ meta: { type, href }, action, accountId }]));
    for (const webhook of webhooks) await call("DELETE", String(webhook.at("meta", "href")));
    await receiver.close();
  });
});

describe.each(DOCUMENTS)("the template of a %s", (type) => {
  it("is filled and not saved", async () => {
    const world = await shared();
    const size = async () => (await world.sandbox.call("GET", `entity/${type}?limit=0`)).at("meta", "size");
    const before = await size();
    const template = await world.sandbox.call("PUT", `entity/${type}/new`, world.least(type));
    expect([template.status, template.at("id"), template.at("meta", "href")]).toEqual([200, undefined, undefined]);
    expect(template.at("moment")).toMatch(/:00$/);
    expect(await size()).toBe(before);
  });
});
