import { describe, expect, it } from "vitest";
import { readRequest } from "../../../../src/contracts/fiscal/read.ts";
import { parseJson } from "../../../../src/http/json-body.ts";
import { cashIn, sale } from "../../../support/fiscal-bodies.ts";

function identityOf(body: object | string, money: 1 | 100 = 1): { contentHash: string; twin: string } {
  const json = parseJson(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));
  if (json.kind !== "json") throw new Error(json.problem);
  const read = readRequest("sale", json.value, { money, cash: 100 });
  if (read.kind === "refused") throw new Error(JSON.stringify(read.refusal));
  return { contentHash: read.contentHash, twin: read.twinHash };
}

const ORIGINAL = identityOf(sale());

/** Returns the value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe("the same content", () => {
  it("is the same in any order of members and with any white space", () => {
    expect(identityOf(JSON.stringify(reversed(sale()), null, 4))).toEqual(ORIGINAL);
  });

  it("is the same whatever the references' href, type and idType say", () => {
    const body = sale();
    const meta = { href: "elsewhere", type: "Other", idType: "sync" };
    const other = {
      ...body,
      meta: { ...body.meta, ...meta },
      retailShift: { meta: { ...body.retailShift.meta, ...meta } },
      retailstore: { meta: { ...body.retailstore.meta, ...meta } },
    };
    expect(identityOf(other)).toEqual(ORIGINAL);
  });

  it("is the same in any spelling of amounts, quantities and absence, and with unknown fields", () => {
    const { retailstore, email: _, ...rest } = sale();
    const [first, ...others] = rest.positions;
    const other = {
      ...rest,
      retailStore: retailstore,
      payments: { cashSum: 834.57, cardSum: null, future: 1 },
      positions: [{ ...first, quantity: "2.000", price: "54.9", discount: null, vat: "10.00", marks: null, more: {} }, ...others],
      customerOrder: { meta: { id: "an order is for people, and in any form" } },
    };
    expect(identityOf(other)).toEqual(ORIGINAL);
  });

  it("does not depend on the money scale", () => {
    const whole = { ...sale(), payments: { cashSum: "100" }, positions: [{ ...sale().positions[0], price: "50" }] };
    expect(identityOf(whole, 100)).toEqual(identityOf(whole, 1));
  });
});

describe("other content", () => {
  const changes: Record<string, object> = {
    "another name": { name: "00016" },
    "another moment": { moment: "2026-11-12 18:42:11" },
    "another payment": { payments: { cashSum: "834.56" } },
    "another way of payment": { payments: { cardSum: "834.57" } },
    "another cashier": { cashier: { lastName: "Петрова" } },
    "another contact": { phone: "+70000000001" },
    "another shift": { retailShift: { meta: { id: "28" } } },
    "net prices": { vatIncluded: false },
    "fewer positions": { positions: sale().positions.slice(0, 2) },
    "positions in another order": { positions: sale().positions.toReversed() },
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`is ${what}`, () => {
      expect(identityOf({ ...sale(), ...change }).contentHash).not.toBe(ORIGINAL.contentHash);
    });
  }

  it("is one mark more", () => {
    const [first, ...others] = sale().positions;
    expect(identityOf({ ...sale(), positions: [{ ...first, marks: ["A"] }, ...others] }).contentHash).not.toBe(ORIGINAL.contentHash);
  });
});

describe("a twin", () => {
  it("is told by store, name, moment and totals, whatever its ids", () => {
    const sync = { ...sale(), meta: { id: "made-at-the-till", idType: "sync" }, retailShift: { meta: { id: "other", idType: "sync" } } };
    expect(identityOf(sync).twin).toBe(ORIGINAL.twin);
    expect(identityOf(sync).contentHash).not.toBe(ORIGINAL.contentHash);
    for (const change of [
      { name: "1" },
      { moment: "2026-11-12 18:42:12" },
      { payments: { cashSum: "1" } },
      { retailstore: { meta: { id: "2" } } },
    ]) {
      expect(identityOf({ ...sale(), ...change }).twin).not.toBe(ORIGINAL.twin);
    }
  });

  it("of cash is told by its sum", () => {
    const twinOf = (body: object) => {
      const read = readRequest("cashIn", body, { money: 1, cash: 100 });
      return read.kind === "refused" ? undefined : read.twinHash;
    };
    expect(twinOf({ ...cashIn(), sum: "200000.0" })).toBe(twinOf(cashIn()));
    expect(twinOf({ ...cashIn(), sum: "200001" })).not.toBe(twinOf(cashIn()));
  });
});
