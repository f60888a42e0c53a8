import { beforeEach, describe, expect, it } from "vitest";
import { deadlineIn } from "../../../../../src/kernel/deadline.ts";
import type { Outcome } from "../../../../../src/registers/register.ts";
import { reportDocument } from "../../../../support/register-documents.ts";
import { MORNING_MS } from "../../../../support/registers.ts";
import { AT_REST, type Script, type Scripted, scripted } from "../../../../support/shtrih-m-script.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

/** FF01 with document 346 as the last one, made on 14.03.2026 at 10:07. */
const AFTER = "FF010003000001001A030E0A0739393939303738393030303031323334 5A010000";
const BEFORE = "FF010003000001001A030E0A0539393939303738393030303031323334 56010000";
/** The answer of shtrih-protocol 14.1: document 346, sign 0A0B0C0D, 2 unsent since 14.03.2026. */
const STATE_REPORT: Script = {
  FF37: "FF3700",
  FF0C: "FF0C00",
  FF38: "FF38005A0100000D0C0B0A020000001A030E",
  FF0A1E0000005A010000: "FF0A0015001A030E0A075A0100000D0C0B0A 02000000 1A030E",
};
/** Document 342 is the last one, and the drive has no document 343. */
const NOTHING_MADE: Script = { FF01: BEFORE, FF0A1E00000057010000: "FF0A08" };
/** FF0C with the cashier of shtrih-protocol 14.1. */
const CASHIER = "FF0C1E000000FD030B0088A2A0ADAEA220882E882E";

let clock: VirtualClock;
let device: Scripted;

beforeEach(() => {
  clock = new VirtualClock(MORNING_MS);
  device = scripted(clock, AT_REST);
});

async function settled<T>(work: Promise<T>): Promise<T> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  for (let turns = 0; !ended; turns += 1) await clock.advance(turns < 50 ? 0 : 100);
  return work;
}

async function performed(kind: "x-report" | "state-report", script: Script): Promise<Outcome> {
  device.say({ ...script, FF01: [BEFORE, AFTER] });
  return settled(device.register.perform(reportDocument(kind, { cashierName: "Иванов И.И." }), deadlineIn(clock, 180_000)));
}

function sent(codes: RegExp): string[] {
  return device.asked.filter((data) => codes.test(data));
}

describe("a state report at a device that speaks by the reference", () => {
  it("is FF37, the cashier, FF38, and then what its requisites say", async () => {
    const outcome = await performed("state-report", {
      ...STATE_REPORT,
      FF3A: "FF3A0015002F00",
      // Tags 1038 = 57, 1097 = 2, 1098 = 14.03.2026, 1116 = 340 and 1021.
      FF3B: [
        "FF3B000E04040039000000",
        "FF3B004904040002000000",
        "FF3B004A04040000A5B469",
        "FF3B005C04040054010000",
        "FF3B00FD030B0088A2A0ADAEA220882E882E",
        "FF3B08",
      ],
    });
    expect(outcome).toMatchObject({
      kind: "done",
      facts: {
        document: "state-report",
        documentNumber: 346,
        fiscalSign: "0168496141",
        time: "2026-03-14 10:07:00",
        shiftNumber: 57,
        cashierName: "Иванов И.И.",
        stateReport: { unsent: 2, unsentSince: "2026-03-14 00:00:00", firstUnsent: 340 },
      },
    });
    expect(sent(/^FF(37|0C|38)/)).toEqual(["FF371E000000", CASHIER, "FF381E000000"]);
  });

  it("is told by FF38's own answer where the device gives none of its requisites", async () => {
    expect(await performed("state-report", { ...STATE_REPORT, FF3A: "FF3A33" })).toMatchObject({
      kind: "done",
      facts: {
        documentNumber: 346,
        fiscalSign: "0168496141",
        time: "2026-03-14 10:07:00",
        shiftNumber: 57,
        stateReport: { unsent: 2, unsentSince: "2026-03-14 00:00:00" },
      },
    });
  });

  it("is FF38 alone, and names no cashier that was not sent, where the device does not know FF37", async () => {
    const outcome = await performed("state-report", { ...STATE_REPORT, FF37: "FF37", FF3A: "FF3A33" });
    expect(outcome).toMatchObject({ kind: "done", facts: { documentNumber: 346 } });
    if (outcome.kind === "done") expect(outcome.facts).not.toHaveProperty("cashierName");
    expect(sent(/^FF(0C|38|08)/)).toEqual(["FF381E000000"]);
  });

  it.each([
    ["a short error, which may belong to another command", "late FF33", "in-doubt"],
    ["an error that names FF38", "late FF3833", "refused"],
  ])("ends in the way that its late answer proves: %s", async (_what, FF38, kind) => {
    device.say({ ...STATE_REPORT, FF38, ...NOTHING_MADE });
    const outcome = await settled(device.register.perform(reportDocument("state-report"), deadlineIn(clock, 180_000)));
    expect(outcome.kind).toBe(kind);
  });

  it("is in doubt when its answer is FF 00, which is neither an error nor an answer", async () => {
    device.say({ ...STATE_REPORT, FF38: "FF00", ...NOTHING_MADE });
    const outcome = await settled(device.register.perform(reportDocument("state-report"), deadlineIn(clock, 180_000)));
    expect(outcome.kind).toBe("in-doubt");
  });

  it("is in doubt when neither the drive nor FF38 tells its time, and a later document is the drive's last", async () => {
    const outcome = await performed("state-report", {
      ...STATE_REPORT,
      FF38: "FF3800590100000D0C0B0A020000001A030E",
      FF0A1E0000005A010000: "FF0A0002001A030E0A075A0100000D0C0B0A3900",
      FF0A1E00000059010000: "FF0A33",
      FF3A: "FF3A33",
    });
    expect(outcome).toMatchObject({ kind: "in-doubt" });
  });

  it("is in doubt when FF38 names a document that the drive does not have", async () => {
    device.say({ FF01: BEFORE });
    const { FF0A1E0000005A010000: _, ...script } = STATE_REPORT;
    device.say(script);
    const outcome = await settled(device.register.perform(reportDocument("state-report"), deadlineIn(clock, 180_000)));
    expect(outcome.kind).toBe("in-doubt");
  });
});

