import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEVIATIONS } from "../../support/golden-deviations.ts";
import { applied, type GoldenField, goldenEnumerations, goldenTables } from "../../support/golden-fields.ts";
import { type GoldenWorld, goldenWorld } from "../../support/golden-world.ts";
import type { SandboxAnswer } from "../../support/sandbox.ts";

/** One sandbox serves the tests of all types, because no test changes what another type sees. */
let opened: Promise<GoldenWorld> | undefined;
const shared = () => {
  opened ??= goldenWorld();
  return opened;
};
afterAll(async () => (await opened)?.close());

/** Types with an address of their own, except webhooks: the faults of their fields have other codes (json-api 9.1). */
const ADDRESSED = [...goldenTables()].filter(
  ([name, rows]) => rows.some((row) => row.name === "accountId" && row.out === "out") && !/position$|^webhook/.test(name),
);

describe.each(ADDRESSED)("the fields of a %s", (type, table) => {
  const rows = applied(type, table, DEVIATIONS).filter(({ name, write }) => write !== "ro" && name !== "meta");
  let world: GoldenWorld;
  beforeAll(async () => {
    world = await shared();
  });
  const post = (more: object) => world.sandbox.call("POST", `entity/${type}`, { ...world.least(type), ...more });
  /** Sends all fields in one body. The errors with the code must name exactly these fields. */
  const refused = async (fields: readonly GoldenField[], code: number, value: (row: GoldenField) => unknown) => {
    if (fields.length === 0) return;
    const answer = await post(Object.fromEntries(fields.map((row) => [row.name, value(row)])));
    const errors = (answer.at("errors") ?? []) as { code: number; parameter: string }[];
    const told = errors.filter((error) => error.code === code).map(({ parameter }) => parameter);
    expect(told.sort()).toEqual(fields.map(({ name }) => name).sort());
  };

  it("refuse a text that is one character longer than the table says: 3040", async () => {
    await refused(
      rows.filter((row) => longest(row) > 0),
      3040,
      (row) => "я".repeat(longest(row) + 1),
    );
    const fits = rows.filter((row) => longest(row) > 0 && !CHECKED.has(row.name));
    const answer = await post(Object.fromEntries(fits.map((row) => [row.name, "я".repeat(longest(row))])));
    expect(answer.status, answer.text).toBe(200);
  });

  it("refuse a reference to another type: 2027", async () => {
    const references = rows.filter((row) => row.type === "ref" || row.type === "refCollection");
    const wrong = (row: GoldenField) => {
      const other = world.target("product", row.name === "uom" ? "group" : "uom");
      return row.type === "ref" ? other : [other];
    };
    await refused(
      references.filter(({ name }) => !ELEMENTS.has(name)),
      2027,
      wrong,
    );
  });

  it("refuse a value of another JSON type: 2016", async () => {
    const plain = rows.filter((row) => /^(string\(|enum|bool|int|number|datetime)/.test(row.type));
    await refused(plain, 2016, () => ({ wrong: true }));
  });

  it("refuse what is no object, no array, and in an array what is no object: 2002, 2003, 3012", async () => {
    const objects = rows.filter((row) => row.type === "object");
    for (const value of ["text", 7, true, [], [{}]]) await refused(objects, 2002, () => value);
    const arrays = rows.filter((row) => row.type === "object[]");
    for (const value of ["text", 7, true, {}]) await refused(arrays, 2003, () => value);
    for (const value of [["text"], [7], [false]]) await refused(arrays, 3012, () => value);
    await refused(arrays, 3012, () => [null]);
  });

  it("refuse a value outside of a closed list: 2029", async () => {
    const closed = rows.filter((row) => row.type === "enum" && !OPEN.has(row.name));
    await refused(closed, 2029, () => "NO_SUCH_VALUE");
  });

  it("are cleared by null where they need not be there; a text that is needed is 2016", async () => {
    await refused(
      rows.filter((row) => row.needed === "req" && longest(row) > 0),
      2016,
      () => null,
    );
    const full = world.full(type, rows);
    const made = await world.sandbox.call("POST", `entity/${type}`, full);
    const { lastName } = world.least(type);
    const optional = rows.filter((row) => row.needed !== "req" && row.write === "." && !NOT_NULL[type]?.includes(row.name));
    const nulls = Object.fromEntries(optional.map(({ name }) => [name, null]));
    const answer = await world.sandbox.call("PUT", String(made.at("meta", "href")), { ...(lastName ? { lastName } : {}), ...nulls });
    expect(answer.status, answer.text).toBe(200);
    const references = optional.filter((row) => row.type === "ref" && row.name in full).map(({ name }) => name);
    const stays = ["group", ...(STAYS[type] ?? [])];
    expect(references.filter((name) => answer.at(name) !== undefined)).toEqual(references.filter((name) => stays.includes(name)));
    expect(rows.filter(({ out, type: kind, name }) => out === "out" && kind !== "ref" && answer.at(name) === undefined)).toEqual([]);
  });

  it("take a value of their kind and give it back", async () => {
    const made = await post({});
    const href = String(made.at("meta", "href"));
    const { lastName } = world.least(type);
    const lost: string[] = [];
    for (const row of rows.filter(({ name, write }) => write === "." && !FOLLOWS[type]?.includes(name))) {
      const value = changedTo(row, made, world, type);
      if (value === undefined) continue;
      const answer = await world.sandbox.call("PUT", href, { ...(lastName ? { lastName } : {}), ...WITH[row.name], [row.name]: value });
      if (answer.status !== 200 || !shows(answer.at(row.name), value))
        lost.push(`${row.name}: ${answer.status === 200 ? JSON.stringify(answer.at(row.name)) : answer.text}`);
    }
    expect(lost).toEqual([]);
  });
});

/** References, besides the department, that every object of the type has: null brings the default back (json-api 12.1, 12.2). */
const STAYS: Readonly<Record<string, readonly string[]>> = {
  retaildemand: ["agent", "organization", "retailStore", "store"],
  retailshift: ["store"],
};

/**
 * Fields in which null is refused: a bundle has components (29000), a return keeps its sale and the buyer's account (json-api 12.3, rule
 * 6).
 */
const NOT_NULL: Readonly<Record<string, readonly string[]>> = { bundle: ["components"], retailsalesreturn: ["agentAccount", "demand"] };

describe("an enumeration", () => {
  it.each([...goldenEnumerations()])("%s has every value that the reference lists", async (place, values) => {
    const world = await shared();
    const [type = "", field = ""] = place.split(".");
    // The choice of masters requires masters (json-api 12.6).
    const masters = field === "minionToMasterType" ? { masterRetailStores: [world.target("retaildemand", "retailStore")] } : {};
    const given: unknown[] = [];
    for (const value of values) {
      const made = await world.sandbox.call("POST", `entity/${type}`, { ...world.least(type), ...masters, [field]: value });
      given.push(made.at(field));
    }
    expect(given).toEqual(values);
  });

  it("is listed for every closed list of the tables", () => {
    const closed = ADDRESSED.flatMap(([type, rows]) => rows.filter((row) => row.type === "enum").map((row) => `${type}.${row.name}`));
    // json-api does not list the codes of protective equipment.
    expect([...goldenEnumerations().keys()].sort()).toEqual(closed.filter((place) => place !== "product.ppeType").sort());
  });
});

/** Texts with rules of their own, so that not every text is accepted. */
const CHECKED = new Set(["email", "inn", "kpp", "sex", "ppeType"]);
/** Nested collections that are written as elements, not as references. */
const ELEMENTS = new Set([
  "accounts",
  "components",
  "contactpersons",
  "files",
  "images",
  "notes",
  "positions",
  "cashiers",
  "bonusProgram",
  "receiptTemplate",
]);
/** More values than those that json-api lists are accepted (json-api 13.1). */
const OPEN = new Set(["trackingType"]);
/** Fields whose value cannot be changed alone, because it must add up, agree or stay. The tests of their rules set them. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  // Always false (json-api 13.8).
  organization: ["isEgaisEnable"],
  // Payments make up the total (json-api 12.2, rule 3).
  retaildemand: "advancePaymentSum cashSum noCashSum prepaymentCashSum prepaymentNoCashSum prepaymentQrSum qrSum".split(" "),
  // Never changed (json-api 12.3, rule 6), and sums that make up the total (rule 4).
  retailsalesreturn: ["agentAccount", "demand", "cashSum", "noCashSum", "qrSum"],
  // At most the turnover (json-api 12.1).
  retailshift: ["bankComission", "qrBankComission"],
  // Not true together with `allowCreateProducts` (json-api 12.6).
  retailstore: ["controlShippingStock"],
  // Made of the product's and the characteristics' values (json-api 13.2).
  variant: ["name"],
};

const ENTREPRENEUR = { companyType: "entrepreneur" };
const INDIVIDUAL = { companyType: "individual" };
/** Members that must be sent with a field: requisites of one kind of company are ignored for the others (json-api 13.5). */
const WITH: Readonly<Record<string, object>> = {
  birthDate: INDIVIDUAL,
  sex: INDIVIDUAL,
  certificateDate: ENTREPRENEUR,
  certificateNumber: ENTREPRENEUR,
  legalFirstName: ENTREPRENEUR,
  legalLastName: ENTREPRENEUR,
  legalMiddleName: ENTREPRENEUR,
  ogrnip: ENTREPRENEUR,
  kpp: { companyType: "legal" },
  legalTitle: { companyType: "legal" },
  ogrn: { companyType: "legal" },
};

/** Values of fields that do not accept every text. */
const FITTING: Readonly<Record<string, string>> = { email: "buyer@shop.example", inn: "500100732259", sex: "MALE" };

function longest({ type }: GoldenField): number {
  return Number(/^string\((\d+)\)$/.exec(type)?.[1] ?? 0);
}

/** A value to which the field can be changed. Undefined: the field has parts, and the tests of its rules change it. */
function changedTo(row: GoldenField, made: SandboxAnswer, world: GoldenWorld, type: string): unknown {
  if (row.type === "ref") return world.target(type, row.name);
  if (row.type === "bool") return made.at(row.name) !== true;
  if (row.type === "int" || row.type === "number") return 7;
  if (row.type === "datetime") return "2031-05-06 07:08:00";
  if (row.type === "string[]") return ["один", "два"];
  if (longest(row) > 0) return FITTING[row.name] ?? "Значение";
  return undefined;
}

function shows(given: unknown, value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(given) === JSON.stringify(value);
  const href = (object: unknown): unknown => (object as { meta?: { href?: unknown } } | undefined)?.meta?.href;
  return href(given) === href(value);
}
