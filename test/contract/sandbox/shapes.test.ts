import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenId } from "../../../src/tools/sandbox/account/users.ts";
import { goldenMetas, goldenTables } from "../../support/golden-fields.ts";
import { type GoldenWorld, goldenWorld } from "../../support/golden-world.ts";
import type { SandboxAnswer } from "../../support/sandbox.ts";

// json-api 5.1, 13.2, 13.6, 13.11, 13.12, 15: the parts of answers.

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==";

let world: GoldenWorld;
/** An object of each kind that a meta may have, by its type. */
const objects = new Map<string, Record<string, unknown>>();

beforeAll(async () => {
  world = await goldenWorld();
  await gather();
});
afterAll(() => world.close());

const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<SandboxAnswer> => {
  const answer = await world.sandbox.call(method, path, body, headers);
  expect(answer.status, answer.text).toBe(200);
  return answer;
};
const keep = (type: string, object: unknown) => objects.set(type, object as Record<string, unknown>);
const ENTITIES = [...goldenMetas().keys()].filter(
  (type) => !/position|component|cashier|contactperson|image|files|pricetype|settings/.test(type),
);
const NOT_MADE = ["application", "attributemetadata", "state", "region"];

async function gather(): Promise<void> {
  for (const type of ENTITIES.filter((each) => !NOT_MADE.includes(each))) {
    keep(type, (await call("POST", `entity/${type}`, world.least(type))).body);
  }
  keep("region", (await call("GET", "entity/region?limit=1")).at("rows", 0));
  keep("pricetype", (await call("GET", "context/companysettings/pricetype")).at(0));
  keep("usersettings", (await call("GET", "context/usersettings")).body);
  keep("assortmentsettings", (await call("GET", "entity/assortment/settings")).body);
  keep("state", (await call("GET", "entity/customerorder/metadata")).at("states", 0));
  keep("attributemetadata", (await call("POST", "entity/product/metadata/attributes", { name: "Поле", type: "string" })).body);
  const line = { assortment: { meta: objects.get("product")?.meta }, price: 0 };
  for (const [type, document] of Object.entries({
    demandposition: "retaildemand",
    salesreturnposition: "retailsalesreturn",
    customerorderposition: "customerorder",
  })) {
    keep(type, (await call("POST", `${hrefOf(document)}/positions`, line)).at(0));
  }
  keep("bundlecomponent", (await call("GET", `${hrefOf("bundle")}/components`)).at("rows", 0));
  keep("cashier", (await call("GET", "entity/retailstore?limit=1&expand=cashiers")).at("rows", 0, "cashiers", "rows", 0));
  keep("contactperson", (await call("POST", `${hrefOf("counterparty")}/contactpersons`, { name: "Лицо" })).at(0));
  keep("image", (await call("POST", `${hrefOf("product")}/images`, { filename: "а.png", content: PIXEL })).at(0));
  keep("files", (await call("POST", `${hrefOf("product")}/files`, [{ filename: "а.txt", content: PIXEL }])).at(0));
  const { account } = world.sandbox;
  const token = { type: "token", id: tokenId("of-a-solution"), values: { appId: "00000000-0000-4000-8000-000000000001" } };
  await account.commit(() => account.put(token));
  const hook = await call(
    "POST",
    "entity/webhook",
    { url: "https://hooks.example/app", action: "DELETE", entityType: "uom" },
    { authorization: "Bearer of-a-solution" },
  );
  keep("application", hook.at("authorApplication"));
}

function hrefOf(type: string): string {
  return String((objects.get(type) as { meta: { href: string } }).meta.href);
}

describe.each([...goldenMetas()])("the meta of a %s", (type, marks) => {
  it(`has beside href, type and mediaType: ${marks.join(", ")}`, async () => {
    const meta = objects.get(type)?.meta as Record<string, unknown>;
    expect(meta).toMatchObject({ type, mediaType: "application/json" });
    const named = ["metadataHref", "uuidHref"].filter((name) => name in meta);
    expect(named).toEqual(marks.includes("owner") ? ["metadataHref"] : marks.filter((mark) => mark !== "none"));
    if (typeof meta.metadataHref === "string") expect((await world.sandbox.call("GET", meta.metadataHref)).status).toBe(200);
    if (marks.includes("owner")) expect(meta.metadataHref).toBe(`${world.sandbox.api}/entity/customerorder/metadata`);
  });
});

