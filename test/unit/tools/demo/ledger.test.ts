import { describe, expect, it } from "vitest";
import { Ledger, moscowTime } from "../../../../src/tools/demo/ledger.ts";
import type { FiscalAnswer } from "../../../../src/tools/sandbox/caller/fiscal-answer.ts";
import type { FiscalOperation } from "../../../../src/tools/sandbox/caller/fiscal-operation.ts";

const NOW_MS = Date.parse("2026-11-12T15:42:11Z");

describe("the demo's own book", () => {
  it("a shift whose numbers follow one another is without fault", () => {
    const ledger = opened();
    expect(enter(ledger, "retaildemand", { fiscalDocNumber: "11", fiscalDocSign: "2" }, 5490)).toBeUndefined();
    expect(enter(ledger, "retaildrawercashout", { fiscalDocNumber: "0", fiscalDocSign: "0" }, -5490)).toBeUndefined();
    const close = { fiscalDocNumber: "12", fiscalDocSign: "3", shiftNumber: "4", chequesTotal: 1, fiscalDocsTotal: 3 };
    expect(enter(ledger, "closeshift", close)).toBeUndefined();
    expect(ledger.summary).toBe("ФД 10–12 without a gap, 1 receipts, drawer 0.00");
  });

  it.each([
    [
      "a gap in the numbers",
      "retaildemand",
      { fiscalDocNumber: "12", fiscalDocSign: "2" },
      "ФД 12 where 11 is due: a document was lost or doubled",
    ],
    ["the sign of another document", "retaildemand", { fiscalDocNumber: "11", fiscalDocSign: "1" }, "ФП 1 was answered before"],
    ["a cash slip with a number", "retaildrawercashin", { fiscalDocNumber: "11", fiscalDocSign: "2" }, "a cash slip answered ФД 11, ФП 2"],
    ["another drive", "retaildemand", { fnNumber: "9999000000000002" }, "fnNumber changed from 9999000000000001 to 9999000000000002"],
    ["a real drive", "retaildemand", { fnNumber: "9960000000000001" }, "fnNumber 9960000000000001 is not a debug drive's"],
    ["the hour of another zone", "retaildemand", { time: "2026-11-12 15:42:11" }, "time 2026-11-12 15:42:11 is not now in Moscow"],
  ] as const)("%s is found", (_, operation, change, problem) => {
    expect(enter(opened(), operation, change)).toBe(problem);
  });

  it.each([
    [{ shiftNumber: "5", chequesTotal: 0, fiscalDocsTotal: 2 }, "shift 4 was opened and 5 closed"],
    [{ shiftNumber: "4", chequesTotal: 1, fiscalDocsTotal: 2 }, "chequesTotal 1 where 0 receipts were made"],
    [{ shiftNumber: "4", chequesTotal: 0, fiscalDocsTotal: 3 }, "fiscalDocsTotal 3 where 2 documents were made"],
  ])("a close report that says %o is found out", (change, problem) => {
    expect(enter(opened(), "closeshift", { fiscalDocNumber: "11", fiscalDocSign: "2", ...change })).toBe(problem);
  });

  it("each shift has totals of its own", () => {
    const ledger = opened();
    expect(enter(ledger, "retaildemand", { fiscalDocNumber: "11", fiscalDocSign: "2" }, 5490)).toBeUndefined();
    const close = { fiscalDocNumber: "12", fiscalDocSign: "3", shiftNumber: "4", chequesTotal: 1, fiscalDocsTotal: 3 };
    expect(enter(ledger, "closeshift", close)).toBeUndefined();
    expect(enter(ledger, "openshift", { fiscalDocNumber: "13", fiscalDocSign: "4", shiftNumber: "5" })).toBeUndefined();
    const another = { fiscalDocNumber: "14", fiscalDocSign: "5", shiftNumber: "5", chequesTotal: 0, fiscalDocsTotal: 2 };
    expect(enter(ledger, "closeshift", another)).toBeUndefined();
    expect(ledger.summary).toBe("ФД 10–14 without a gap, 1 receipts, drawer 54.90");
  });

  it("a register that tells no seconds is not behind one that does, a minute is", () => {
    const ledger = opened();
    expect(enter(ledger, "retaildemand", { fiscalDocNumber: "11", fiscalDocSign: "2", time: "2026-11-12 18:42:00" })).toBeUndefined();
    const late = { fiscalDocNumber: "12", fiscalDocSign: "3", time: "2026-11-12 18:41:59" };
    expect(enter(ledger, "retaildemand", late)).toBe("time 2026-11-12 18:41:59 is before 2026-11-12 18:42:00");
  });

  it("a register that was found with an open shift may have more in it, and another clock", () => {
    const ledger = new Ledger({ ownRegister: false });
    const time = "2026-11-12 11:00:00";
    expect(enter(ledger, "openshift", { fiscalDocNumber: "2", fiscalDocSign: "1", shiftNumber: "4", time })).toBeUndefined();
    expect(enter(ledger, "retaildemand", { fiscalDocNumber: "11", fiscalDocSign: "2", time })).toBeUndefined();
    const close = { fiscalDocNumber: "12", fiscalDocSign: "3", shiftNumber: "4", chequesTotal: 9, fiscalDocsTotal: 11, time };
    expect(enter(ledger, "closeshift", close)).toBeUndefined();
  });

  it("a summer instant has the same offset as a winter one", () => {
    expect(moscowTime(Date.parse("2026-07-01T21:00:00Z"))).toBe("2026-07-02 00:00:00");
  });
});

function opened(): Ledger {
  const ledger = new Ledger();
  expect(enter(ledger, "openshift", { fiscalDocNumber: "10", fiscalDocSign: "1", shiftNumber: "4" })).toBeUndefined();
  return ledger;
}

function enter(ledger: Ledger, operation: FiscalOperation, change: Partial<FiscalAnswer>, drawerKopecks = 0): string | undefined {
  const answer: FiscalAnswer = {
    fnNumber: "9999000000000001",
    kktRegNumber: "0000000000012345",
    fiscalDocNumber: "10",
    fiscalDocSign: "1",
    time: moscowTime(NOW_MS),
    pdf: Buffer.alloc(0),
    ...change,
  };
  return ledger.enter({ operation, drawerKopecks }, answer, NOW_MS);
}
