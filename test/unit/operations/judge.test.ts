import { describe, expect, it } from "vitest";
import type { Checkpoint } from "../../../src/journal/entry.ts";
import type { CashDocument, ReceiptDocument, ShiftDocument } from "../../../src/model/document.ts";
import type { FiscalFacts, RegisterIdentity } from "../../../src/model/facts.ts";
import { type Evidence, judge } from "../../../src/operations/judge.ts";
import type { LookUp, RegisterState } from "../../../src/registers/register.ts";

const IDENTITY: RegisterIdentity = {
  driveNumber: "9999078900001234",
  registrationNumber: "0000000042042817",
  serialNumber: "99990000000017",
  inn: "9600123459",
  sellerName: 'ООО "ОБРАЗЕЦ-РИТЕЙЛ"',
  address: "000000, г. Образцов",
  place: "Магазин",
  firmware: "EMU 1.0",
  ffd: "1.2",
  taxSystems: ["osn"],
  fnsSite: "www.nalog.gov.ru",
};
const BEFORE: Checkpoint = {
  driveNumber: IDENTITY.driveNumber,
  lastDocumentNumber: 317,
  shiftNumber: 27,
  shiftOpen: true,
  drawerKopecks: 100_000,
  deviceTime: "2026-11-12 18:42:10",
};
const NOW: RegisterState = {
  driveNumber: IDENTITY.driveNumber,
  lastDocumentNumber: 318,
  shift: { kind: "open", number: 27, openedAt: "2026-11-12 09:00:00", openReportNumber: 300, expired: false },
  drawerKopecks: 183_457,
  time: "2026-11-12 18:43:00",
  paper: "present",
  documentOpen: false,
  queue: { unsent: 0 },
  drive: {
    phase: "fiscal",
    warnings: { keysExpireSoon: false, keysExpireNow: false, memoryFull: false, operatorTimeout: false, operatorMessage: 0 },
  },
};
const SALE: ReceiptDocument = {
  kind: "receipt",
  reference: "0123456789abcdef",
  sign: 1,
  taxSystem: "osn",
  lines: [],
  totalKopecks: 83_457,
  roundingKopecks: 0,
  tenders: { cashKopecks: 83_457, nonCashKopecks: 0, prepaidKopecks: 0, creditKopecks: 0, otherKopecks: 0 },
  vatTotals: [],
};
const FACTS: FiscalFacts = {
  kind: "fiscal",
  document: "receipt",
  identity: IDENTITY,
  documentNumber: 318,
  fiscalSign: "1204745171",
  time: "2026-11-12 18:42:11",
  shiftNumber: 27,
  receipt: { number: 15, sign: 1, totalKopecks: 83_457 },
};
const FOUND: LookUp = { kind: "found", facts: FACTS, reference: SALE.reference };

function judged(evidence: Partial<Evidence>) {
  return judge({
    document: SALE,
    before: BEFORE,
    now: NOW,
    identity: IDENTITY,
    since: [FOUND],
    next: { kind: "absent" },
    hasFurther: false,
    ...evidence,
  });
}

