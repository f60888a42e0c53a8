import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../../src/tools/sandbox/types/catalogue.ts";
import type { Field } from "../../../src/tools/sandbox/types/field.ts";
import { goldenTables } from "../../support/golden-fields.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { leastBody, shopReference } from "../../support/sandbox-bodies.ts";

/**
 * Types whose fields json-api does not list. They are compared with their own declaration. Other types are tested against the tables of
 * json-api.
 */
const TYPES = [...CATALOGUE.values()].filter(
  // A custom directory's elements are written at the directory's own address.
  ({ inner, offers, name }) => inner !== true && offers.has("create") && !goldenTables().has(name) && name !== "customentity",
);

describe.each(TYPES)("the fields that $name declares", (type) => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await shared();
  });
  const post = (more: object) => sandbox.call("POST", `entity/${type.name}`, { ...leastBody(sandbox, type.name), ...more });
  const written = type.fields.filter((field) => field.write !== "never");
  const names = (fields: readonly Field[]) => fields.map(({ name }) => name).sort();
  const refusedWith = async (fields: readonly Field[], code: number, value: (field: Field) => unknown) => {
    const answer = await post(Object.fromEntries(fields.map((field) => [field.name, value(field)])));
    const errors = answer.at("errors") as { code: number; parameter: string }[] | undefined;
    expect(
      errors
        ?.filter((error) => error.code === code)
        .map(({ parameter }) => parameter)
        .sort() ?? [],
    ).toEqual(names(fields));
  };

  it("every needed field that is absent is 412 with code 3000, all in one answer", async () => {
    const needed = type.fields.filter(({ required }) => required);
    const answer = await sandbox.call("POST", `entity/${type.name}`, {});
    expect(answer.status).toBe(412);
    expect(
      (answer.at("errors") as { code: number; parameter: string }[]).map(({ code, parameter }) => `${code} ${parameter}`).sort(),
    ).toEqual(names(needed).map((name) => `3000 ${name}`));
  });

  it("every read-only field is ignored in a body", async () => {
    const readOnly = type.fields.filter(({ write }) => write === "never");
    const answer = await post(Object.fromEntries(readOnly.map(({ name }) => [name, "not to be taken"])));
    expect(answer.status).toBe(200);
    expect(Object.values(answer.body as object)).not.toContain("not to be taken");
  });

  it("every field that is always given stands in an answer, references without a value aside", async () => {
    const answer = await post({});
    const given = new Set(Object.keys(answer.body as object));
    const always = type.fields.filter(({ out, kind }) => out && kind.is !== "reference");
    expect(names(always).filter((name) => !given.has(name))).toEqual([]);
    expect(answer.at("meta")).toMatchObject({ type: type.name, mediaType: "application/json" });
  });

  it("every text one character too long is 3040", async () => {
    const texts = written.filter(({ kind }) => kind.is === "text");
    await refusedWith(texts, 3040, ({ kind }) => "я".repeat(kind.is === "text" ? kind.max + 1 : 0));
  });

  it("every reference to another type is 2027", async () => {
    const references = written.filter(({ kind }) => kind.is === "reference" || kind.is === "references" || kind.is === "collection");
    await refusedWith(references, 2027, ({ kind }) => {
      const wrong = shopReference(sandbox, "types" in kind && kind.types.includes("uom") ? "group" : "uom");
      return kind.is === "reference" ? wrong : [wrong];
    });
  });

  it("every number, switch and text of another JSON type is 2016", async () => {
    const plain = written.filter(({ kind }) => ["text", "int", "long", "number", "boolean", "enumeration"].includes(kind.is));
    await refusedWith(plain, 2016, () => ({ wrong: true }));
  });

  it("every value outside of a closed list is 2029", async () => {
    const lists = written.filter(({ kind }) => kind.is === "enumeration" && !kind.open);
    await refusedWith(lists, 2029, () => "NO_SUCH_VALUE");
  });

  it("null clears what need not be there, and in a needed text it is 2016", async () => {
    const needed = written.filter(({ kind, required }) => required && kind.is === "text");
    await refusedWith(needed, 2016, () => null);
    const optional = written.filter(({ required, write, name }) => !required && write === "free" && name !== "components");
    const created = await post({});
    const nulls = Object.fromEntries(optional.map(({ name }) => [name, null]));
    const cleared = await sandbox.call("PUT", String(created.at("meta", "href")), {
      ...(type.name === "employee" ? leastBody(sandbox, "employee") : {}),
      ...nulls,
    });
    expect(cleared.status).toBe(200);
    const always = type.fields.filter(({ out, kind }) => out && kind.is !== "reference");
    expect(names(always).filter((name) => !(name in (cleared.body as object)))).toEqual([]);
  });
});

let opened: Promise<TestSandbox> | undefined;

/** One sandbox serves the tests of all types, because no test changes what another type sees. */
function shared(): Promise<TestSandbox> {
  opened ??= testSandbox();
  return opened;
}

afterAll(async () => (await opened)?.close());
