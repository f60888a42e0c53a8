import { describe, expect, it } from "vitest";
import { wordsOfChanges } from "../../../../../src/tools/conformance/exchanges/changes.ts";

const ORDINARY = {
  meta: { id: "3d6f2a0c-0000-4000-8000-000000000001", href: "http://127.0.0.1:1/a" },
  name: "00001",
  moment: "2026-11-28 12:00:00",
  payments: { cashSum: "109.80" },
  positions: [{ quantity: 2, vat: 10 }],
  sum: "10000",
};

describe("what a request changes, in words", () => {
  it("is nothing where only ids, addresses, numbers of documents and seconds differ", () => {
    const sent = {
      ...ORDINARY,
      meta: { id: "3d6f2a0c-0000-4000-8000-000000000002", href: "http://127.0.0.1:2/b" },
      name: "00002",
      moment: "2026-11-28 12:00:09",
    };
    expect(wordsOfChanges(ORDINARY, sent)).toBe("");
  });

  it.each<[string, object]>([
    ['payments.cashSum "50.00"', { ...ORDINARY, payments: { cashSum: "50.00" } }],
    ['sum "20000"', { ...ORDINARY, sum: "20000" }],
    ["no name", { ...ORDINARY, name: undefined }],
    ["name null", { ...ORDINARY, name: null }],
    ["positions[0].vat 999", { ...ORDINARY, positions: [{ quantity: 2, vat: 999 }] }],
    ["0 positions", { ...ORDINARY, positions: [] }],
    ['moment "2026-11-27 12:00:00"', { ...ORDINARY, moment: "2026-11-27 12:00:00" }],
    ['brandNew {"deep":[1,2]}', { ...ORDINARY, brandNew: { deep: [1, 2] } }],
    ["the body {}", {}],
    ["no moment, no payments, no positions and 2 more", { meta: ORDINARY.meta, name: "00001", a: 1 }],
  ])("is %s", (words, sent) => {
    expect(wordsOfChanges(ORDINARY, sent)).toBe(words);
  });
});