describe("the judgement of a fiscal document after doubt", () => {
  it("is done when the one new document matches kind, sums, reference and time", () => {
    expect(judged({})).toEqual({ kind: "done", facts: FACTS });
  });

  it("is not registered when the drive holds nothing new", () => {
    expect(judged({ now: { ...NOW, lastDocumentNumber: 317 }, since: [] })).toEqual({ kind: "not-registered" });
  });

  it.each<[string, LookUp]>([
    ["has not answered", { kind: "unreachable", reason: "cable" }],
    ["has a document that never was looked at", { kind: "foreign", what: "more documents" }],
    ["has a document that was looked at too late", FOUND],
  ])("is never that nothing was registered while the register %s behind the number that it tells", (_, next) => {
    const old = { ...NOW, lastDocumentNumber: 317 };
    expect(judged({ now: old, since: [], next }).kind).toBe("unknown");
    const cash: CashDocument = { kind: "cash-in", reference: "0123456789abcdef", sumKopecks: 50_000 };
    const unmoved = { ...old, drawerKopecks: BEFORE.drawerKopecks };
    expect(judged({ document: cash, now: unmoved, since: [], next }).kind).toBe("unknown");
    expect(judged({ document: { kind: "close-shift", reference: "00" }, now: old, since: [], next }).kind).toBe("unknown");
  });

  it("is done by a document behind an old number: the drive counts, not the status", () => {
    expect(judged({ now: { ...NOW, lastDocumentNumber: 317 } })).toEqual({ kind: "done", facts: FACTS });
  });

  it("stays unknown for a receipt without our id, which somebody else rang up for the same sum", () => {
    expect(judged({ since: [{ kind: "found", facts: FACTS }] }).kind).toBe("unknown");
  });

  it("accepts a report, in which there is no room for an id", () => {
    const { receipt: _, ...report } = { ...FACTS, document: "close-shift" as const };
    const since: LookUp[] = [{ kind: "found", facts: report }];
    expect(judged({ document: { kind: "close-shift", reference: "0011223344556677" }, since })).toEqual({ kind: "done", facts: report });
  });

  it("skips a shift report that the device made by itself", () => {
    const opened: LookUp = { kind: "found", facts: { ...FACTS, document: "open-shift", documentNumber: 318 } };
    const sold: LookUp = { kind: "found", facts: { ...FACTS, documentNumber: 319 }, reference: SALE.reference };
    expect(judged({ since: [opened, sold] })).toMatchObject({ kind: "done", facts: { documentNumber: 319 } });
    expect(judged({ since: [opened] })).toEqual({ kind: "not-registered" });
  });

  it.each([
    ["another total", { ...FACTS, receipt: { number: 15, sign: 1 as const, totalKopecks: 83_456 } }],
    ["another settlement sign", { ...FACTS, receipt: { number: 15, sign: 2 as const, totalKopecks: 83_457 } }],
    ["a time before the checkpoint", { ...FACTS, time: "2026-11-12 18:41:59" }],
    ["a time after now", { ...FACTS, time: "2026-11-12 18:44:00" }],
  ])("stays unknown for a document with %s", (_, facts) => {
    expect(judged({ since: [{ kind: "found", facts, reference: SALE.reference }] }).kind).toBe("unknown");
  });

  it("compares times to the minute on the device's own clock", () => {
    expect(judged({ since: [{ kind: "found", facts: { ...FACTS, time: "2026-11-12 18:42:00" }, reference: SALE.reference }] }).kind).toBe(
      "done",
    );
  });

  it("stays unknown for another operation's reference", () => {
    expect(judged({ since: [{ kind: "found", facts: FACTS, reference: "fedcba9876543210" }] }).kind).toBe("unknown");
  });

  it("stays unknown for two new documents, even equal ones", () => {
    expect(judged({ since: [FOUND, { kind: "found", facts: { ...FACTS, documentNumber: 319 } }] }).kind).toBe("unknown");
  });

  it("stays unknown when a document cannot be read back or is of a foreign kind", () => {
    for (const since of [
      { kind: "absent" } as const,
      { kind: "unreachable", reason: "cable" } as const,
      { kind: "foreign", what: "registration report" } as const,
    ]) {
      expect(judged({ since: [since] }).kind).toBe("unknown");
    }
  });

  it("stays unknown when the drive was changed or its numbers went back", () => {
    expect(judged({ now: { ...NOW, driveNumber: "9999078900009999" } }).kind).toBe("unknown");
    expect(judged({ now: { ...NOW, lastDocumentNumber: 316 }, since: [] }).kind).toBe("unknown");
  });

  it("finds a close report as itself although reports are skipped for receipts", () => {
    const document: ShiftDocument = { kind: "close-shift", reference: SALE.reference };
    const { receipt: _, ...report } = FACTS;
    const facts: FiscalFacts = { ...report, document: "close-shift" };
    expect(judged({ document, since: [{ kind: "found", facts, reference: SALE.reference }] })).toEqual({ kind: "done", facts });
  });
});

describe("the judgement after a copy of the database was restored that was made while the document was at the register", () => {
  const { receipt: _, ...rest } = FACTS;
  const report = (document: "open-shift" | "close-shift", shiftNumber: number): LookUp => ({
    kind: "found",
    facts: { ...rest, document, shiftNumber, documentNumber: 318 + shiftNumber },
  });
  const later: LookUp = { kind: "found", facts: { ...FACTS, documentNumber: 330 }, reference: "fedcba9876543210" };
  const further: LookUp = { kind: "foreign", what: "documents behind 333" };
  const others: LookUp = { kind: "found", facts: { ...FACTS, documentNumber: 331 } };

  it("is done by the operation's own id, however many documents of this server followed", () => {
    const since = [FOUND, later, report("close-shift", 27), report("open-shift", 28), later, further];
    expect(judged({ since, next: further, hasFurther: true })).toEqual({ kind: "done", facts: FACTS });
  });

  it("is done by the report of the shift itself, and not by the reports of later shifts", () => {
    const closings = [report("close-shift", 27), report("open-shift", 28), later, report("close-shift", 28), further];
    const closing = { document: { kind: "close-shift", reference: "00" } as const, since: closings, next: further, hasFurther: true };
    expect(judged(closing)).toMatchObject({ kind: "done", facts: { document: "close-shift", shiftNumber: 27 } });
    const openings = [report("open-shift", 28), report("close-shift", 28), report("open-shift", 29), later];
    const opening = { document: { kind: "open-shift", reference: "00" } as const, before: { ...BEFORE, shiftOpen: false } };
    expect(judged({ ...opening, since: openings })).toMatchObject({ kind: "done", facts: { document: "open-shift", shiftNumber: 28 } });
  });

  it("stays unknown where the document is not among those that were read, or somebody else made one", () => {
    expect(judged({ since: [later, further], next: further, hasFurther: true }).kind).toBe("unknown");
    expect(judged({ since: [FOUND, others, further], next: further, hasFurther: true }).kind).toBe("unknown");
    expect(judged({ document: { kind: "close-shift", reference: "00" }, since: [report("close-shift", 27), others] }).kind).toBe("unknown");
  });
});

