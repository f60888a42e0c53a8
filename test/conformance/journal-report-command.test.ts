import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { actNoter, auditLines } from "../../src/accounts/audit.ts";
import { type CommandIo, UsageError } from "../../src/cli/command.ts";
import { journalCommand } from "../../src/cli/journal.ts";
import { receiptCommand } from "../../src/cli/receipt.ts";
import type { Submission } from "../../src/operations/submission.ts";
import { sample } from "../support/extent.ts";
import { once, SCHEMES, Trial, temporaryFolder } from "../support/registers.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const STORE = ["account", shiftOperation("open-shift").storeId];

interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs the command with a till. Its reports go through the till's own operations. */
async function run(till: Till, ...args: string[]): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const io: CommandIo = { out: (text) => out.push(text), err: (text) => err.push(text), signal: new AbortController().signal };
  const tools = { journal: till.journal, clock: till.trial.clock, choice: till.choice, close: async () => {} };
  const submit = ({ operation, contentHash }: Submission) => till.submitAndWait(operation, contentHash);
  const noteAct = actNoter({ store: till.store, clock: till.trial.clock });
  const registers = { operations: { submit }, noteAct, questions: till.questions };
  const command = journalCommand({ open: async () => tools, openOperator: async () => ({ ...tools, ...registers }) });
  return { code: await command.run(["report", ...args], io), out: out.join("\n"), err: err.join("\n") };
}

