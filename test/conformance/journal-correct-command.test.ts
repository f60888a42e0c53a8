import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLines } from "../../src/accounts/audit.ts";
import { UsageError } from "../../src/cli/command.ts";
import { journalCommand } from "../../src/cli/journal.ts";
import type { TradeDocument } from "../../src/model/document.ts";
import type { Submission } from "../../src/operations/submission.ts";
import { sample } from "../support/extent.ts";
import {
  at22,
  byCard,
  correctingRegisters,
  entryOf,
  rightFile,
  runBesideServer,
  runElsewhere,
  runJournal,
  signOf,
} from "../support/journal-correct.ts";
import { markCode } from "../support/marked-documents.ts";
import { once, SCHEMES, Trial, temporaryFolder } from "../support/registers.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const STORE = shiftOperation("open-shift").storeId;

describe.each(sample(SCHEMES, 2))("journal correct, at a register that speaks %s", (scheme) => {
  let till: Till;

  /** An open shift, entry 1, and a sale of 109.80 in cash, entry 2. */
  beforeEach(async () => {
    till = await Till.open({ trial: await Trial.begin(scheme) });
    await till.openShift();
    await till.submitAndWait(saleOperation("sale-1"));
  });

  it("explains both steps to the last sum and registers nothing without --yes", async () => {
    const { code, out } = await runJournal(till, "correct", "2", "--right", await rightFile(till, 2, at22));
    expect(code).toBe(0);
    const { facts } = await entryOf(till, 2);
    const sign = facts?.kind === "fiscal" ? facts.fiscalSign : "";
    expect(out.split("\n")).toEqual([
      expect.stringMatching(/^Entry 2: sale sale-1 of 109\.80, registered as ФД 3 ФП \d{10}, 2026-11-13 /),
      "Two correction receipts repair it, in this order, in an open shift,",
      expect.stringMatching(/^ {2}at emulator:\S+, the register that point of sale \S+ has now:$/),
      "1. КАССОВЫЙ ЧЕК КОРРЕКЦИИ, ВОЗВРАТ ПРИХОДА: undoes the receipt: its own data with the opposite sign",
      "   basis       САМОСТОЯТЕЛЬНО, date of the settlement 13.11.2026",
      "   tax system  ОСН",
      `   tag 1192    ФП ${sign}`,
      "   positions   Хлеб: 2 шт. x 54.90 = 109.80, НДС 10% 9.98",
      "   total       109.80: 109.80 cash",
      "   VAT         СУММА НДС 10% 9.98",
      "   drawer      the register counts 109.80 out of its drawer; see that the money goes the same way",
      "2. КАССОВЫЙ ЧЕК КОРРЕКЦИИ, ПРИХОД: settles what should have been registered",
      "   basis       САМОСТОЯТЕЛЬНО, date of the settlement 13.11.2026",
      "   tax system  ОСН",
      `   tag 1192    ФП ${sign}`,
      "   positions   Хлеб: 2 шт. x 54.90 = 109.80, НДС 22% 19.80",
      "   total       109.80: 109.80 cash",
      "   VAT         СУММА НДС 22% 19.80",
      "   drawer      the register counts 109.80 into its drawer; see that the money goes the same way",
      "Nothing has been registered. To register it, stop the server and say the same again with --yes.",
    ]);
    expect(await till.documents()).toBe(3);
  });

  it("warns where another register than the receipt's would be asked, or none", async () => {
    const { register } = await entryOf(till, 2);
    const other = (await runElsewhere(till, "emulator:other", "correct", "2")).out;
    expect(other).toContain("  at emulator:other, the register that point of sale ");
    expect(other).toContain(`WARNING: entry 2 was made at ${register}, another register.`);
    expect(other).toContain("DEFAULT_REGISTER");
    const none = (await runElsewhere(till, undefined, "correct", "2")).out;
    expect(none).toMatch(/\n {2}at no register: point of sale \S+ has neither a binding nor a DEFAULT_REGISTER in this environment:\n/);
    expect((await runElsewhere(till, register, "correct", "2")).out).not.toContain("WARNING");
    const report = (await runElsewhere(till, "emulator:other", "report", "x", "account", STORE)).out;
    expect(report).toContain(`WARNING: its newest operation was made at ${register}, another register.`);
  });

  it("registers both, writes their receipts, and neither of them again", async () => {
    const right = await rightFile(till, 2, byCard);
    const folder = join(await temporaryFolder(), "receipts");
    const order = ["correct", "sale-1", "--right", right, "--date", "12.11.26", "--order", "2.16-42", "--yes", "--out", folder];
    const { code, out, err } = await runJournal(till, ...order);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/\nEntry 3: registered as ФД 4 ФП \d{10}, shift 1, 2026-11-13 \d\d:\d\d:\d\d, at emulator:\S+\.\n/);
    expect(out).toMatch(/\nEntry 4: registered as ФД 5 ФП \d{10}, shift 1, 2026-11-13 /);
    expect(await till.states()).toEqual(["open-shift done", "sale done", "correction done", "correction done"]);
    const [wrong, undo, redo] = await Promise.all([entryOf(till, 2), entryOf(till, 3), entryOf(till, 4)]);
    const fiscalSign = wrong.facts?.kind === "fiscal" ? wrong.facts.fiscalSign : "";
    expect([undo.key.documentId, redo.key.documentId]).toEqual([`sale:sale-1:${fiscalSign}:undo`, `sale:sale-1:${fiscalSign}:redo`]);
    expect(undo.document).toMatchObject({
      kind: "correction",
      sign: 2,
      basis: { kind: "order", settledOn: "2026-11-12", orderNumber: "2.16-42" },
      originalSign: fiscalSign,
      lines: wrong.document.lines,
      tenders: wrong.document.tenders,
      vatTotals: wrong.document.vatTotals,
    });
    expect(redo.document).toMatchObject({ kind: "correction", sign: 1, tenders: { cashKopecks: 0, nonCashKopecks: 10_980 } });
    expect(undo.facts).toMatchObject({ document: "correction", documentNumber: 4, receipt: { sign: 2, totalKopecks: 10_980 } });
    expect((await till.trial.state()).drawerKopecks).toBe(0);
    for (const name of ["2-undo.pdf", "2-redo.pdf"]) {
      expect((await readFile(join(folder, name))).subarray(0, 5).toString()).toBe("%PDF-");
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }

    const again = await runJournal(till, ...order);
    expect([again.code, again.err]).toEqual([0, ""]);
    expect(again.out).toContain("so far      entry 3 is done: ФД 4");
    expect(await till.documents()).toBe(5);
    // The second run does not write an act for the document that was registered before.
    const noted = { actor: "operator", place: "command", act: "correct", subject: "sale-1", before: "3", reason: "2.16-42" };
    expect(await auditLines(till.store, { limit: 10 })).toMatchObject([
      { ...noted, after: "redo" },
      { ...noted, after: "undo" },
    ]);
  });

  it("goes on with the second correction when the first was registered and the second refused", async () => {
    const right = await rightFile(till, 2, byCard);
    const commands: string[] = [];
    till.trial.inject({
      before(command) {
        if (command === "correction") commands.push(command);
        return command === "correction" && commands.length === 2 ? { kind: "refuse", code: 0x14 } : { kind: "go-on" };
      },
    });
    const first = await runJournal(till, "correct", "2", "--right", right, "--yes");
    expect(first.code).toBe(1);
    expect(first.err).toContain("redo: refused, nothing was registered: operator-queue-blocked");
    const second = await runJournal(till, "correct", "2", "--right", right, "--yes");
    expect(second.code).toBe(0);
    expect(await till.states()).toEqual(["open-shift done", "sale done", "correction done", "correction done"]);
    expect(await till.documents()).toBe(5);
  });

  it("finds a correction whose answer was lost and registers it once", async () => {
    till.trial.inject({ after: once("correction", { kind: "lose-reply" }) });
    const { code, out } = await runJournal(till, "correct", "2", "--yes");
    expect(code).toBe(0);
    expect(out).toContain("registered as ФД 4");
    await runJournal(till, "correct", "2", "--yes");
    expect(await till.documents()).toBe(4);
    expect((await till.journal.moves(3)).map(({ to, by }) => `${to} by ${by}`)).toEqual([
      "sending by caller",
      "in-doubt by register",
      "done by look-up",
    ]);
  });

  it("is refused with other data once it was registered, and corrects the correction instead", async () => {
    await runJournal(till, "correct", "2", "--yes");
    const other = await runJournal(till, "correct", "2", "--date", "2026-11-01", "--yes");
    expect(other.code).toBe(1);
    expect(other.err).toContain("undo: this correction was registered already with other data. See `journal explain 3`.");
    const { code } = await runJournal(till, "correct", "3", "--yes");
    expect(code).toBe(0);
    const undone = await entryOf(till, 4);
    expect(undone.document).toMatchObject({ kind: "correction", sign: 1, basis: { settledOn: "2026-11-13" } });
    expect(undone.key.documentId).toMatch(/^correction:sale:sale-1:\d{10}:undo:\d{10}:undo$/);
  });

  it("undoes a second copy that the drive has, and the journal's own receipt stays", async () => {
    const { document } = await entryOf(till, 2);
    const { fiscalSign } = await till.trial.fiscal(document);
    const told = await runBesideServer(till, "correct", "2", "--sign", fiscalSign);
    expect(told.out).toContain("with --yes the drive is asked for a receipt of that sign and these sums");
    const { code, out, err } = await runJournal(till, "correct", "2", "--sign", fiscalSign, "--yes");
    expect([code, err]).toEqual([0, ""]);
    const own = await signOf(till, 2);
    expect(out).toMatch(`sale sale-1 of 109.80, its copy ФД 4 ФП ${fiscalSign} (the journal's own is ФД 3 ФП ${own}, which stays).`);
    expect((await entryOf(till, 3)).document).toMatchObject({ sign: 2, originalSign: fiscalSign });
    expect((await entryOf(till, 3)).key.documentId).toBe(`sale:sale-1:${fiscalSign}:undo`);
    const again = await runJournal(till, "correct", "2", "--sign", fiscalSign, "--number", "4", "--yes");
    expect(again.out).toContain("All of it is registered already");
    expect(await till.documents()).toBe(5);
  });

  it("carries the marks of what it undoes, so that the thing can be sold again", async () => {
    const plain = saleOperation("sale-2");
    const marked = (id: string) => ({
      ...plain,
      document: { id, idType: "native" as const },
      name: id,
      positions: plain.positions.map((position) => ({ ...position, marks: [markCode("abcdefghijklm")] })),
    });
    await till.submitAndWait(marked("sale-2"));
    expect(textOf(await till.submitAndWait(marked("sale-3")))).toBe("mark-denied");
    const { out } = await runJournal(till, "correct", "sale-2", "--yes");
    expect(out).toContain("with its marking code");
    expect(textOf(await till.submitAndWait(marked("sale-3")))).toMatch(/^receipt /);
  });

  it("registers by one correction a sale that was made and never registered, whose repeat is refused then", async () => {
    till.trial.inject({ before: once("receipt", { kind: "refuse", code: 0x14 }) });
    await till.submitAndWait(saleOperation("sale-2"));
    const told = await runJournal(till, "correct", "sale-2");
    expect(told.out).toContain("Entry 3: sale sale-2 of 109.80, never registered.");
    expect(told.out).toContain("1. КАССОВЫЙ ЧЕК КОРРЕКЦИИ, ПРИХОД: registers what was settled and never registered");
    expect((await runJournal(till, "correct", "sale-2", "--yes")).code).toBe(0);
    expect((await entryOf(till, 4)).document).toMatchObject({ kind: "correction", sign: 1, totalKopecks: 10_980 });
    const repeat = await till.submitAndWait(saleOperation("sale-2"));
    expect(repeat).toMatchObject({ kind: "refused", refusal: { code: "already-corrected", details: { number: "4" } } });
    expect(await till.documents()).toBe(4);
  });

  it("does not register as missed what the till has registered meanwhile", async () => {
    till.trial.inject({ before: once("receipt", { kind: "refuse", code: 0x14 }) });
    await till.submitAndWait(saleOperation("sale-2"));
    const operation = { ...(await missedOperation(till)) };
    await till.submitAndWait(saleOperation("sale-2"));
    expect(await till.submitAndWait(operation)).toMatchObject({ kind: "refused", refusal: { code: "not-correctable" } });
    expect(await till.documents()).toBe(4);
  });

  it("is refused in words without an open shift, and opens none", async () => {
    await till.submitAndWait(shiftOperation("close-shift"));
    const { code, err } = await runJournal(till, "correct", "2", "--yes");
    expect(code).toBe(1);
    expect(err).toContain("undo: refused, nothing was registered: shift-closed");
    expect(err).toContain("Start the server, open the shift at the till and put in enough cash");
    await till.openShift({ shift: { id: "shift-2", idType: "native" } });
    expect((await runJournal(till, "correct", "2", "--yes")).code).toBe(0);
    // The open shift stays the platform's shift.
    expect(textOf(await till.submitAndWait(saleOperation("sale-9", { shift: { id: "shift-2", idType: "native" } })))).toMatch(/^receipt /);
  });

  it.each([
    ["a report", ["correct", "1"], "Entry 1 is no receipt"],
    ["a slip", ["correct", "cash-1"], "reports and slips for cash are never corrected"],
    ["what is not known to be registered", ["correct", "sale-2"], ": what became of it must be known first; see `journal explain 3`"],
  ])("has nothing to do with %s", async (what, args, words) => {
    if (what === "a slip") await till.submitAndWait(cashOperation("cash-in", "cash-1", 5_000));
    if (what.startsWith("what")) {
      till.trial.inject({ before: once("receipt", { kind: "power-cut" }) });
      await till.submitAndWait(saleOperation("sale-2"));
    }
    const { code, err } = await runJournal(till, ...args);
    expect(code).toBe(1);
    expect(err).toContain(words);
  });

  it.each([
    [
      "a sum that is not price by quantity",
      (document: TradeDocument) => ({ ...document, lines: document.lines.map((line) => ({ ...line, sumKopecks: 1 })) }),
      "document.lines.0.sumKopecks: price × quantity is 109.80, not 0.01",
    ],
    [
      "a total that the lines do not come to",
      (document: TradeDocument) => ({ ...document, totalKopecks: 10_000 }),
      "document.totalKopecks: the lines come to 109.80",
    ],
    [
      "payments that do not come to the total",
      (document: TradeDocument) => ({ ...document, tenders: { ...document.tenders, cashKopecks: 1 } }),
      "document.tenders: they come to 0.01, not to the total of 109.80",
    ],
    ["no lines", (document: TradeDocument) => ({ ...document, lines: [] }), "document.lines: a receipt has at least one"],
  ])("names %s in the right data before anything is sent", async (_, change, words) => {
    const wrong = runJournal(till, "correct", "2", "--right", await rightFile(till, 2, change), "--yes");
    await expect(wrong).rejects.toThrow(words);
    await expect(wrong).rejects.toThrow(UsageError);
    expect(await till.documents()).toBe(3);
  });

  it.each([
    [["--date", "yesterday"], "--date expects"],
    [["--order", " "], "--order expects 1 to 32 characters"],
    [["--sign", "ФП"], "--sign: expected 1 to 10 digits"],
    [["--out", "x"], "--out writes what --yes registers"],
  ])("says what is wrong with %j", async (more, words) => {
    await expect(runJournal(till, "correct", "2", ...more)).rejects.toThrow(words);
  });
});

