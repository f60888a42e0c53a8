import { describe, expect, it } from "vitest";
import type { PlatformId } from "../../../src/model/operation.ts";
import { nextShiftStep, type ShiftSituation } from "../../../src/operations/shift-rules.ts";
import type { ShiftState } from "../../../src/registers/register.ts";

const NATIVE: PlatformId = { id: "shift-a", idType: "native" };
const OTHER_NATIVE: PlatformId = { id: "shift-b", idType: "native" };
const SYNC: PlatformId = { id: "shift-s", idType: "sync" };
const CLOSED: ShiftState = { kind: "closed", lastNumber: 4 };
const OPEN: ShiftState = { kind: "open", number: 5, openedAt: "2026-11-12 09:00:00", openReportNumber: 40, expired: false };
const EXPIRED: ShiftState = { ...OPEN, expired: true };

function step(situation: Partial<ShiftSituation>) {
  return nextShiftStep({
    operation: "sale",
    named: NATIVE,
    device: CLOSED,
    foreign: false,
    unclear: false,
    hasLost: false,
    owners: [],
    openedAutomatically: false,
    automatic: false,
    ...situation,
  });
}

describe("opening a shift", () => {
  it("goes ahead when the device's shift is closed", () => {
    expect(step({ operation: "open-shift" })).toEqual({ kind: "proceed" });
  });

  it("adopts a shift that was opened at the device", () => {
    expect(step({ operation: "open-shift", device: OPEN })).toEqual({ kind: "adopt", openReportNumber: 40 });
  });

  it("adopts the shift that the server opened for the same platform shift", () => {
    expect(step({ operation: "open-shift", device: OPEN, owners: [NATIVE] })).toEqual({
      kind: "adopt",
      openReportNumber: 40,
    });
  });

  it("is refused when the shift belongs to another platform shift, of either id type", () => {
    const refused = { kind: "refuse", code: "shift-already-open" };
    expect(step({ operation: "open-shift", device: OPEN, owners: [OTHER_NATIVE] })).toEqual(refused);
    expect(step({ operation: "open-shift", device: OPEN, owners: [SYNC] })).toEqual(refused);
  });

  it("adopts a shift with documents that the journal lacked only as the lost opening: by its sales, otherwise by its moment", () => {
    const lost = { operation: "open-shift", device: OPEN, hasLost: true } as const;
    const adopt = { kind: "adopt", openReportNumber: 40 };
    expect(step({ ...lost, tradesFor: NATIVE })).toEqual(adopt);
    expect(step({ ...lost, tradesFor: OTHER_NATIVE })).toEqual({ kind: "refuse", code: "shift-already-open" });
    expect(step({ ...lost, tradesFor: SYNC })).toEqual({ ...adopt, unlessFits: "shift-already-open" });
    expect(step(lost)).toEqual({ ...adopt, unlessFits: "shift-already-open" });
  });

  it("does not adopt a shift older than 24 hours", () => {
    expect(step({ operation: "open-shift", device: EXPIRED })).toEqual({ kind: "refuse", code: "shift-expired" });
  });

  it("is refused when the device cannot say which report opened its shift", () => {
    const { openReportNumber: _, ...unreported } = OPEN;
    expect(step({ operation: "open-shift", device: unreported })).toEqual({ kind: "refuse", code: "shift-already-open" });
  });
});