describe("an X report at a device that speaks by the reference", () => {
  /** Two sales: 1234.56 in cash, 100.00 by the fifth kind of payment. */
  const COUNTERS: Script = {
    "1B": "1B001E0000",
    "1B1E00000090": "1B001E0200",
    "1A": "1A001E000000000000",
    "1A1E000000C1": "1A001E40E201000000",
    "1A1E000000F1": "1A001E40E201000000",
    "1A1E0000003010": "1A001E102700000000",
    "40": "40001E",
  };

  it("is 40h alone, by the administrator, after its counters have been read", async () => {
    expect(await performed("x-report", COUNTERS)).toMatchObject({
      kind: "done",
      facts: {
        kind: "interim",
        time: "2017-03-01 13:47:21",
        shiftNumber: 57,
        xReport: {
          receipts: 12,
          signs: [{ sign: 1, count: 2, totalKopecks: 133_456, tenders: { cashKopecks: 123_456, nonCashKopecks: 10_000 } }],
          drawer: { balanceKopecks: 123_456 },
          unsent: 2,
        },
      },
    });
    expect(sent(/^(40|FF42|FF0C)/)).toEqual(["401E000000"]);
    expect(device.asked.at(-1)).toBe("401E000000");
  });

  it("has four kinds of payment where the device refuses the register of the fifth", async () => {
    expect(await performed("x-report", { ...COUNTERS, "1A1E0000003010": "1A33" })).toMatchObject({
      facts: { xReport: { signs: [{ totalKopecks: 123_456, tenders: { cashKopecks: 123_456, nonCashKopecks: 0 } }] } },
    });
    expect(sent(/^1A1E000000..10$/)).toEqual(["1A1E0000003010"]);
  });

  it("is not asked for where the device does not tell its counters", async () => {
    const refused = await performed("x-report", { ...COUNTERS, "1B1E00000090": "1B33" });
    expect(refused).toMatchObject({ kind: "refused", refusal: { code: "register-unreachable" } });
    expect(sent(/^40/)).toEqual([]);
  });

  it("is refused in the device's words, and in doubt when its answer never comes", async () => {
    expect(await performed("x-report", { ...COUNTERS, "40": "406B" })).toMatchObject({ kind: "refused", refusal: { code: "no-paper" } });
    device.say({ "40": "" });
    const lost = await settled(device.register.perform(reportDocument("x-report"), deadlineIn(clock, 180_000)));
    expect(lost.kind).toBe("in-doubt");
  });
});
