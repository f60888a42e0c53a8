import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXTENT, sample } from "../../support/extent.ts";
import { DEVIATIONS, DEVIATIONS_BY_DEFAULT } from "../../support/golden-deviations.ts";
import { applied, type GoldenField, goldenSortKeys, goldenTables } from "../../support/golden-fields.ts";
import { type GoldenWorld, goldenWorld } from "../../support/golden-world.ts";
import type { SandboxAnswer } from "../../support/sandbox.ts";

const OPERATORS = ["=", "!=", ">", "<", ">=", "<=", "~", "~=", "=~"];
/** Operators that distinguish the classes. `npm test` tries one of them for each field. */
const TELLING = ["=", ">", "~"];
/** The operators of each class of filters (json-api 12, introduction). */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  E: ["=", "!="],
  C: ["=", "!=", ">", "<", ">=", "<="],
  T: ["=", "!=", "~", "~=", "=~"],
  ".": [],
};

/** References that answers should always have, but for which a new object of this account has no value (json-api 12, introduction). */
const WITHOUT_VALUE = ["acquire", "qrAcquire"];

/**
 * Expandable fields that stay empty in this account: it has no bonus programmes, no templates of receipts, no payments, and no cashier
 * records.
 */
const NEVER_FILLED = ["bonusProgram", "receiptTemplate", "paymentOperations", "retailshift.agentAccount", "employee.cashiers"];

/** One sandbox serves the tests of all types, because no test changes what another type sees. */
let opened: Promise<GoldenWorld> | undefined;
const shared = () => {
  opened ??= goldenWorld();
  return opened;
};
afterAll(async () => (await opened)?.close());

/** The tables of types with an address of their own. Elements of nested collections have no filter and no Exp column. */
const ADDRESSED = [...goldenTables()]
  .filter(([, rows]) => rows.some(({ name, out }) => name === "accountId" && out === "out"))
  .filter(([name]) => !name.endsWith("position"));

