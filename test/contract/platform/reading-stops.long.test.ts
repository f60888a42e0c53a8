import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHOP_TYPES } from "../../../src/accounts/shop/shop-object.ts";
import { CATALOGUE } from "../../../src/platform/entities/catalogue.ts";
import { spread } from "../../support/extent.ts";
import { FILLS, ITEMS, withLongList, withLongText, withManyMembers, withNesting } from "../../support/hostile/bodies.ts";
import type { FieldPath } from "../../support/hostile/fields.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";
import { type HostileReading, openHostileReading } from "../../support/hostile/shop-reading.ts";

const BOUND_MS = 50;
const TIME_LIMIT_MS = 600_000;
const MIB = 1024 * 1024;
/** An answer of the longest length that is parsed, and of the longest that a sale waits for. */
const ANSWER_BYTES = 15 * MIB;
/** The longest text of an answer, nearly. */
const TEXT_BYTES = 3 * MIB - 1_000;
/** The number of answers that are read. An answer of the longest length takes a second or two, because eight types are read. */
const COUNT = 60;

/** Every field that the server reads of any object of a shop, and the members of its references. */
const FIELDS: FieldPath[] = [
  ...new Set(SHOP_TYPES.flatMap((type) => Object.keys(CATALOGUE[type].fields))),
  ...["id", "meta", "updated", "nobody-knows"],
]
  .map((name): FieldPath => [name])
  .concat([
    ["organization", "meta", "href"],
    ["uom", "name"],
    ["product", "uom", "name"],
    ["cashiers", "rows"],
    ["cashiers", "meta", "size"],
  ]);

let shop: HostileReading;
beforeAll(async () => {
  shop = await openHostileReading();
});
afterAll(() => shop.close());

function row(member = ""): string {
  return `{"meta":{"href":"http://a/b"},"id":"${randomUUID()}","updated":"2026-11-29 10:00:00"${member === "" ? "" : `,${member}`}}`;
}

function page(rows: readonly string[]): Buffer {
  return Buffer.from(`{"meta":{"size":${rows.length},"limit":1000,"offset":0},"rows":[${rows.join(",")}]}`);
}

/** A page whose only row has something long in one field. */
function inField(path: FieldPath, make: (body: object, at: FieldPath) => Buffer): Buffer {
  const body = { meta: { size: 1, limit: 1_000, offset: 0 }, rows: [JSON.parse(row()) as object] };
  return make(body, ["rows", 0, ...path]);
}

function crowd(count: number, member: () => string): Buffer {
  const rows: string[] = [];
  for (let bytes = 100; rows.length < count; ) {
    const one = row(member());
    bytes += Buffer.byteLength(one) + 1;
    if (bytes > ANSWER_BYTES) break;
    rows.push(one);
  }
  return page(rows);
}

const cashier = () => `{"employee":{"meta":{"href":"http://a/entity/employee/${randomUUID()}"}}}`;
const NAMES = ["name", "address", "legalTitle", "inn", "firstName", "middleName", "lastName", "code"];
const everyName = (text: string) => NAMES.map((name) => `"${name}":"${text}"`).join(",");

const CROWDS: Record<string, () => Buffer> = {
  "many objects with long names": () => crowd(1_000, () => everyName("щ".repeat(500))),
  "many objects with the longest names": () => crowd(1_000, () => everyName("щ".repeat(4_096))),
  "many objects with names of control characters": () => crowd(1_000, () => everyName("\\u0001".repeat(1_000))),
  "one point of sale with all its cashiers": () =>
    page([row(`"cashiers":{"rows":[${Array.from({ length: (ANSWER_BYTES - 1_000) / 120 }, cashier).join(",")}]}`)]),
  "points of sale with many cashiers": () => {
    const cashiers = Array.from({ length: 100 }, cashier).join(",");
    return crowd(1_000, () => `"cashiers":{"rows":[${cashiers}]}`);
  },
  "many rows": () => crowd(Number.POSITIVE_INFINITY, () => ""),
  "rows of nothing": () => page(Array(Math.floor(ANSWER_BYTES / 10)).fill("{}")),
  "rows that are no objects": () => page(Array(Math.floor(ANSWER_BYTES / 10)).fill("null")),
};

const CASES: Record<string, () => Buffer> = {
  ...CROWDS,
  ...Object.fromEntries(
    FIELDS.flatMap((path) => {
      const of = (what: string, make: (body: object, at: FieldPath) => Buffer) => [`${path.join(".")}: ${what}`, () => inField(path, make)];
      return [
        ...(Object.keys(FILLS) as (keyof typeof FILLS)[]).map((fill) => of(fill, (body, at) => withLongText(body, at, fill, TEXT_BYTES))),
        ...(Object.keys(ITEMS) as (keyof typeof ITEMS)[]).map((item) =>
          of(`a list of ${item}`, (body, at) => withLongList(body, at, item, ANSWER_BYTES)),
        ),
        of("nested lists", (body, at) => withNesting(body, at, ANSWER_BYTES)),
        of("many members", (body, at) => withManyMembers(body, at, ANSWER_BYTES)),
      ];
    }),
  ),
};

describe("the reading of a shop", () => {
  it.each(Object.entries(CROWDS))(
    "lets other work run while the platform answers with %s",
    async (_, answer) => {
      const body = answer();
      const { cpuMs, allowedMs } = await longestTurnWithin(BOUND_MS, TRIES, () => shop.read(body));
      expect(cpuMs).toBeLessThan(allowedMs);
    },
    TIME_LIMIT_MS,
  );

  it(
    "lets other work run whatever the platform writes into any field of an object",
    async () => {
      const stops: string[] = [];
      for (const [name, answer] of spread(Object.entries(CASES), COUNT)) {
        const body = answer();
        const { cpuMs, allowedMs } = await longestTurnWithin(BOUND_MS, TRIES, () => shop.read(body));
        if (cpuMs >= allowedMs) stops.push(`${name}: ${cpuMs} ms, and ${allowedMs} ms are allowed on this machine`);
      }
      expect(stops).toEqual([]);
    },
    TIME_LIMIT_MS * 5,
  );

  it("stores a point of sale with 12,000 cashiers so that it can be read again", async () => {
    const cashiers = Array.from({ length: 12_000 }, cashier).join(",");
    await shop.read(page([row(`"name":"Точка","cashiers":{"rows":[${cashiers}]}`)]));
    expect(await shop.kept("retailstore")).toMatchObject([{ name: "Точка" }]);
  });
});
