import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { answerJson, answerJsonAtOnce } from "../../../../src/platform/api/answer-json.ts";
import { EXTENT, sample } from "../../../support/extent.ts";
import { longestTurnWithin, TRIES } from "../../../support/hostile/longest-turn.ts";
import { timesSlower } from "../../../support/hostile/yardstick.ts";

const MIB = 1024 * 1024;
const SIZES = [1, 2, 16];
/** The number of shapes that `npm test` parses beside other work, of six. */
const SHORT_COUNT = 2;
/** The longest allowed turn of the event loop. */
const BOUND_MS = 50;
/** The processor time allowed for each mebibyte of a body. */
const CPU_MS_PER_MIB = 25;

const repeated = (unit: string, bytes: number) => unit.repeat(Math.floor((bytes - 100) / unit.length));
const listOf = (unit: string, bytes: number) => `{"rows":[${repeated(`${unit},`, bytes)}0]}`;

/** Bodies of about so many bytes that would keep a parser without bounds busy for long. */
const REFUSED: Record<string, (bytes: number) => string> = {
  "lists in lists": (bytes) => "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
  "lists that never end": (bytes) => "[".repeat(bytes),
  "objects in objects": (bytes) => `${repeated('{"a":', (bytes * 5) / 6)}1${repeated("}", bytes / 6)}`,
  "empty objects": (bytes) => listOf("{}", bytes),
  "empty lists": (bytes) => listOf("[]", bytes),
  "lists twenty deep": (bytes) => listOf("[".repeat(20) + "]".repeat(20), bytes),
  numbers: (bytes) => listOf("1", bytes),
  "small objects": (bytes) => listOf('{"a":1}', bytes),
  names: (bytes) => `{${Array.from({ length: (bytes - 100) / 13 }, (_, at) => `"k${1_000_000 + at}":1`).join(",")}}`,
  "short texts": (bytes) => listOf('""', bytes),
  commas: (bytes) => ",".repeat(bytes),
};

const ADDRESS = "https://api.example.org/api/remap/1.2/entity";
const ID = "99990000-0000-4000-8000-000000000000";
const META = {
  href: `${ADDRESS}/product/${ID}`,
  metadataHref: `${ADDRESS}/product/metadata`,
  type: "product",
  mediaType: "application/json",
};
const PRODUCT = {
  meta: META,
  id: ID,
  name: 'Молоко "Утро", 3,2 % {1 л}: [упаковка]',
  salePrices: Array.from({ length: 5 }, () => ({
    value: 9_900,
    currency: { meta: META },
    priceType: { meta: META, id: ID, name: "Цена" },
  })),
  barcodes: Array.from({ length: 3 }, () => ({ ean13: "2000000000015" })),
  attributes: Array.from({ length: 8 }, () => ({ meta: META, id: ID, name: "Страна", type: "string", value: "Россия" })),
};
const LINE = { meta: META, id: ID, quantity: 1, price: 9_900, assortment: PRODUCT };

/** Bodies that the platform does send, with their largest length. */
const ACCEPTED: Record<string, [value: unknown, maxBytes: number]> = {
  "1000 products": [{ meta: META, rows: Array(1_000).fill(PRODUCT) }, 16 * MIB],
  "100 products for a sale": [{ meta: META, rows: Array(100).fill(PRODUCT) }, 2 * MIB],
  "20 documents of 100 positions with their goods": [
    { rows: Array(20).fill({ meta: META, positions: { rows: Array(100).fill(LINE) } }) },
    16 * MIB,
  ],
  "16 MiB of short lines of stock": [Array(230_000).fill({ assortmentId: ID, stock: 1 }), 16 * MIB],
  "1000 lines of stock": [Array(1_000).fill({ assortmentId: ID, stock: 1 }), 16 * MIB],
  "a short answer with a small bound": [{ rows: [PRODUCT] }, 7_000],
  "a text of brackets": [{ name: '[{,:"\\'.repeat(100_000) }, 2 * MIB],
  "a long text": [{ name: "ы".repeat(MIB) }, 16 * MIB],
};

