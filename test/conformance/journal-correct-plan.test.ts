import { afterAll, describe, expect, it } from "vitest";
import type { Entry } from "../../src/journal/entry.ts";
import type { TradeDocument } from "../../src/model/document.ts";
import type { RefusalCode } from "../../src/model/refusal.ts";
import type { StoreRules } from "../../src/operations/services.ts";
import { sample } from "../support/extent.ts";
import { at22, byCard, type Ran, rightFile, runBesideServer, runJournal } from "../support/journal-correct.ts";
import { type BenchOptions, DAY_MS, HOUR_MS, once, SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

/** A till with an open shift, entry 1, and a sale of 109.80 in cash, entry 2; `rules` may be changed later. */
async function tillOf(scheme: string, options: BenchOptions = {}): Promise<{ till: Till; rules: Partial<StoreRules> }> {
  const rules: Partial<StoreRules> = {};
  const till = await Till.open({ trial: await Trial.begin(scheme, options), rules });
  await till.openShift();
  await till.submitAndWait(saleOperation("sale-1"));
  return { till, rules };
}

const UNDO = ["correct", "2"];

type Place = Awaited<ReturnType<typeof tillOf>>;

/** One reason for which nothing is registered: how it is brought about, and the words of the refusal. */
interface Cause {
  options?: BenchOptions;
  /** Makes the reason true. Returns the arguments of the command. Undefined: those of the undoing. */
  arrange(place: Place): Promise<string[] | undefined>;
  words: RegExp;
}

/** All refusals of a register, a drive, a lane and the settings that a correction can get. */
const CAUSES: Record<string, { code: RefusalCode } & Cause> = {
  "no shift is open": {
    code: "shift-closed",
    arrange: ({ till }) => closed(till),
    words: /^undo: refused, nothing was registered: shift-closed/,
  },
  "the shift is older than a day": { code: "shift-expired", arrange: ({ till }) => later(till, 25 * HOUR_MS), words: /shift-expired/ },
  "there is no paper": {
    code: "no-paper",
    arrange: async ({ till }) => void till.trial.device.setPaper(false),
    words: /no-paper/,
  },
  "the register is off": {
    code: "register-unreachable",
    async arrange({ till }) {
      till.trial.inject({ before: () => ({ kind: "power-cut" }) });
      await till.submitAndWait(cashOperation("cash-in", "cash-1", 100));
      return undefined;
    },
    words: /register-unreachable/,
  },
  "the drawer is too empty for the first": {
    code: "cash-short",
    arrange: ({ till }) => cash(till, "cash-out", 10_980),
    words: /undo: refused, nothing was registered: cash-short: 109\.80 are missing in the drawer by then/,
  },
  "the drawer is too empty for the second": {
    code: "cash-short",
    arrange: ({ till }) => larger(till),
    words: /redo: refused, nothing was registered: cash-short: 54\.90 are missing/,
  },
  "its clock is before its newest document": {
    code: "clock-wrong",
    async arrange({ till }) {
      till.trial.inject({ clockOffsetMs: () => -2 * HOUR_MS });
      // The driver trusts its reading of the clock for a minute.
      return later(till, 2 * 60_000);
    },
    words: /clock-wrong/,
  },
  "the data operator has kept it waiting for a month": {
    code: "operator-queue-blocked",
    async arrange({ till }) {
      till.trial.inject({ operatorDelayMs: () => Number.POSITIVE_INFINITY });
      await till.submitAndWait(saleOperation("sale-2"));
      return tomorrow(till, 31 * DAY_MS);
    },
    words: /operator-queue-blocked/,
  },
  "the drive has no room": {
    code: "drive-exhausted",
    async arrange({ till }) {
      till.trial.inject({ memoryUsed: () => 1 });
      // The driver asks for the room in the drive once an hour.
      await till.trial.later(2 * HOUR_MS);
      return undefined;
    },
    words: /drive-exhausted/,
  },
  "the drive is not of the kind that the installation may use": {
    code: "drive-kind-mixed",
    arrange: async ({ till }) => void till.allow("live"),
    words: /drive-kind-mixed/,
  },
  "the right data are too long for a drive": {
    code: "document-too-large",
    arrange: ({ till }) => right(till, (document) => pieces(document, 400, "Пряник ".repeat(18).trim())),
    words: /redo: refused, nothing was registered: document-too-large/,
  },
  "the register was not registered for their tax system": {
    code: "device-refused",
    options: { seller: { taxSystems: ["osn"] } },
    arrange: ({ till }) => right(till, (document) => ({ ...document, taxSystem: "usn-income" as const })),
    words: /redo: refused, nothing was registered: device-refused/,
  },
  "the drive ends before the journal": {
    code: "register-went-back",
    async arrange({ till }) {
      const sale = await till.journal.get(2);
      if (sale?.facts?.kind !== "fiscal" || sale.checkpoint === undefined) throw new Error("no facts");
      const begun = await till.journal.begin({ ...sale, key: { ...sale.key, documentId: "elsewhere" } }, sale.checkpoint);
      await till.journal.finish(begun, { kind: "done", facts: { ...sale.facts, documentNumber: 99, fiscalSign: "0000000099" } }, "person");
      return undefined;
    },
    words: /register-went-back/,
  },
  "an operation before it is in doubt": {
    code: "lane-stopped",
    async arrange({ till }) {
      till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
      await till.submitAndWait(saleOperation("sale-2"));
      till.trial.device.powerOn();
      const { document } = (await till.journal.get(2)) as Entry & { document: TradeDocument };
      await till.trial.perform({ ...document, reference: "somebody else's" });
      return undefined;
    },
    words: /lane-stopped/,
  },
  "the point of sale has no register": {
    code: "register-missing",
    arrange: async ({ rules }) => void Object.assign(rules, { register: "nothing:that-exists" }),
    words: /register-missing/,
  },
  "what counts as never registered stands in the drive": {
    code: "not-correctable",
    async arrange({ till }) {
      till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
      await till.submitAndWait(saleOperation("sale-2"));
      const doubt = await till.journal.get(3);
      if (doubt === undefined) throw new Error("no entry");
      await till.journal.finish(doubt, { kind: "refused", refusal: { code: "not-registered" } }, "person", [
        { code: "said", words: "the wrong paper" },
      ]);
      till.trial.device.powerOn();
      return ["correct", "3"];
    },
    words: /missed: refused, nothing was registered: not-correctable: it stands in the drive as ФД 4/,
  },
};

/** Refusals before any register is asked. The plan and the run use one function for them, so they agree. */
const OBJECTIONS: Record<string, Cause> = {
  "the day has not come at the register": { arrange: async () => [...UNDO, "--date", "2026-11-14"], words: /it is 2026-11-13 there/ },
  "the sign is unknown to journal and drive": {
    arrange: async () => [...UNDO, "--sign", "1234567890"],
    words: /Neither the journal nor the drive/,
  },
  "the right data are what was registered": { arrange: ({ till }) => right(till, (document) => document), words: /nothing to put right/ },
  "the right data have a rate of another day": {
    arrange: async ({ till }) => [...((await right(till, at22)) ?? []), "--date", "2025-12-31"],
    words: /НДС 22% began with 2026/,
  },
  "it was corrected with other data already": {
    async arrange({ till }) {
      await runJournal(till, ...UNDO, "--yes");
      return [...UNDO, "--date", "2026-11-12"];
    },
    words: /already with other data/,
  },
  "its correction was itself undone": {
    async arrange({ till }) {
      await runJournal(till, ...UNDO, "--yes");
      await runJournal(till, "correct", "3", "--yes");
      return UNDO;
    },
    words: /entry 4 undoes that again/,
  },
  "it is no receipt": { arrange: async () => ["correct", "1"], words: /is no receipt/ },
  "the register knows no correction of returns": { options: { ffd: "1.05" }, arrange: async () => UNDO, words: /format 1\.05/ },
};

describe.each(sample(SCHEMES, 2))("a plan of corrections, at a register that speaks %s", (scheme) => {
  const walked = new Set<string>();
  afterAll(() => expect([...walked].toSorted()).toEqual([...new Set(Object.values(CAUSES).map(({ code }) => code))].toSorted()));

  async function bothOf({ options, arrange }: Cause): Promise<{ plan: Ran; act: Ran; made: number }> {
    const place = await tillOf(scheme, options);
    const args = (await arrange(place)) ?? UNDO;
    const { till } = place;
    const plan = await runJournal(till, ...args);
    const before = await till.states();
    const act = await runJournal(till, ...args, "--yes");
    return { plan, act, made: (await till.states()).length - before.length };
  }

  it.each(Object.entries(CAUSES))("refuses what the act refuses, in its words, where %s", async (_title, cause) => {
    const { plan, act, made } = await bothOf(cause);
    expect([plan.code, plan.err]).toEqual([1, expect.stringMatching(cause.words)]);
    expect([act.code, act.out, act.err]).toEqual([1, plan.out, plan.err]);
    expect(made).toBe(0);
    for (const code of plan.err.match(/nothing was registered: ([a-z-]+)/)?.slice(1) ?? []) walked.add(code);
  });

  it.each(Object.entries(OBJECTIONS))("objects as the act does where %s", async (_title, cause) => {
    const { plan, act, made } = await bothOf(cause);
    expect([plan.code, plan.err]).toEqual([1, expect.stringMatching(cause.words)]);
    expect([act.code, act.out, act.err, made]).toEqual([1, plan.out, plan.err, 0]);
  });

  it("that fits is carried out, and nothing but the register's state has been asked for before", async () => {
    const { till } = await tillOf(scheme);
    const [documents, states] = [await till.documents(), await till.states()];
    const plan = await runJournal(till, ...UNDO);
    expect([plan.code, plan.err, await till.documents(), await till.states()]).toEqual([0, "", documents, states]);
    expect((await runJournal(till, ...UNDO, "--yes")).code).toBe(0);
  });
});

describe("a plan of corrections while a server has the registers", () => {
  it("says that nobody was asked, and still refuses what journal and settings know", async () => {
    const { till, rules } = await tillOf("emulator");
    const plan = await runBesideServer(till, ...UNDO);
    expect([plan.code, plan.err]).toEqual([0, ""]);
    expect(plan.out).toContain("The register was not asked (the folder is in use by process 17): what it has against this now");
    const long = await right(till, (document) => pieces(document, 400, "Пряник ".repeat(18).trim()));
    expect((await runBesideServer(till, ...(long ?? []))).err).toMatch(/redo: refused, nothing was registered: document-too-large/);
    Object.assign(rules, { register: "nothing:that-exists" });
    expect((await runBesideServer(till, ...UNDO)).err).toMatch(/undo: refused, nothing was registered: register-missing/);
  });

  it("reckons the register's day by what its clock showed last, and by the zone where it has shown nothing", async () => {
    const { till } = await tillOf("emulator");
    const on = async (day: string) => (await runBesideServer(till, ...UNDO, "--date", day)).err;
    expect(await on("2026-11-14")).toContain("it is 2026-11-13 there");
    // The clock shows 09:00, and then the time sixteen hours later.
    await till.trial.later(16 * HOUR_MS);
    expect(await on("2026-11-14")).toBe("");
    const behind = await tillOf("emulator");
    behind.till.trial.inject({ clockOffsetMs: () => -DAY_MS });
    expect(await on("2026-11-15")).toContain("it is 2026-11-14 there");
    const silent = await Till.open({ rules: { timeZone: "Pacific/Kiritimati" } });
    await silent.submitAndWait(saleOperation("sale-1"));
    const day = async (date: string) => (await runBesideServer(silent, "correct", "1", "--date", date)).err;
    expect(await day("2026-11-14")).toContain("it is 2026-11-13 there");
    await silent.trial.later(5 * HOUR_MS);
    expect(await day("2026-11-14")).toBe("");
  });

  it("does not reckon the register's day by a document of the day before that was found in the drive today", async () => {
    const till = await Till.open();
    await till.openShift();
    const copy = await copyOf(till.store);
    await till.submitAndWait(saleOperation("sale-1"));
    await till.trial.later(16 * HOUR_MS);
    await restore(till.store, copy);
    await till.killAndRestart();
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect((await runBesideServer(till, ...UNDO, "--date", "2026-11-14")).err).toBe("");
  });
});

async function closed(till: Till): Promise<undefined> {
  await till.submitAndWait(shiftOperation("close-shift"));
  return undefined;
}

async function later(till: Till, byMs: number): Promise<undefined> {
  await till.trial.later(byMs);
  return undefined;
}

/** Opens another shift after this time. */
async function tomorrow(till: Till, afterMs: number): Promise<undefined> {
  await closed(till);
  await till.trial.later(afterMs);
  await till.openShift({ shift: { id: "shift-2", idType: "native" } });
  return undefined;
}

async function cash(till: Till, kind: "cash-in" | "cash-out", sumKopecks: number): Promise<undefined> {
  await till.submitAndWait(cashOperation(kind, "cash-1", sumKopecks));
  return undefined;
}

async function right(till: Till, change: (document: TradeDocument) => TradeDocument, id = 2): Promise<string[]> {
  return ["correct", `${id}`, "--right", await rightFile(till, id, change)];
}

/** Returns the sold goods, and corrects the return to a larger one. */
async function larger(till: Till): Promise<string[]> {
  await till.submitAndWait({ ...saleOperation("return-1"), kind: "sales-return" });
  return right(till, (document) => pieces(document, 3), 3);
}

function pieces(document: TradeDocument, count: number, name?: string): TradeDocument {
  const [first] = document.lines;
  if (first === undefined) throw new Error("no line");
  const piece = { ...first, quantityMillionths: 1_000_000, sumKopecks: first.priceKopecks, ...(name === undefined ? {} : { name }) };
  const totalKopecks = count * first.priceKopecks;
  return {
    ...byCard(document),
    lines: Array.from({ length: count }, () => piece),
    totalKopecks,
    tenders: { ...document.tenders, cashKopecks: totalKopecks },
  };
}