describe("trading in a shift", () => {
  it("is refused in one that nobody is known to have opened, where the operation's own shift was closed before it", () => {
    for (const automatic of [false, true]) {
      expect(step({ device: OPEN, over: "alone", automatic })).toEqual({ kind: "refuse", code: "shift-conflict" });
      expect(step({ device: OPEN, over: "among-others", automatic })).toEqual({ kind: "refuse", code: "shift-foreign" });
    }
    expect(step({ over: "alone", automatic: true })).toEqual({ kind: "open-first" });
  });

  it("is refused while the shift is closed, unless the point of sale lets the server open it", () => {
    expect(step({})).toEqual({ kind: "refuse", code: "shift-closed" });
    expect(step({ automatic: true })).toEqual({ kind: "open-first" });
  });

  it("is refused after 24 hours, unless the point of sale lets the server renew the shift", () => {
    expect(step({ device: EXPIRED, owners: [NATIVE] })).toEqual({ kind: "refuse", code: "shift-expired" });
    expect(step({ device: EXPIRED, owners: [NATIVE], automatic: true })).toEqual({ kind: "close-first" });
  });

  it("goes ahead in its own shift, in one linked by the other id type, and in one that nobody owns", () => {
    for (const owners of [[NATIVE], [SYNC], [SYNC, NATIVE], []]) expect(step({ device: OPEN, owners })).toEqual({ kind: "proceed" });
  });

  it("is refused when the device's shift belongs to another platform shift of the same id type", () => {
    const refused = { kind: "refuse", code: "shift-conflict" };
    expect(step({ device: OPEN, owners: [OTHER_NATIVE] })).toEqual(refused);
    expect(step({ device: OPEN, owners: [SYNC, OTHER_NATIVE] })).toEqual(refused);
    expect(step({ device: OPEN, owners: [OTHER_NATIVE], automatic: true })).toEqual(refused);
  });

  it("renews a shift that the server itself had opened for the platform's previous one", () => {
    const situation = { device: OPEN, owners: [OTHER_NATIVE], automatic: true, openedAutomatically: true };
    expect(step(situation)).toEqual({ kind: "close-first" });
  });

  it("holds the same for returns and for cash in and out", () => {
    for (const operation of ["sales-return", "cash-in", "cash-out"] as const) {
      expect(step({ operation })).toEqual({ kind: "refuse", code: "shift-closed" });
      expect(step({ operation, device: EXPIRED })).toEqual({ kind: "refuse", code: "shift-expired" });
      expect(step({ operation, device: OPEN, owners: [NATIVE] })).toEqual({ kind: "proceed" });
    }
  });
});

describe("closing a shift", () => {
  it("goes ahead in any age, its own or one that nobody owns", () => {
    for (const device of [OPEN, EXPIRED]) {
      for (const owners of [[], [NATIVE], [SYNC]]) expect(step({ operation: "close-shift", device, owners })).toEqual({ kind: "proceed" });
    }
  });

  it("is refused when it is closed already, or belongs to another platform shift", () => {
    expect(step({ operation: "close-shift", automatic: true })).toEqual({ kind: "refuse", code: "shift-closed" });
    expect(step({ operation: "close-shift", device: OPEN, owners: [OTHER_NATIVE] })).toEqual({ kind: "refuse", code: "shift-conflict" });
  });
});

describe("another account's shift", () => {
  const KINDS = ["open-shift", "sale", "sales-return", "cash-in", "cash-out", "close-shift", "correction"] as const;

  it.each(KINDS)(
    "takes no %s, of whatever age it is, however the caller names its own, and whatever it may open and close",
    (operation) => {
      for (const device of [OPEN, EXPIRED]) {
        for (const owners of [[], [NATIVE], [OTHER_NATIVE], [SYNC]]) {
          for (const automatic of [true, false]) {
            const situation = {
              operation,
              device,
              owners,
              automatic,
              openedAutomatically: automatic,
              foreign: true,
              unclear: false,
              hasLost: false,
            };
            expect(step(situation)).toEqual({ kind: "refuse", code: "shift-foreign" });
          }
        }
      }
    },
  );
});

describe("a shift that may be another account's", () => {
  it.each(["sale", "sales-return", "cash-in", "cash-out", "close-shift", "correction"] as const)(
    "takes no %s, of whatever age it is",
    (operation) => {
      for (const device of [OPEN, EXPIRED]) {
        for (const automatic of [true, false]) {
          expect(step({ operation, device, automatic, unclear: true })).toEqual({ kind: "refuse", code: "shift-foreign" });
        }
      }
    },
  );

  it("is adopted only by the moment of its opening", () => {
    expect(step({ operation: "open-shift", device: OPEN, unclear: true, hasLost: true })).toEqual({
      kind: "adopt",
      openReportNumber: 40,
      unlessFits: "shift-foreign",
    });
  });
});

describe("a report in between", () => {
  it("goes ahead whatever the shift is and whosever, and opens none", () => {
    for (const operation of ["x-report", "state-report"] as const) {
      expect(step({ operation, automatic: true })).toEqual({ kind: "proceed" });
      for (const device of [OPEN, EXPIRED]) {
        for (const foreign of [true, false])
          expect(step({ operation, device, owners: [OTHER_NATIVE], foreign })).toEqual({ kind: "proceed" });
      }
    }
  });
});