describe("JSON of the platform", () => {
  const all = Object.keys(REFUSED).flatMap((shape, nth) => SIZES.map((mib, size) => ({ mib, shape, size, nth })));
  // `npm test` takes each shape once, in one of the smaller sizes.
  const table = all
    .filter(({ nth, size }) => EXTENT === "long" || (nth % SIZES.length) % (SIZES.length - 1) === size)
    .map(({ mib, shape }) => [mib, shape] as const);

  it.each(table)("of %i MiB made of %s is refused before it costs much", (mib, shape) => {
    const body = Buffer.from((REFUSED[shape] ?? expect.unreachable())(mib * MIB));
    const { cpuMs, result } = shortest(() => answerJsonAtOnce(body, mib * MIB));
    expect(result.kind).toBe("refused");
    expect(within(cpuMs, CPU_MS_PER_MIB * mib)).toBe(true);
  });

  it.each(sample(Object.entries(ACCEPTED), 4))("is read when it is %s", async (_what, [value, maxBytes]) => {
    const body = Buffer.from(JSON.stringify(value));
    expect(body.length).toBeLessThan(maxBytes);
    // A matcher that shows differences would need seconds for a quarter of a million rows.
    expect(isDeepStrictEqual(answerJsonAtOnce(body, maxBytes), { kind: "json", value })).toBe(true);
    expect(isDeepStrictEqual(await answerJson(body, maxBytes), { kind: "json", value })).toBe(true);
  });

  it("is read up to 64 levels", () => {
    const nested = (levels: number) => Buffer.from("[".repeat(levels) + "]".repeat(levels));
    expect(answerJsonAtOnce(nested(64), MIB).kind).toBe("json");
    expect(answerJsonAtOnce(nested(65), MIB)).toEqual({ kind: "refused", excess: "more than 64 levels" });
  });

  it("may have one mark for every 8 bytes of its longest length", () => {
    const marks = (count: number) => Buffer.from(`[0${",0".repeat(count - 1)}]`);
    expect(answerJsonAtOnce(marks(262_144), 2 * MIB).kind).toBe("json");
    expect(answerJsonAtOnce(marks(262_145), 2 * MIB)).toEqual({ kind: "refused", excess: "more than 262144 brackets, colons and commas" });
  });

  it("may have texts of 3 MiB at most, in bytes", () => {
    const text = (bytes: number) => Buffer.from(JSON.stringify([`"${"ы".repeat((bytes - 2) / 2)}`]));
    expect(answerJsonAtOnce(text(3 * MIB), 16 * MIB).kind).toBe("json");
    expect(answerJsonAtOnce(text(3 * MIB + 2), 16 * MIB)).toEqual({ kind: "refused", excess: "a text of more than 3145728 bytes" });
    expect(answerJsonAtOnce(Buffer.from(`"${"a".repeat(3 * MIB + 100)}`), 16 * MIB).kind).toBe("refused");
  });

  it.each(["", "<html>", '{"a":', '"a', '"a\\', "]]]", "{]"])("is told from what is none: %j", (text) => {
    expect(answerJsonAtOnce(Buffer.from(text), MIB)).toEqual(text === "" ? { kind: "json", value: undefined } : { kind: "page" });
  });
});

/** Answers with at most one mark in 8 bytes, which would keep a parser without steps busy for long. */
const LONG: Record<string, [mib: number, made: (bytes: number) => string]> = {
  "objects whose names are all different": [2, (bytes) => rowsOf(bytes, (at) => `{"name${at}":"text","of${at}":"text"}`)],
  "objects of one name, each a new one": [2, (bytes) => rowsOf(bytes, (at) => `{"a-longer-name-${at}":1}`)],
  "objects whose names come in different orders": [15, (bytes) => rowsOf(bytes, (at) => objectOf(at))],
  "short lines of stock": [15, (bytes) => rowsOf(bytes, () => `{"assortmentId":"${ID}","stock":1}`)],
  "lists in lists, each with much in front of the next": [
    15,
    (bytes) =>
      `${Array.from({ length: 60 }, () => `["${"x".repeat(100)}"${',"some text"'.repeat(bytes / 60 / 14)},`).join("")}0${"]".repeat(60)}`,
  ],
  "texts of a mebibyte": [
    15,
    (bytes) =>
      `[${Array(Math.floor(bytes / MIB) - 1)
        .fill(`"${"ы".repeat(MIB / 2)}"`)
        .join(",")}]`,
  ],
};

/** An object with twelve names of twenty-four, in an order that depends on the row. */
function objectOf(row: number): string {
  const members = Array.from({ length: 12 }, (_, at) => `"name-${(row * 7 + at * (1 + (row % 23))) % 24}":"some text"`);
  return `{${members.join(",")}}`;
}

function rowsOf(bytes: number, row: (at: number) => string): string {
  const rows: string[] = [];
  for (let length = 100, at = 1_000_000; length < bytes; at += 1) {
    const text = row(at);
    length += text.length + 1;
    if (length < bytes) rows.push(text);
  }
  return `{"meta":{"size":${rows.length}},"rows":[${rows.join(",\n")}]}`;
}

describe("the event loop goes on", () => {
  const table = sample(Object.entries(LONG), SHORT_COUNT).map(([shape, [mib]]) => [mib, shape] as const);

  it.each(table)(
    "while an answer of %i MiB is parsed that is made of %s",
    async (mib, shape) => {
      const body = Buffer.from((LONG[shape]?.[1] ?? expect.unreachable())(mib * MIB * 0.95));
      const parsed = await answerJson(body, 16 * MIB);
      expect(parsed.kind === "json" && isDeepStrictEqual(parsed.value, JSON.parse(body.toString()))).toBe(true);
      const { cpuMs, allowedMs } = await longestTurnWithin(BOUND_MS, TRIES, () => answerJson(body, 16 * MIB));
      expect(cpuMs).toBeLessThan(allowedMs);
    },
    60_000,
  );
});

function shortest<T>(work: () => T): { cpuMs: number; result: T } {
  let cpuMs = Number.POSITIVE_INFINITY;
  let result = work();
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const before = process.threadCpuUsage();
    result = work();
    const { user, system } = process.threadCpuUsage(before);
    cpuMs = Math.min(cpuMs, (user + system) / 1_000);
  }
  return { cpuMs, result };
}

function within(cpuMs: number, boundMs: number): boolean {
  return cpuMs < boundMs || cpuMs < boundMs * timesSlower();
}