describe.each(sample(ADDRESSED, 12))("a %s over HTTP", (type, table) => {
  const rows = applied(type, table, [...DEVIATIONS, ...DEVIATIONS_BY_DEFAULT]);
  const inLists = !type.startsWith("webhook");
  let world: GoldenWorld;
  let whole: SandboxAnswer;
  beforeAll(async () => {
    world = await shared();
    whole = await create(world.full(type, rows));
    expect(whole.status, whole.text).toBe(200);
    if (type === "retailshift") await world.sandbox.call("POST", "entity/retaildemand", { retailShift: { meta: whole.at("meta") } });
  });
  const create = (body: object) => world.sandbox.call("POST", `entity/${type}`, body);
  /** Makes a new object, which is removed afterwards, because two webhooks must not watch the same thing. */
  const fresh = async (more: object = {}) => {
    const answer = await create({ ...world.least(type), ...more });
    if (answer.status === 200 && !inLists) await world.sandbox.call("DELETE", String(answer.at("meta", "href")));
    return answer;
  };

  it("made of an empty body is 412 with code 3000 and the name of each needed field, and of no other", async () => {
    const answer = await create({});
    expect(answer.status).toBe(412);
    const missing = (answer.at("errors") as { code: number; parameter: string }[]).map(({ code, parameter }) => `${code} ${parameter}`);
    const needed = rows.filter((row) => row.needed === "req").map(({ name }) => `3000 ${name}`);
    expect(missing.sort()).toEqual(needed.sort());
  });

  it("has every field that is always given, references without a value aside", async () => {
    const given = (await fresh()).body as object;
    const always = rows.filter(({ out }) => out === "out").map(({ name }) => name);
    expect(always.filter((name) => !(name in given) && !WITHOUT_VALUE.includes(name))).toEqual([]);
  });

  it("takes no field that is read-only, neither when it is made nor when it is changed", async () => {
    const readOnly = rows.filter(({ write, name }) => write === "ro" && name !== "meta");
    const sent = Object.fromEntries(readOnly.map((row) => [row.name, sampleOf(row, whole, world, type)]));
    const made = await fresh(sent);
    const { lastName } = world.least(type);
    const changed = await world.sandbox.call("PUT", String(whole.at("meta", "href")), { ...(lastName ? { lastName } : {}), ...sent });
    for (const answer of [made, changed]) {
      expect(answer.status, answer.text).toBe(200);
      for (const { name } of readOnly) expect(answer.at(name), name).not.toEqual(sent[name]);
    }
  });

  const listed = (filter: string) => world.sandbox.call("GET", `entity/${type}?limit=1&filter=${encodeURIComponent(filter)}`);

  // The tables of webhooks have no columns for these (json-api 9.1, 9.5).
  if (!inLists) return;

  it("shows every expandable field whole, and no other", async () => {
    const expandable = rows.filter(({ expand }) => expand === "exp").map(({ name }) => name);
    const href = String(whole.at("meta", "href"));
    const answer = await world.sandbox.call("GET", `${href}?expand=${expandable.join(",")}`);
    expect(answer.status, answer.text).toBe(200);
    const short = expandable.filter((name) => !isWhole(answer.at(name)));
    expect(short).toEqual(expandable.filter((name) => NEVER_FILLED.includes(name) || NEVER_FILLED.includes(`${type}.${name}`)));
    // Other names have no effect (json-api D46).
    const plain = await world.sandbox.call("GET", href);
    for (const { name } of rows.filter(({ expand }) => expand === ".")) {
      expect([name, (await world.sandbox.call("GET", `${href}?expand=${name}`)).body]).toEqual([name, plain.body]);
    }
  });

  it("is filtered by the operators of each field's class, and by no others", async () => {
    const wrong: string[] = [];
    const met = new Set<string>();
    for (const [at, row] of rows.filter(({ filter }) => filter !== "A").entries()) {
      const allowed = CLASSES[row.filter] ?? [];
      // The first field of a class and kind is tried with every operator, the other fields with operators that distinguish the classes.
      const kind = `${row.filter} ${row.type}`;
      const telling = TELLING.filter((_, nth) => EXTENT === "long" || nth === at % TELLING.length);
      const tried = allowed.length === 0 ? ["="] : met.has(kind) ? telling : OPERATORS;
      met.add(kind);
      for (const operator of tried) {
        const answer = await listed(`${row.name}${operator}${constantOf(row, whole, world, type)}`);
        const taken = answer.status === 200;
        const code = answer.at("errors", 0, "code");
        if (taken !== allowed.includes(operator) || (!taken && code !== 1034))
          wrong.push(`${row.name}${operator} ${answer.status} ${code}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("is found by the values of all its filterable fields together, and by none of them denied", async () => {
    // Reads the object again, because another test has changed it.
    whole = await world.sandbox.call("GET", String(whole.at("meta", "href")));
    const equal = rows
      .filter(({ name, filter }) => ["E", "C", "T"].includes(filter) && whole.at(name) !== undefined)
      .map((row) => `${row.name}=${constantOf(row, whole, world, type)}`);
    // The filter does not use the id, because a filter by id also finds products in the archive.
    const itself = `externalCode=${String(whole.at("externalCode"))}`;
    expect((await listed(equal.join(";"))).at("meta", "size")).toBe(1);
    for (const condition of equal.filter((each) => each !== itself)) {
      const denied = condition.replace("=", "!=");
      expect([denied, (await listed(`${itself};${denied}`)).at("meta", "size")]).toEqual([denied, 0]);
    }
  });

  it("is sorted by the keys of its row, and by no other field that it has", async () => {
    // A shift has no posting flag and no total (json-api 12.1).
    const keys = (goldenSortKeys().get(type) ?? []).filter((key) => type !== "retailshift" || !["applicable", "sum"].includes(key));
    const sorted = (order: string) => world.sandbox.call("GET", `entity/${type}?limit=1&order=${order}`);
    expect((await sorted(keys.map((key) => `${key},desc`).join(";"))).status).toBe(200);
    const lower = keys.map((key) => key.toLowerCase());
    for (const { name } of rows.filter((row) => !lower.includes(row.name.toLowerCase()))) {
      const answer = await sorted(name);
      expect([name, answer.status, answer.at("errors", 0, "code")]).toEqual([name, 412, 1063]);
    }
  });
});

/** The lines of documents, by the type of their document. */
const LINES = [
  ["demandposition", "retaildemand"],
  ["salesreturnposition", "retailsalesreturn"],
  ["customerorderposition", "customerorder"],
] as const;

describe.each(sample(LINES, 4))("a line of type %s over HTTP", (line, document) => {
  const rows = applied(line, goldenTables().get(line) ?? [], DEVIATIONS);
  let world: GoldenWorld;
  let positions: string;
  beforeAll(async () => {
    world = await shared();
    const made = await world.sandbox.call("POST", `entity/${document}`, world.least(document));
    positions = `${String(made.at("meta", "href"))}/positions`;
  });
  // The sums of a return stay unchanged, so that nothing is left to pay.
  const add = (more: object) =>
    world.sandbox.call("POST", positions, { assortment: world.target("variant", "product"), price: 0, ...more });

  it("has every field that is always given", async () => {
    const always = rows.filter(({ out }) => out === "out").map(({ name }) => name);
    const [made] = (await add({})).body as object[];
    expect(always.filter((name) => !(name in (made ?? {})))).toEqual([]);
  });

  it("made of an empty body is 412 with code 3000 and the name of each needed field", async () => {
    const refused = await world.sandbox.call("POST", positions, {});
    const missing = (refused.at("errors") as { code: number; parameter: string }[]).map(({ code, parameter }) => `${code} ${parameter}`);
    expect(missing).toEqual(rows.filter(({ needed }) => needed === "req").map(({ name }) => `3000 ${name}`));
  });

  it("takes no field that is read-only, neither when it is made nor when it is changed", async () => {
    const plain = await add({});
    const whole = { ...plain, at: (...steps: (string | number)[]) => plain.at(0, ...steps) };
    const readOnly = rows.filter(({ write }) => write === "ro");
    const sent = Object.fromEntries(readOnly.map((row) => [row.name, sampleOf(row, whole, world, line)]));
    const changed = await world.sandbox.call("PUT", String(plain.at(0, "meta", "href")), sent);
    const made = await add(sent);
    expect([made.status, changed.status], made.text + changed.text).toEqual([200, 200]);
    for (const { name } of readOnly) {
      expect(made.at(0, name), name).not.toEqual(sent[name]);
      expect(changed.at(name), name).not.toEqual(sent[name]);
    }
  });
});

/** Whether a reference, or each reference of an array, came as a whole object, or a collection came with its rows. */
function isWhole(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isWhole);
  if (typeof value !== "object" || value === null) return false;
  return "rows" in value || "id" in value;
}

/** A value of the field's JSON type that differs from the object's value. */
function sampleOf({ name, type: kind }: GoldenField, whole: SandboxAnswer, world: GoldenWorld, type: string): unknown {
  const other = world.target(type, name) ?? {
    meta: { href: `${world.sandbox.api}/entity/uom/1`, type: "uom", mediaType: "application/json" },
  };
  const samples: Readonly<Record<string, unknown>> = {
    uuid: "11111111-2222-4333-8444-555555555555",
    datetime: "2001-02-03 04:05:00",
    number: 987_654,
    int: 987_654,
    bool: whole.at(name) !== true,
    object: { value: 987_654 },
    "object[]": [other],
    "string[]": ["не берётся"],
    ref: other,
    refCollection: [other],
  };
  return samples[kind] ?? "не берётся";
}

/** A constant that fits the field: its value in the object, otherwise a value of its kind. */
function constantOf(row: GoldenField, whole: SandboxAnswer, world: GoldenWorld, type: string): string {
  const value = whole.at(row.name);
  if (row.type === "ref") return String(whole.at(row.name, "meta", "href") ?? world.target(type, row.name)?.meta.href ?? "x");
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  if (row.type === "uuid") return "11111111-2222-4333-8444-555555555555";
  if (row.type === "datetime") return "2026-01-02 03:04:05";
  return row.type === "bool" ? "true" : "1";
}