describe.each(sample(SCHEMES, 2))("journal report, at a register that speaks %s", (scheme) => {
  let till: Till;

  /** An open shift with 500.00 put in and a sale of 109.80 in cash. */
  beforeEach(async () => {
    till = await Till.open({ trial: await Trial.begin(scheme) });
    await till.openShift();
    await till.submitAndWait(cashOperation("cash-in", "cash-1", 50_000));
    await till.submitAndWait(saleOperation("sale-1"));
  });

  it("tells what an X report is, and asks the register for nothing without --yes", async () => {
    const { code, out } = await run(till, "x", ...STORE);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ОТЧЁТ БЕЗ ГАШЕНИЯ \(X report\), at emulator:\S+, the register that point of sale \S+ of account account \(app\) has now\./,
    );
    expect(out).not.toContain("WARNING");
    expect(out).toContain("It is no fiscal document: it has neither number nor sign");
    expect(out).toMatch(/\nNothing has been sent\. To have it made, stop the server and say the same again with --yes\.$/);
    expect(await till.states()).toEqual(["open-shift done", "cash-in done", "sale done"]);
  });

  it("has an X report printed that tells the counters and takes no number, and another the next time", async () => {
    const { code, out, err } = await run(till, "x", ...STORE, "--yes");
    expect([code, err]).toEqual([0, ""]);
    expect(out.split("\n").slice(-7)).toEqual([
      expect.stringMatching(/^Entry 4: printed, shift 1 is open, 2026-11-13 09:\d\d:\d\d\.$/),
      "  receipts        1",
      "  ПРИХОД          1, 109.80: 109.80 cash",
      "  drawer          609.80; put in 500.00, taken out 0.00",
      "  unsent          0 not confirmed by the data operator",
      expect.stringMatching(/^At emulator:\S+, drive 9999\d+\.$/),
      "To draw it: journal show 4 --json > FILE, then receipt FILE -o OUT.pdf",
    ]);
    await run(till, "x", ...STORE, "--yes");
    const ordered = (await auditLines(till.store, { limit: 10 })).map(({ actor, place, act, after }) => ({ actor, place, act, after }));
    expect(ordered).toEqual(Array.from({ length: 2 }, () => ({ actor: "operator", place: "command", act: "report", after: "x-report" })));
    expect(await till.states()).toEqual(["open-shift done", "cash-in done", "sale done", "x-report done", "x-report done"]);
    expect(await till.documents()).toBe(3);
    // The shift stays the platform's shift.
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
  });

  it("has a state report made that takes the drive's next number and tells what the operator has not got", async () => {
    till.trial.inject({ operatorDelayMs: () => Number.POSITIVE_INFINITY });
    await till.submitAndWait(saleOperation("sale-2"));
    const { code, out } = await run(till, "state", ...STORE, "--yes");
    expect(code).toBe(0);
    expect(out).toContain("It is a fiscal document: the drive gives it the next number and a sign");
    expect(out).toMatch(/\nEntry 5: registered as ФД 5 ФП \d{10}, shift 1, 2026-11-13 09:/);
    expect(out).toContain("\nDocuments that the data operator had not confirmed: 1, the first is ФД 4, unsent since 2026-11-13.\n");
    const entry = await till.journal.get(5);
    expect(entry).toMatchObject({ state: "done", facts: { document: "state-report", stateReport: { unsent: 1, firstUnsent: 4 } } });
  });

  it("makes both with the shift closed", async () => {
    await till.submitAndWait(shiftOperation("close-shift"));
    expect((await run(till, "state", ...STORE, "--yes")).out).toContain("Entry 5: registered as ФД 5 ");
    const { out } = await run(till, "x", ...STORE, "--yes");
    expect(out).toContain("Entry 6: printed, shift 1 is closed, ");
    expect(out).toContain("\n  drawer          609.80; put in 0.00, taken out 0.00\n");
  });

  it("gives with --json the file that the receipt command draws, and nothing else", async () => {
    for (const word of ["x", "state"]) {
      const { code, out } = await run(till, word, ...STORE, "--yes", "--json");
      expect(code).toBe(0);
      expect(Object.keys(JSON.parse(out))).toEqual(["document", "facts", "paper"]);
      const folder = await temporaryFolder();
      await writeFile(join(folder, "stored.json"), out);
      const io = { out: () => {}, err: () => {}, signal: new AbortController().signal };
      expect(await receiptCommand.run([join(folder, "stored.json"), "-o", join(folder, "out.pdf")], io)).toBe(0);
    }
  });

  it("finds a state report whose answer was lost, and does not make another in its place", async () => {
    till.trial.inject({ after: once("state-report", { kind: "lose-reply" }) });
    expect((await run(till, "state", ...STORE, "--yes")).out).toContain("Entry 4: registered as ФД 4 ");
    expect((await till.journal.moves(4)).map(({ to, by }) => `${to} by ${by}`)).toEqual([
      "sending by caller",
      "in-doubt by register",
      "done by look-up",
    ]);
    expect(await till.documents()).toBe(4);
  });

  it("ends a state report that an earlier run left open before it makes a new one", async () => {
    till.trial.inject({ after: once("state-report", { kind: "power-cut" }) });
    const left = await run(till, "state", ...STORE, "--yes");
    expect([left.code, left.err]).toEqual([1, expect.stringContaining("state-report: it is not known whether it was registered")]);
    till.trial.device.powerOn();
    expect((await run(till, "state", ...STORE, "--yes")).out).toContain("Entry 4: registered as ФД 4 ");
    expect(await till.documents()).toBe(4);
  });

  it("stops no lane for an X report whose answer was lost: it registers nothing, so it is refused and asked for again", async () => {
    till.trial.inject({ after: once("x-report", { kind: "power-cut" }) });
    const lost = await run(till, "x", ...STORE, "--yes");
    expect([lost.code, lost.err]).toEqual([1, expect.stringContaining("It may have printed a paper; say the same again.")]);
    expect(await till.states()).toEqual(["open-shift done", "cash-in done", "sale done", "x-report refused"]);
    till.trial.device.powerOn();
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
  });

  it("is refused in words without paper", async () => {
    till.trial.device.setPaper(false);
    const { code, err } = await run(till, "state", ...STORE, "--yes");
    expect([code, err]).toEqual([1, expect.stringContaining("state-report: refused: no-paper")]);
  });

  it("takes no report for a sale's document when that is in doubt", async () => {
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await till.submitAndWait(saleOperation("sale-2"));
    till.trial.device.powerOn();
    await till.trial.device.make({ kind: "state-report", reference: "by hand" });
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("in-doubt");
    const { code, err } = await run(till, "state", ...STORE, "--yes");
    expect([code, err]).toEqual([1, expect.stringContaining("state-report: refused: lane-stopped")]);
  });

  it("says so when the journal knows no such point of sale", async () => {
    const { code, err } = await run(till, "x", "account", "elsewhere", "--yes");
    expect([code, err]).toEqual([1, expect.stringContaining("The journal knows no point of sale elsewhere of account account")]);
  });
});

describe("journal report", () => {
  it.each([[[]], [["z", ...STORE]], [["x", "account"]], [["x", "a/b/c", "store"]], [["x", ...STORE, "more"]], [["x", ...STORE, "--json"]]])(
    "names what is missing or too much in %j",
    async (args) => {
      const till = await Till.open();
      await expect(run(till, ...args)).rejects.toThrow(UsageError);
    },
  );
});
