import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/journal/entry.ts";
import type { DriveRecord } from "../../src/registers/virtual/records.ts";
import { EXTENT } from "../support/extent.ts";
import { cashFacts, checkpoint, entryContent, saleFacts } from "../support/journal-entries.ts";
import { compare, type Evidence } from "./processes/agreement.ts";
import { reportOf, runProcesses } from "./processes/run-processes.ts";

const OPERATIONS = 60;
/** The least number of times that each of the two programs is killed. */
const MIN_KILLS = 4;
const SEED = 5;
/** Two programs start a dozen times, on a machine that runs other tests at the same time. */
const LIMIT_MS = 600_000;
/** In `npm test` the simulation kills the server, and `conformance/register-kill` the register. */
const itLong = it.runIf(EXTENT === "long");

describe("server and device as two processes", () => {
  itLong("killed with -9 at random lose no document and make none twice", { timeout: LIMIT_MS }, async () => {
    const run = await runProcesses({ operations: OPERATIONS, seed: SEED });
    const { ok, lines } = reportOf(run);
    expect(lines.slice(0, -1)).toEqual([]);
    expect(ok).toBe(true);
    expect(run.kills.server).toBeGreaterThanOrEqual(MIN_KILLS);
    expect(run.kills.device).toBeGreaterThanOrEqual(MIN_KILLS);
    expect(run.agreement.settledByItself).toBe(run.agreement.doubts);
  });
});

describe("what drive, journal and tills are compared by", () => {
  it("agrees when each document stands in both with the same numbers", () => {
    expect(problemsOf(evidence())).toEqual([]);
  });

  it("calls a document lost that is done and not in the drive", () => {
    const { records, told, ...others } = evidence();
    const shorter = { ...others, told: told.slice(0, -1), records: records.slice(0, -2), state: { ...others.state, lastDocument: 2 } };
    expect(problemsOf(shorter)).toEqual([
      "lost: entry 2 (sale 00017) is done as ФД 3, which the drive has not",
      "lost: cash-in of 150000 kopecks in shift 7: 1 more in the journal",
    ]);
  });

  it("calls a document doubled that the drive has and no entry is done with", () => {
    const { entries, ...others } = evidence();
    expect(problemsOf({ ...others, entries: entries.slice(0, 1), state: { ...others.state, drawerKopecks: 0 } })).toEqual([
      "doubled: ФД 3 (receipt, 1f8a2c3d4e5f6071) has no done entry",
      "doubled: cash-in of 150000 kopecks in shift 7: 1 more at the register",
    ]);
  });

  it("calls an entry lost that never ended, and a sum, a sign or a drawer differing", () => {
    const { entries, state, ...others } = evidence();
    const open = entries.map((entry) =>
      entry.id === 3 ? { ...entry, state: "in-doubt" as const, doubt: { code: "no-answer" as const, reason: "no answer" } } : entry,
    );
    expect(problemsOf({ ...others, entries: open, state })).toContain("lost: entry 3 is in-doubt: no answer");
    const otherSign = entries.map((entry) =>
      entry.id === 2 ? { ...entry, facts: saleFacts({ documentNumber: 3, fiscalSign: "1" }) } : entry,
    );
    expect(problemsOf({ ...others, entries: otherSign, state: { ...state, drawerKopecks: 1 } })).toEqual([
      "differing: entry 2 (sale 00017): sign 1 in the journal, 2134567890 in the drive",
      "differing: the drawer has 1 kopecks, the journal says 150000",
    ]);
  });
});

/** A drive with its registration, two sales and a slip, and the journal of these documents. */
function evidence(): Evidence {
  const facts = [saleFacts({ documentNumber: 2, fiscalSign: "1000000001" }), saleFacts({ documentNumber: 3 })];
  const references = ["aa8a2c3d4e5f6071", "1f8a2c3d4e5f6071"];
  const sales = facts.map((one, index): Entry => doneEntry(index + 1, references[index] ?? "", one));
  const slip: Entry = { ...doneEntry(3, "", cashFacts()), document: { kind: "cash-in", reference: "", sumKopecks: 150_000 } };
  const records: DriveRecord[] = facts.map(({ kind: _, identity: __, ...made }, index) => ({
    kind: "fiscal",
    facts: made,
    reference: references[index] ?? "",
    confirmed: true,
    tlv: "",
  }));
  const { document, time, shiftNumber, sumKopecks } = cashFacts();
  records.push({ kind: "cash", document, time, shiftNumber, sumKopecks, reference: "" });
  return {
    told: [
      { kind: "registration", documentNumber: 1, fiscalSign: "0", time: "2026-03-02 08:00:00" },
      ...facts.map(({ documentNumber, fiscalSign, time }) => ({ kind: "receipt", documentNumber, fiscalSign, time })),
    ],
    state: { drawerKopecks: 150_000, lastDocument: 3, shift: { open: false } },
    records,
    entries: [...sales, slip],
    moves: [],
    documents: [],
  };
}

function doneEntry(id: number, reference: string, facts: Entry["facts"]): Entry {
  const content = entryContent();
  return {
    ...content,
    document: { ...content.document, reference },
    id,
    state: "done",
    attempt: 1,
    acceptedAtMs: 0,
    movedAtMs: 0,
    checkpoint: checkpoint(),
    ...(facts === undefined ? {} : { facts }),
  };
}

function problemsOf(found: Evidence): string[] {
  const { lost, doubled, differing } = compare(found);
  return [
    ...lost.map((problem) => `lost: ${problem}`),
    ...doubled.map((problem) => `doubled: ${problem}`),
    ...differing.map((problem) => `differing: ${problem}`),
  ];
}
