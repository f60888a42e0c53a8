import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { goldenExpands, goldenTables } from "../../support/golden-fields.ts";
import { type GoldenWorld, goldenWorld } from "../../support/golden-world.ts";
import type { SandboxAnswer } from "../../support/sandbox.ts";

// json-api 6.5 and D46, type by type.

let world: GoldenWorld;
beforeAll(async () => {
  world = await goldenWorld();
});
afterAll(() => world.close());

const PRICE = { value: 100 };

/** Types whose objects are also in the assortment. */
const GOODS: ReadonlySet<string> = new Set(["product", "service", "variant", "bundle"]);

/** The values that contain what is to be expanded. */
async function filled(type: string): Promise<Record<string, unknown>> {
  const prices = { salePrices: [PRICE], buyPrice: PRICE, minPrice: PRICE };
  if (GOODS.has(type)) return prices;
  if (type === "store") return { zones: [{ name: "Холодная" }], slots: [{ name: "А-1" }] };
  if (type !== "contract") return {};
  const state = await world.sandbox.call("POST", "entity/contract/metadata/states", { name: "Ждёт", color: 1, stateType: "Regular" });
  return {
    ownAgent: world.target("customerorder", "organization"),
    agent: world.target("customerorder", "agent"),
    agentAccount: world.target("customerorder", "agentAccount"),
    organizationAccount: world.target("customerorder", "organizationAccount"),
    state: { meta: state.at("meta") },
  };
}

/** Whether the value is a reference that became a whole object, an array of such objects, or a collection with its rows. */
function isWhole(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isWhole);
  if (typeof value !== "object" || value === null) return false;
  if ("rows" in value) return Array.isArray(value.rows) && value.rows.length > 0;
  return "id" in value || ("currency" in value && isWhole(value.currency));
}

function valueBehind(answer: SandboxAnswer, path: string, ...at: (string | number)[]): unknown {
  const [first = "", second] = path.split(".");
  const value = answer.at(...at, first);
  if (second === undefined) return value;
  const inside = (each: unknown): unknown => Reflect.get(Object(each), second);
  return Array.isArray(value) ? value.map(inside) : inside(value);
}

describe.each([...goldenExpands()])("an object of type %s", (type, paths) => {
  let made: SandboxAnswer;
  let body: Record<string, unknown>;
  beforeAll(async () => {
    body = { ...world.least(type), ...(await filled(type)) };
    made = await world.sandbox.call("POST", `entity/${type}?expand=${paths.join(",")}`, body);
    expect(made.status, made.text).toBe(200);
  });

  it.each(paths)("has %s whole when it is made, read, changed and listed with this expand, and short without", async (path) => {
    const href = String(made.at("meta", "href"));
    const id = String(made.at("id"));
    expect([path, isWhole(valueBehind(made, path))], made.text).toEqual([path, true]);
    const change = { description: `по пути ${path}` };
    const changed = await world.sandbox.call("PUT", `${href}?expand=${path}`, change);
    expect([changed.status, isWhole(valueBehind(changed, path))], changed.text).toEqual([200, true]);
    const read = await world.sandbox.call("GET", `${href}?expand=${path}`);
    expect([read.at("description") ?? change.description, isWhole(valueBehind(read, path))]).toEqual([change.description, true]);
    const listed = await world.sandbox.call("GET", `entity/${type}?limit=100&filter=id=${id}&expand=${path}`);
    expect(isWhole(valueBehind(listed, path, "rows", 0))).toBe(true);
    if (GOODS.has(type)) {
      const inAssortment = await world.sandbox.call("GET", `entity/assortment?limit=100&filter=id=${id}&expand=${path}`);
      expect(isWhole(valueBehind(inAssortment, path, "rows", 0)), inAssortment.text).toBe(true);
    }
    const short = await world.sandbox.call("GET", href);
    expect(isWhole(valueBehind(short, path))).toBe(false);
  });
});

/** Types with addresses of their own: those of the tables and the others. */
const TYPES = [
  ...[...goldenTables()].filter(([, rows]) => rows.some(({ name, out }) => name === "accountId" && out === "out")).map(([type]) => type),
  ..."store project contract saleschannel country currency productfolder group".split(" "),
].filter((type) => !type.endsWith("position") && !type.startsWith("webhook"));

describe.each(TYPES)("an expand of what a %s does not have or cannot expand", (type) => {
  const plain = (goldenTables().get(type) ?? []).filter(({ expand }) => expand === ".").map(({ name }) => name);
  const names = [...plain, "attributes", "nosuch", "nosuch.name", "owner.nosuch.name", "name.length", "", "constructor", "__proto__"];

  it("does nothing: what is named beside it is expanded, and writes are done", async () => {
    const least = world.least(type);
    const query = `expand=${encodeURIComponent(["group", ...names].join(","))}`;
    const made = await world.sandbox.call("POST", `entity/${type}?${query}`, least);
    expect(made.status, made.text).toBe(200);
    const href = String(made.at("meta", "href"));
    const { lastName } = least;
    const changed = await world.sandbox.call("PUT", `${href}?${query}`, { ...(lastName ? { lastName } : {}), description: "изменено" });
    expect(changed.status, changed.text).toBe(200);
    const listed = await world.sandbox.call("GET", `entity/${type}?limit=10&${query}`);
    expect(listed.status, listed.text).toBe(200);
    const [read, short] = [await world.sandbox.call("GET", `${href}?${query}`), await world.sandbox.call("GET", href)];
    expect(read.status).toBe(200);
    const { group, owner, ...rest } = read.body as Record<string, { name?: string }>;
    const { group: shortGroup, owner: shortOwner, ...shortRest } = short.body as Record<string, unknown>;
    // The query expands `group` and `owner`, and nothing else.
    expect(rest).toEqual(shortRest);
    if (shortGroup !== undefined) expect(group?.name).toEqual(expect.any(String));
    if (typeof short.at("description") === "string") expect(short.at("description")).toBe("изменено");
  });

  it("deeper than three levels is refused only when the first three lead somewhere", async () => {
    expect((await world.sandbox.call("GET", `entity/${type}?limit=1&expand=nosuch.a.b.c`)).status).toBe(200);
    const answer = await world.sandbox.call("GET", "entity/retaildemand?limit=1&expand=retailShift.retailStore.organization.group");
    expect([answer.status, answer.at("errors", 0, "code")]).toEqual([412, 1089]);
  });
});

it("a template gives whole what is expanded", async () => {
  const body = { agent: world.target("customerorder", "agent"), organization: world.target("customerorder", "organization") };
  const filled = await world.sandbox.call("PUT", "entity/customerorder/new?expand=agent,nosuch", body);
  expect([filled.status, isWhole(filled.at("agent")), isWhole(filled.at("organization"))], filled.text).toEqual([200, true, false]);
});