describe("the judgement around a state report after doubt", () => {
  const { receipt: _, ...rest } = FACTS;
  const made: FiscalFacts = { ...rest, document: "state-report", stateReport: { unsent: 0 } };
  const found: LookUp = { kind: "found", facts: made };

  it("is done when the one new document is of that kind and time", () => {
    const document = { kind: "state-report", reference: SALE.reference } as const;
    expect(judged({ document, since: [found] })).toEqual({ kind: "done", facts: made });
    expect(judged({ document, now: { ...NOW, lastDocumentNumber: 317 }, since: [] })).toEqual({ kind: "not-registered" });
  });

  it("stays unknown for two of them, for another kind and for another time", () => {
    const document = { kind: "state-report", reference: SALE.reference } as const;
    const later: LookUp = { kind: "found", facts: { ...made, time: "2026-11-12 18:44:00" } };
    for (const since of [[found, { kind: "found", facts: { ...made, documentNumber: 319 } } as const], [FOUND], [later]]) {
      expect(judged({ document, since }).kind).toBe("unknown");
    }
  });

  it("is never taken for the receipt that somebody asked for, nor skipped as a report that the device makes by itself", () => {
    expect(judged({ since: [found] }).kind).toBe("unknown");
    expect(judged({ since: [found, FOUND] }).kind).toBe("unknown");
  });
});

describe("the judgement of cash in and out after doubt", () => {
  const cashIn: CashDocument = { kind: "cash-in", reference: "0123456789abcdef", sumKopecks: 50_000 };
  const nothingNew = { since: [], before: BEFORE };

  it("is done when the drawer moved by exactly the sum", () => {
    const now = { ...NOW, lastDocumentNumber: 317, drawerKopecks: 150_000 };
    expect(judged({ ...nothingNew, document: cashIn, now })).toMatchObject({
      kind: "done",
      facts: { kind: "cash", document: "cash-in", sumKopecks: 50_000, drawerKopecks: 150_000, shiftNumber: 27, time: BEFORE.deviceTime },
    });
    const cashOut: CashDocument = { ...cashIn, kind: "cash-out" };
    expect(judged({ ...nothingNew, document: cashOut, now: { ...now, drawerKopecks: 50_000 } }).kind).toBe("done");
  });

  it("is not registered when the drawer did not move", () => {
    const now = { ...NOW, lastDocumentNumber: 317, drawerKopecks: 100_000 };
    expect(judged({ ...nothingNew, document: cashIn, now })).toEqual({ kind: "not-registered" });
  });

  describe("when the shift was closed since", () => {
    const closing: LookUp = { kind: "found", facts: { ...FACTS, document: "close-shift" } };
    const judgedBehind = (document: CashDocument, beforeKopecks: number, drawerKopecks: number) =>
      judged({ document, since: [closing], before: { ...BEFORE, drawerKopecks: beforeKopecks }, now: { ...NOW, drawerKopecks } });

    it("stays unknown while the drawer is empty, because the closing may have emptied it", () => {
      const unclear = { kind: "unknown", doubt: { code: "drawer-unclear" } };
      expect(judgedBehind(cashIn, 0, 0)).toEqual(unclear);
      expect(judgedBehind({ ...cashIn, kind: "cash-out" }, 50_000, 0)).toEqual(unclear);
    });

    it("goes by the drawer as ever while the drawer is not empty", () => {
      expect(judgedBehind(cashIn, 0, 50_000).kind).toBe("done");
      expect(judgedBehind(cashIn, 100_000, 100_000).kind).toBe("not-registered");
    });
  });

  it("stays unknown when the drawer moved otherwise or receipts came between", () => {
    const now = { ...NOW, lastDocumentNumber: 317, drawerKopecks: 120_000 };
    expect(judged({ ...nothingNew, document: cashIn, now }).kind).toBe("unknown");
    expect(judged({ document: cashIn, now: { ...NOW, drawerKopecks: 150_000 } }).kind).toBe("unknown");
  });
});
