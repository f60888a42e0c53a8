import { describe, expect, it } from "vitest";
import type { BankStatus } from "../../../src/acquirers/acquirer.ts";
import { PAYMENT_STATES, type PaymentState } from "../../../src/model/payment.ts";
import { isRejected, next, type PaymentEvent, type Standing, statusOf } from "../../../src/payments/states.ts";

const STATUSES: readonly BankStatus[] = [
  "waiting",
  "paid",
  "refunding",
  "partly refunded",
  "refunded",
  "declined",
  "expired",
  "cancelled",
  "unknown",
];
const EVENTS: readonly PaymentEvent[] = [
  { kind: "created" },
  { kind: "refused" },
  { kind: "lost" },
  { kind: "mismatch" },
  { kind: "expired" },
  { kind: "cancel" },
  { kind: "cancel-ended" },
  { kind: "refund" },
  ...(["nothing", "part", "all"] as const).map((refunded) => ({ kind: "refunds-ended", refunded }) as const),
  ...(["paid", "not-paid"] as const).map((decision) => ({ kind: "person", decision }) as const),
  ...STATUSES.map((status) => ({ kind: "bank", status }) as const),
];

/** Every standing that the types allow. */
function standings(): Standing[] {
  return PAYMENT_STATES.flatMap((state) =>
    [false, true].flatMap((cancelled) =>
      ([undefined, "lost", "unlisted", "mismatch"] as const)
        .filter((doubt) => (state === "unknown") === (doubt !== undefined))
        .map((doubt) => ({ state, cancelled, ...(doubt === undefined ? {} : { doubt }) })),
    ),
  );
}

const described = (standing: Standing) => JSON.stringify(standing);

describe("the states of a payment", () => {
  it.each(standings().map((standing) => [described(standing), standing] as const))("never leave the end: %s", (_words, standing) => {
    for (const event of EVENTS) {
      const { state } = next(standing, event);
      if (isRejected(standing.state)) expect(state, JSON.stringify(event)).toBe(standing.state);
      if (standing.state === "refunded") expect(state, JSON.stringify(event)).toBe("refunded");
    }
  });

  it("never make DONE of what a till has cancelled, whatever comes in whatever order", () => {
    const seen = new Set<string>();
    const walk = (standing: Standing) => {
      const key = described(standing);
      if (seen.has(key)) return;
      seen.add(key);
      expect(statusOf(standing), key).not.toBe("DONE");
      for (const event of EVENTS) {
        const { state, doubt } = next(standing, event);
        walk({ state, cancelled: true, ...(state === "unknown" ? { doubt: doubt ?? standing.doubt ?? "lost" } : {}) });
      }
    };
    walk({ state: "cancelling", cancelled: true });
    expect(seen.size).toBeGreaterThan(5);
  });

  it("answer what was told for ever", () => {
    for (const standing of standings()) {
      for (const told of ["DONE", "REJECTED"] as const) expect(statusOf({ ...standing, told })).toBe(told);
    }
  });

  it.each<[PaymentState, "IN_PROGRESS" | "DONE" | "REJECTED"]>([
    ["creating", "IN_PROGRESS"],
    ["waiting", "IN_PROGRESS"],
    ["cancelling", "IN_PROGRESS"],
    ["paid", "DONE"],
    ["refunding", "IN_PROGRESS"],
    ["refunded", "REJECTED"],
    ["declined", "REJECTED"],
    ["expired", "REJECTED"],
    ["cancelled", "REJECTED"],
    ["failed", "REJECTED"],
    ["unknown", "IN_PROGRESS"],
  ])("answer %s with %s", (state, status) => {
    expect(statusOf({ state, cancelled: false })).toBe(status);
  });

  it.each(["waiting", "creating", "cancelling", "unknown"] as const)(
    "become neither DONE nor REJECTED by an unlisted status while %s",
    (state) => {
      for (const cancelled of [false, true]) {
        const step = next(
          { state, cancelled, ...(state === "unknown" ? { doubt: "lost" as const } : {}) },
          { kind: "bank", status: "unknown" },
        );
        expect(step).toMatchObject({ state: "unknown", doubt: "unlisted" });
        expect(statusOf({ state: step.state, cancelled })).toBe("IN_PROGRESS");
      }
    },
  );

  it("alert a person once for an unlisted status, not at every reading", () => {
    expect(next({ state: "waiting", cancelled: false }, { kind: "bank", status: "unknown" }).effect).toBe("alert");
    expect(next({ state: "unknown", doubt: "unlisted", cancelled: false }, { kind: "bank", status: "unknown" }).effect).toBeUndefined();
  });

  it("end by the time alone where nobody answered, and never where the bank said what nobody understands", () => {
    for (const doubt of ["unlisted", "mismatch"] as const)
      expect(next({ state: "unknown", doubt, cancelled: false }, { kind: "expired" }).state).toBe("unknown");
    expect(next({ state: "unknown", doubt: "lost", cancelled: false }, { kind: "expired" }).state).toBe("expired");
    expect(next({ state: "unknown", doubt: "lost", cancelled: true }, { kind: "expired" }).state).toBe("cancelled");
  });

  it.each(["declined", "expired", "cancelled", "failed"] as const)("notice money that comes after %s, and stay there", (state) => {
    expect(next({ state, cancelled: false }, { kind: "bank", status: "paid" })).toEqual({ state, effect: "late-money" });
  });

  it("return all money of a payment that the till cancelled before DONE was told", () => {
    expect(next({ state: "cancelling", cancelled: true }, { kind: "bank", status: "paid" })).toEqual({ state: "paid", effect: "return" });
    expect(next({ state: "paid", cancelled: true }, { kind: "cancel" })).toEqual({ state: "paid", effect: "return" });
  });

  it("take no cancel after DONE was told", () => {
    expect(next({ state: "paid", told: "DONE", cancelled: false }, { kind: "cancel" })).toEqual({ state: "paid" });
  });
});