describe.each(sample(SCHEMES, 2))("journal correct under format 1.05, at a register that speaks %s", (scheme) => {
  it("says that a sale is undone by a return there, and registers what was missed", async () => {
    const till = await Till.open({ trial: await Trial.begin(scheme, { ffd: "1.05" }) });
    await till.openShift();
    await till.submitAndWait(saleOperation("sale-1"));
    const undo = await runJournal(till, "correct", "2", "--yes");
    expect([undo.code, undo.err]).toEqual([1, expect.stringContaining("undo the sale by an ordinary return at the till instead")]);
    till.trial.inject({ before: once("receipt", { kind: "refuse", code: 0x14 }) });
    await till.submitAndWait(saleOperation("sale-2"));
    const nowhere = runJournal(till, "correct", "sale-2", "--yes", "--out", "/proc/x/receipts");
    await expect(nowhere).rejects.toThrow(/^--out: .+$/);
    const folder = await temporaryFolder();
    const missed = await runJournal(till, "correct", "sale-2", "--yes", "--out", folder);
    expect([missed.code, missed.err]).toEqual([0, ""]);
    expect(await till.trial.lookUp(4)).toMatchObject({
      kind: "found",
      facts: { document: "correction", receipt: { sign: 1, totalKopecks: 10_980 } },
    });
    expect((await readFile(join(folder, "3-missed.pdf"))).length).toBeGreaterThan(1_000);
  });
});

/** The operation that the command would submit for the refused sale, entry 3. */
async function missedOperation(till: Till): Promise<Submission["operation"]> {
  let asked: Submission["operation"] | undefined;
  const tools = { journal: till.journal, clock: till.trial.clock, choice: till.choice, close: async () => {} };
  const submit = async ({ operation }: Submission) => {
    asked = operation;
    return { kind: "in-doubt" as const, doubt: { code: "no-answer" as const, reason: "not sent" } };
  };
  const registers = { ...correctingRegisters(till), operations: { submit } };
  const command = journalCommand({ open: async () => tools, openOperator: async () => ({ ...tools, ...registers }) });
  await command.run(["correct", "3", "--yes"], { out() {}, err() {}, signal: new AbortController().signal });
  if (asked === undefined) throw new Error("nothing was submitted");
  return asked;
}