describe("a field of an answer", () => {
  it.each(["image", "files"])("%s has neither id nor account: the id is the end of its href", async (type) => {
    expect(Object.keys(objects.get(type) ?? {}).filter((name) => name === "id" || name === "accountId")).toEqual([]);
    expect((await world.sandbox.call("DELETE", hrefOf(type))).status).toBe(200);
  });

  it("employee.cashiers is an array of metas, empty for who is none, and of whole records when it is expanded", async () => {
    const rows = (await call("GET", "entity/employee")).at("rows") as {
      id: string;
      meta: { href: string };
      cashiers: { meta: object }[];
    }[];
    const counts = rows.map(({ cashiers }) => cashiers.length);
    expect(counts).toContain(0);
    expect(Math.max(...counts)).toBeGreaterThan(0);
    for (const { id, meta, cashiers } of rows) {
      for (const cashier of cashiers) {
        expect(cashier).toEqual({
          meta: {
            href: expect.stringMatching(/\/entity\/retailstore\/[^/]+\/cashiers\/[^/]+$/),
            type: "cashier",
            mediaType: "application/json",
          },
        });
      }
      const whole = await call("GET", `${meta.href}?expand=cashiers`);
      expect((whole.at("cashiers") as object[]).length).toBe(cashiers.length);
      if (cashiers.length > 0) {
        expect(whole.at("cashiers", 0, "employee", "meta", "href")).toContain(id);
        expect(whole.at("cashiers", 0, "retailStore", "meta", "type")).toBe("retailstore");
      }
    }
    const expanded = await call("GET", "entity/product?limit=1&expand=owner");
    expect(Array.isArray(expanded.at("rows", 0, "owner", "cashiers"))).toBe(true);
  });

  it("variant.characteristics has metas that lead to the characteristics", async () => {
    const href = hrefOf("variant");
    for (const answer of [await call("GET", href), await call("PUT", href, { code: "В" })]) {
      const all = answer.at("characteristics") as { meta: { href: string }; id: string; name: string; value: string }[];
      for (const each of all) {
        const meta = {
          href: `${world.sandbox.api}/entity/variant/metadata/characteristics/${each.id}`,
          type: "attributemetadata",
          mediaType: "application/json",
        };
        expect(each).toEqual({ meta, id: each.id, name: expect.any(String), value: expect.any(String) });
        expect((await call("GET", meta.href)).body).toEqual({ meta, id: each.id, name: each.name, type: "string", required: false });
      }
    }
    // An answer may be sent back as a body.
    const read = await call("GET", href);
    expect((await call("PUT", href, { characteristics: read.at("characteristics") })).at("characteristics")).toEqual(
      read.at("characteristics"),
    );
  });

  it.each(["entity/variant/metadata", "entity/variant/metadata/characteristics"])(
    "%s is an object of meta and characteristics",
    async (path) => {
      const answer = await call("GET", path);
      expect(Object.keys(answer.body as object).sort()).toEqual(["characteristics", "meta"]);
      expect(answer.at("meta")).toEqual({ href: `${world.sandbox.api}/${path}`, mediaType: "application/json" });
      expect((answer.at("characteristics") as object[]).length).toBeGreaterThan(0);
      expect((await call("GET", `${path}?limit=1`)).body).toEqual(answer.body);
    },
  );
});

