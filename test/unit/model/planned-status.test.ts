import { describe, expect, it } from "vitest";
import { plannedStatus } from "../../../src/model/planned-status.ts";

describe("the planned status of a marked line, tag 2003", () => {
  const piece = { mark: "A", unit: { code: 0, label: "шт." } };
  const litre = { mark: "A", unit: { code: 41, label: "л" } };

  it("is a piece that is sold or comes back, or measured goods that do (shtrih-protocol 5.9)", () => {
    expect([plannedStatus(piece, 1), plannedStatus(piece, 2)]).toEqual([1, 3]);
    expect([plannedStatus(litre, 1), plannedStatus(litre, 2)]).toEqual([2, 4]);
  });

  it("is that of measured goods in a unit with a name of its own too", () => {
    expect(plannedStatus({ mark: "A", unit: { code: 255, label: "дал" } }, 1)).toBe(2);
  });
});
