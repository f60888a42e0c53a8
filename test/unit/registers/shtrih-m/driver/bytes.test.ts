import { describe, expect, it } from "vitest";
import { settlementTags } from "../../../../../src/registers/tags/settlement.ts";
import { encodeRequisites } from "../../../../../src/registers/tags/tlv.ts";
import { receiptDocument, receiptLine, tendersOf } from "../../../../support/register-documents.ts";
import { Trial } from "../../../../support/registers.ts";
import { shtrihBench } from "../../../../support/shtrih-m-bench.ts";

const NAMES = ["Хлеб", "Молоко 2,5 %", "Сыр", "Масло", "Чай чёрный байховый", "Сахар", "Соль", "Мыло", "Спички", "Бумага"];
const SALE = receiptDocument({
  reference: "0123456789abcdef",
  lines: NAMES.map((name) => receiptLine({ name, priceKopecks: 1_000, sumKopecks: 1_000, vatKopecks: 180 })),
  totalKopecks: 10_000,
  tenders: tendersOf({ cashKopecks: 10_000 }),
  vatTotals: [{ vat: 11, sumKopecks: 1_800 }],
});

/** The bytes of a command and its answer, with ENQ, NAK, two ACK and the frames around the data (shtrih-protocol 1.4). */
function exchangeBytes(request: number, answer: number): number {
  return 4 + (request + 3) + (answer + 3);
}

/** 8D, two FF0C, ten FF46, FF45 and one 10h, by the lengths of shtrih-protocol 5. */
function minimalBytes(): number {
  const { place, extra } = settlementTags(SALE, "1.2");
  const tags = [...place, ...extra].map((requisite) => exchangeBytes(6 + encodeRequisites([requisite]).length, 3));
  const items = SALE.lines.map(({ name }) => exchangeBytes(32 + name.length, 3));
  expect(tags).toHaveLength(2);
  return [exchangeBytes(6, 3), ...tags, ...items, exchangeBytes(118, 16), exchangeBytes(5, 16)].reduce((sum, bytes) => sum + bytes, 0);
}

describe("a sale of ten positions", () => {
  it("takes at most 1.15 times the bytes of the least that is needed, the look at the device before it included", async () => {
    const t = await Trial.on((clock) => shtrihBench(clock));
    await t.openShift();
    await t.fiscal(SALE);
    t.bench.cable.reset();
    await t.state();
    await t.fiscal(SALE);
    expect(t.bench.cable.carriedBytes / minimalBytes()).toBeLessThan(1.15);
  });

  it("takes hardly more than the least that is needed once the device was looked at", async () => {
    const t = await Trial.on((clock) => shtrihBench(clock));
    await t.openShift();
    await t.state();
    t.bench.cable.reset();
    await t.fiscal(SALE);
    expect(t.bench.cable.carriedBytes / minimalBytes()).toBeLessThan(1.05);
  });
});
