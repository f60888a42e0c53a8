import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { goldenDictionaryFilters } from "../../support/golden-fields.ts";
import { type GoldenWorld, goldenWorld } from "../../support/golden-world.ts";
import type { SandboxAnswer } from "../../support/sandbox.ts";

// json-api 6.2 and 13.11: filters of types that have no table of their own.

const OPERATORS = ["=", "!=", ">", "<", ">=", "<=", "~", "~=", "=~"];
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  E: ["=", "!="],
  C: ["=", "!=", ">", "<", ">=", "<="],
  T: ["=", "!=", "~", "~=", "=~"],
};

let world: GoldenWorld;
beforeAll(async () => {
  world = await goldenWorld();
});
afterAll(() => world.close());

const call = (method: string, path: string, body?: unknown) => world.sandbox.call(method, path, body);

/** An object of the type with a value in every field that can have one. */
async function objectOf(type: string): Promise<SandboxAnswer> {
  const rows = await call("GET", `entity/${type}?limit=1`);
  if (type === "region" || type === "group") return { ...rows, at: (...at) => rows.at("rows", 0, ...at) };
  const states = "entity/contract/metadata/states";
  const state = async () => {
    const name = `Ждёт ${String((await call("GET", states)).at("meta", "size"))}`;
    return (await call("POST", states, { name, color: 1, stateType: "Regular" })).at("meta");
  };
  const more: Readonly<Record<string, () => Promise<object>>> = {
    currency: async () => ({ code: "840", isoCode: "USD", fullName: "Доллар США", multiplicity: 1 }),
    saleschannel: async () => ({ type: "RETAIL_SALES" }),
    contract: async () => ({
      agent: world.target("customerorder", "agent"),
      ownAgent: world.target("customerorder", "organization"),
      state: { meta: await state() },
    }),
  };
  const texts = type.startsWith("webhook") ? {} : { code: "К-1", description: "описание", owner: world.target("product", "owner") };
  const made = await call("POST", `entity/${type}`, { ...world.least(type), ...texts, ...(await more[type]?.()) });
  expect(made.status, made.text).toBe(200);
  return made;
}

function constantOf(value: unknown): string {
  const { meta } = Object(value) as { meta?: { href: string } };
  return meta === undefined ? String(value).replaceAll(";", "\\;") : meta.href;
}

describe.each([...goldenDictionaryFilters()])("a list of type %s", (type, fields) => {
  const size = async (filter: string) => {
    const answer = await call("GET", `entity/${type}?limit=1&filter=${encodeURIComponent(filter)}`);
    return answer.status === 200 ? answer.at("meta", "size") : answer.at("errors", 0, "code");
  };

  it("is filtered by every operator of each field's class with rows, and by no others", async () => {
    const made = await objectOf(type);
    const wrong: string[] = [];
    for (const [name, kind] of fields) {
      const value = constantOf(made.at(name));
      expect([name, made.at(name)], made.text).not.toEqual([name, undefined]);
      for (const operator of OPERATORS) {
        const found = await size(`${name}${operator}${value}`);
        const allowed = CLASSES[kind]?.includes(operator) === true;
        if (allowed ? typeof found !== "number" || found === 1034 : found !== 1034) wrong.push(`${name}${operator}: ${String(found)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("finds an object by all its fields together, and not when one is denied", async () => {
    const made = await objectOf(type);
    const equal = fields.map(([name]) => `${name}=${constantOf(made.at(name))}`);
    const itself = `id=${String(made.at("id"))}`;
    expect([equal, await size(equal.join(";"))]).toEqual([equal, 1]);
    for (const condition of equal.filter((each) => each !== itself)) {
      expect([condition, await size(`${itself};${condition.replace("=", "!=")}`)]).toEqual([condition, 0]);
    }
  });
});

describe("a currency", () => {
  it("is the account's own by default=true, and no other", async () => {
    const list = await call("GET", "entity/currency?filter=default=true");
    expect((list.at("rows") as { isoCode: string }[]).map(({ isoCode }) => isoCode)).toEqual(["RUB"]);
  });

  it.each(["accountId=00000000-0000-4000-8000-000000000000", "externalCode=1", "updated>2020-01-01 00:00:00", "rate=1"])(
    "is not filtered by %s",
    async (filter) => {
      const answer = await call("GET", `entity/currency?filter=${encodeURIComponent(filter)}`);
      expect([answer.status, answer.at("errors", 0, "code")]).toEqual([412, 1034]);
    },
  );
});

describe("a sales channel", () => {
  it("has each of the types of the list, and is found by it", async () => {
    const types = "MESSENGER SOCIAL_NETWORK MARKETPLACE ECOMMERCE CLASSIFIED_ADS DIRECT_SALES RETAIL_SALES OTHER".split(" ");
    for (const type of types) {
      expect((await call("POST", "entity/saleschannel", { name: type, type })).at("type")).toBe(type);
      const found = await call("GET", `entity/saleschannel?filter=type=${type};name=${type}`);
      expect([type, found.at("meta", "size")]).toEqual([type, 1]);
    }
  });
});