const FORMS = {
  gender: expect.stringMatching(/^(masculine|feminine)$/),
  s1: expect.any(String),
  s2: expect.any(String),
  s5: expect.any(String),
};
const CURRENCY = {
  meta: expect.objectContaining({ type: "currency" }),
  id: expect.any(String),
  name: expect.any(String),
  code: expect.any(String),
  isoCode: expect.any(String),
  rate: expect.any(Number),
  multiplicity: expect.any(Number),
  indirect: expect.any(Boolean),
  margin: expect.any(Number),
  rateUpdateType: expect.stringMatching(/^(auto|manual)$/),
  majorUnit: FORMS,
  minorUnit: FORMS,
  default: expect.any(Boolean),
  archived: expect.any(Boolean),
};

describe("a currency", () => {
  it("has every field but the full name and the mark of the system always, with the forms of its units", async () => {
    expect((await call("GET", "entity/currency")).at("rows", 0)).toEqual({ ...CURRENCY, fullName: expect.any(String), system: true });
    expect((await call("POST", "entity/currency", { name: "тугрик" })).body).toEqual(CURRENCY);
  });

  it("takes what is written of it", async () => {
    const written = {
      name: "франк",
      fullName: "Швейцарский франк",
      code: "756",
      isoCode: "CHF",
      rate: 98.5,
      multiplicity: 10,
      indirect: true,
      margin: 2,
      rateUpdateType: "manual",
      majorUnit: { gender: "masculine", s1: "франк", s2: "франка", s5: "франков" },
      minorUnit: { gender: "masculine", s1: "раппен", s2: "раппена", s5: "раппенов" },
    };
    const made = await call("POST", "entity/currency", written);
    expect(made.body).toMatchObject(written);
    const changed = await call("PUT", String(made.at("meta", "href")), { majorUnit: { gender: "feminine", s1: "а", s2: "б", s5: "в" } });
    expect(changed.at("majorUnit", "gender")).toBe("feminine");
  });
});

describe("the context", () => {
  const administrator = { authorization: `Basic ${Buffer.from("admin@shop:secret").toString("base64")}` };
  const seller = { authorization: `Basic ${Buffer.from("seller@shop:secret").toString("base64")}` };
  const FULL = { view: "ALL", create: "ALL", update: "ALL", delete: "ALL" };

  it("employee is the caller as an employee, with permissions for every type, and for the administrator as such", async () => {
    const answer = await call("GET", "context/employee", undefined, administrator);
    const { permissions, ...rest } = answer.body as { permissions: Record<string, object>; id: string };
    expect((await call("GET", `entity/employee/${rest.id}`)).body).toEqual(rest);
    for (const type of [...goldenMetas().keys()].filter((each) => goldenTables().has(each) && objects.has(each) && each !== "state")) {
      if (goldenMetas().get(type)?.includes("none")) continue;
      expect([type, permissions[type]]).toMatchObject([type, FULL]);
    }
    expect(permissions.uom).toMatchObject({ print: "ALL" });
    expect(permissions.retaildemand).toMatchObject({ print: "ALL", approve: "ALL" });
    expect(permissions.counterparty).not.toHaveProperty("approve");
    expect(permissions.admin).toEqual({ view: "ALL" });
    expect((await call("GET", "context/employee", undefined, seller)).at("permissions", "admin")).toBeUndefined();
    expect((await call("GET", "context/employee?expand=group", undefined, seller)).at("permissions", "product")).toMatchObject(FULL);
  });

  it("companysettings have the currency whole and every field that is always given", async () => {
    const answer = await call("GET", "context/companysettings");
    expect(answer.body).toEqual({
      meta: expect.objectContaining({ type: "companysettings" }),
      currency: { ...CURRENCY, fullName: expect.any(String), system: true },
      priceTypes: expect.arrayContaining([expect.objectContaining({ id: expect.any(String), name: expect.any(String) })]),
      discountStrategy: expect.stringMatching(/^by(Sum|Priority)$/),
      globalOperationNumbering: expect.any(Boolean),
      checkShippingStock: expect.any(Boolean),
      checkMinPrice: expect.any(Boolean),
      useRecycleBin: expect.any(Boolean),
      useCompanyAddress: expect.any(Boolean),
      accountCountry: expect.stringMatching(/^(RU|BY|KZ)$/),
    });
  });
});
