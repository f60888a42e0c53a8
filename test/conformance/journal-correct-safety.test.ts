import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../../src/cli/command.ts";
import type { TradeDocument } from "../../src/model/document.ts";
import { sample } from "../support/extent.ts";
import { at22, byCard, entryOf, rightFile, runJournal, signOf } from "../support/journal-correct.ts";
import { markCode } from "../support/marked-documents.ts";
import { DAY_MS, once, SCHEMES, Trial, temporaryFolder } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { cashOperation, saleOperation, Till, textOf } from "../support/till.ts";

type Change = (document: TradeDocument) => TradeDocument;

/** Lines of one piece each with the goods of the first line, with the given names and marks. */
function lines(count: number, more: (at: number) => Partial<TradeDocument["lines"][number]>): Change {
  return (document) => {
    const [first] = document.lines;
    if (first === undefined) throw new Error("no line");
    const piece = { ...first, quantityMillionths: 1_000_000, sumKopecks: first.priceKopecks };
    const totalKopecks = count * first.priceKopecks;
    const all = Array.from({ length: count }, (_, at) => ({ ...piece, ...more(at) }));
    return { ...document, lines: all, totalKopecks, tenders: { ...document.tenders, cashKopecks: totalKopecks } };
  };
}

describe.each(sample(SCHEMES, 2))("journal correct, at a register that speaks %s", (scheme) => {
  let till: Till;

  /** An open shift, entry 1, and a sale of 109.80 in cash, entry 2. */
  beforeEach(async () => {
    till = await Till.open({ trial: await Trial.begin(scheme) });
    await till.openShift();
    await till.submitAndWait(saleOperation("sale-1"));
  });

  it.each<[string, Change, RegExp]>([
    [
      "more lines than a drive holds",
      lines(400, () => ({ name: "Пряник ".repeat(18).trim() })),
      /redo: refused, nothing was registered: document-too-large/,
    ],
    [
      "more marks than are checked",
      lines(129, (at) => ({ mark: markCode(`s${String(at).padStart(12, "0")}`) })),
      /redo: .*document-too-large/,
    ],
  ])("does not undo where the right data are %s", async (_, change, words) => {
    const right = await rightFile(till, 2, change);
    const { code, out, err } = await runJournal(till, "correct", "2", "--right", right, "--yes");
    expect([code, err]).toEqual([1, expect.stringMatching(words)]);
    expect(out).not.toContain("registered as ФД 4");
    expect(await till.documents()).toBe(3);
    expect(await till.states()).toEqual(["open-shift done", "sale done"]);
  });

  it("does not undo a return where the right one takes out more than the drawer will hold", async () => {
    await till.submitAndWait({ ...saleOperation("return-1"), kind: "sales-return" });
    const right = await rightFile(
      till,
      3,
      lines(3, () => ({})),
    );
    const { err } = await runJournal(till, "correct", "3", "--right", right, "--yes");
    expect(err).toContain("redo: refused, nothing was registered: cash-short: 54.90 are missing in the drawer by then");
    expect(err).toContain(
      "Start the server, put in enough cash at the till, in the open shift; then stop the server and say the same again",
    );
    await till.submitAndWait(cashOperation("cash-in", "cash-1", 5_490));
    expect((await runJournal(till, "correct", "3", "--right", right, "--yes")).code).toBe(0);
  });

  it("takes no day that has not come on the register's own clock", async () => {
    const behind = await Till.open({ trial: await Trial.begin(scheme) });
    behind.trial.inject({ clockOffsetMs: () => -DAY_MS });
    expect(textOf(await behind.submitAndWait(saleOperation("sale-1")))).toBe("shift-closed");
    for (const more of [[], ["--yes"]]) {
      const { code, err } = await runJournal(behind, "correct", "1", ...more);
      expect([code, err]).toEqual([1, expect.stringContaining("cannot have been on 2026-11-13: it is 2026-11-12 there")]);
    }
    expect(await behind.states()).toEqual(["sale refused"]);
  });

  it("undoes on a person's word alone what neither journal nor drive knows, and says what nobody can check", async () => {
    const refused = await runJournal(till, "correct", "2", "--sign", "1234567890", "--yes");
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("Neither the journal nor the drive knows ФП 1234567890")]);
    const other = await runJournal(till, "correct", "2", "--sign", "1234567890", "--number", "2", "--yes");
    expect(other.err).toContain("knows ФП 1234567890: not ФД 2 in drive");
    expect(await till.documents()).toBe(3);
    const taken = await runJournal(till, "correct", "2", "--sign", "1234567890", "--unknown-sign", "--yes");
    expect(taken.code).toBe(0);
    expect(taken.out).toContain("WARNING: nobody here can check that such a receipt exists");
    expect((await entryOf(till, 3)).document).toMatchObject({ originalSign: "1234567890" });
    const another = await runJournal(till, "correct", "2", "--sign", "1234567891", "--unknown-sign", "--yes");
    expect(another.out).toContain("WARNING: this receipt has a correction already: entry 3 (sale:sale-1:1234567890:undo, done)");
  });

  it("takes no document of the drive for a copy that settled something else", async () => {
    const { document } = await entryOf(till, 2);
    const { fiscalSign } = await till.trial.fiscal({ ...document, ...at22(document), sign: 2 });
    const { code, err } = await runJournal(till, "correct", "2", "--sign", fiscalSign, "--unknown-sign", "--yes");
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("ФД 4 has this ФП and is no copy of entry 2: it is receipt, ВОЗВРАТ ПРИХОДА of 109.80"),
    ]);
    expect(await till.documents()).toBe(4);
  });

  it("finds in the drive what counts as never registered, and does not register it beside that", async () => {
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await till.submitAndWait(saleOperation("sale-2"));
    const doubt = await till.journal.get(3);
    if (doubt === undefined) throw new Error("no entry");
    await till.journal.finish(doubt, { kind: "refused", refusal: { code: "not-registered" } }, "person", [
      { code: "said", words: "the wrong paper" },
    ]);
    till.trial.device.powerOn();
    const { code, err } = await runJournal(till, "correct", "3", "--yes");
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("missed: refused, nothing was registered: not-correctable: it stands in the drive as ФД 4"),
    ]);
    expect(await till.documents()).toBe(4);
  });

  it("registers nothing as missed that was made after the copy of the database which has it as refused", async () => {
    till.trial.device.setPaper(false);
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("no-paper");
    till.trial.device.setPaper(true);
    const copy = await copyOf(till.store);
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
    await restore(till.store, copy);
    await till.killAndRestart();
    const { code, err } = await runJournal(till, "correct", "3", "--yes");
    expect([code, err]).toEqual([1, expect.stringContaining("not-correctable: it stands in the drive as ФД 4")]);
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
    expect(await till.documents()).toBe(4);
  });
});

it.each(sample(SCHEMES, 2))("a sale is not made that a correction has registered since the copy that was restored, %s", async (scheme) => {
  const till = await Till.open({ trial: await Trial.begin(scheme) });
  await till.openShift();
  till.trial.device.setPaper(false);
  expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("no-paper");
  till.trial.device.setPaper(true);
  const copy = await copyOf(till.store);
  expect(await runJournal(till, "correct", "2", "--yes")).toMatchObject({ code: 0 });
  await restore(till.store, copy);
  await till.killAndRestart();
  expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("already-corrected");
  expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
  expect(await till.documents()).toBe(4);
});

describe("journal correct", () => {
  let till: Till;

  beforeEach(async () => {
    till = await Till.open();
    await till.openShift();
    await till.submitAndWait(saleOperation("sale-1"));
  });

  it.each([
    ["2099-01-01", "it is 2026-11-13 there, and what is corrected was settled already"],
    ["14.11.26", "it is 2026-11-13 there"],
    ["1970-01-01", "no receipts with fiscal data before 2016-07-15"],
    ["2016-07-14", "no receipts with fiscal data before 2016-07-15"],
  ])("says before anything that nothing can have been settled on %s", async (day, words) => {
    for (const more of [[], ["--yes"]]) {
      const { code, out, err } = await runJournal(till, "correct", "2", "--date", day, ...more);
      expect([code, out, err]).toEqual([1, "", expect.stringContaining(words)]);
    }
    expect((await runJournal(till, "correct", "2", "--date", "2016-07-15")).code).toBe(0);
  });

  it.each([
    [["--order", "2.16\u001b[2J42"], 'neither drive nor paper has all of these characters; what they can show is "2.16 [2J42"'],
    [["--order", "№ 5 \u{1F600}"], "--order: neither drive nor paper"],
    [["--order", "1".repeat(33)], "--order expects 1 to 32 characters"],
    [["--sign", "4294967296"], "--sign: expected 1 to 10 digits, at most 4294967295"],
    [["--sign", "1", "--number", "0"], "--number expects the number of a fiscal document"],
    [["--number", "5"], "--number says where the receipt of --sign stands: both are needed"],
    [["--unknown-sign"], "--unknown-sign is about the receipt of --sign"],
    [["--settles", "return"], "--settles is about the data of --right"],
    [["--right", "x", "--settles", "income"], "--settles expects one of sale, return, purchase, purchase-return"],
    [["--date", "2026-02-30"], "--date expects"],
  ])("says what is wrong with %j", async (more, words) => {
    const asked = runJournal(till, "correct", "2", ...more);
    await expect(asked).rejects.toThrow(words);
    await expect(asked).rejects.toThrow(UsageError);
  });

  it("takes right data of another settlement sign only where that is said", async () => {
    await till.submitAndWait(cashOperation("cash-in", "cash-1", 50_000));
    const right = await rightFile(till, 2, (document) => ({ ...document, sign: 2 }));
    const silent = await runJournal(till, "correct", "2", "--right", right, "--yes");
    expect(silent.err).toContain(
      "The right data are ВОЗВРАТ ПРИХОДА and what was registered is ПРИХОД. If money went the other way, say --settles return",
    );
    const wrongly = await runJournal(till, "correct", "2", "--right", right, "--settles", "purchase", "--yes");
    expect(wrongly.err).toContain("--settles purchase does not hold: the right data are ВОЗВРАТ ПРИХОДА, document.sign 2");
    expect(await till.documents()).toBe(3);
    expect((await runJournal(till, "correct", "2", "--right", right, "--settles", "return", "--yes")).code).toBe(0);
    expect((await entryOf(till, 5)).document).toMatchObject({ kind: "correction", sign: 2 });
  });

  it("refuses right data that are another document's, or are what was registered, or have rates of another day", async () => {
    await till.submitAndWait(saleOperation("sale-2"));
    const other = await rightFile(till, 3, byCard);
    expect((await runJournal(till, "correct", "2", "--right", other)).err).toContain("those of another document");
    const elsewhere = await rightFile(till, 2, (document) => ({ ...byCard(document), cashierName: "Петров П.П." }));
    expect((await runJournal(till, "correct", "2", "--right", elsewhere)).err).toContain(
      "document.cashierName: no correction changes that",
    );
    const same = await rightFile(till, 2, (document) => document);
    expect((await runJournal(till, "correct", "2", "--right", same)).err).toContain("there is nothing to put right");
    const rates = await rightFile(till, 2, at22);
    const { err } = await runJournal(till, "correct", "2", "--right", rates, "--date", "2025-12-31");
    expect(err).toContain("document.lines.0.vat: НДС 22% began with 2026, and this was settled on 2025-12-31");
  });

  it("knows whose a sign is that the journal has", async () => {
    await till.submitAndWait(saleOperation("sale-2"));
    const sign = await signOf(till, 3);
    const { code, err } = await runJournal(till, "correct", "2", "--sign", sign, "--unknown-sign", "--yes");
    expect([code, err]).toEqual([1, `ФП ${sign} is the sign of entry 3 (sale sale-2): journal correct 3`]);
    expect((await runJournal(till, "correct", "2", "--sign", await signOf(till, 2))).out).toContain("Nothing has been registered.");
  });

  it("warns where goods of the sale have come back already", async () => {
    const original = { id: "sale-1", idType: "native" as const };
    await till.submitAndWait({ ...saleOperation("return-1"), kind: "sales-return", original });
    const { out } = await runJournal(till, "correct", "2");
    expect(out).toContain("WARNING: entry 3 (done) is a return of this sale, of 109.80: undone as a whole, that money goes back twice");
    expect((await runJournal(till, "correct", "3")).out).not.toContain("WARNING");
  });

  it("goes on after the undoing with its basis, and says each time what is registered and what is left", async () => {
    const right = await rightFile(till, 2, byCard);
    await runJournal(till, "correct", "2", "--date", "2026-11-12", "--order", "2.16-42", "--yes");
    const half = await runJournal(till, "correct", "2", "--right", right);
    expect(half.out).toContain("   so far      entry 3 is done: ФД 4 ФП ");
    expect(half.out).toContain("The first is registered, the second is not.");
    expect((await runJournal(till, "correct", "2", "--right", right, "--yes")).code).toBe(0);
    expect((await entryOf(till, 4)).document).toMatchObject({
      sign: 1,
      basis: { kind: "order", settledOn: "2026-11-12", orderNumber: "2.16-42" },
    });
    const all = await runJournal(till, "correct", "2", "--right", right);
    expect(all.out).toContain("All of it is registered already: there is nothing left to do.");
    expect(all.out).not.toContain("Nothing has been registered");
    expect(await till.documents()).toBe(5);
  });

  it("settles no right data where the undoing was undone itself", async () => {
    const right = await rightFile(till, 2, byCard);
    await runJournal(till, "correct", "2", "--yes");
    await runJournal(till, "correct", "3", "--yes");
    const { code, err } = await runJournal(till, "correct", "2", "--right", right, "--yes");
    expect([code, err]).toEqual([1, expect.stringContaining("undo: entry 3 registered this, and entry 4 undoes that again.")]);
    expect(await till.documents()).toBe(5);
  });

  it("corrects what was settled anew only once the correction of what it was before is undone", async () => {
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await till.submitAndWait(saleOperation("sale-2"));
    till.trial.device.powerOn();
    const [doubt, { facts }] = [await entryOf(till, 3), await entryOf(till, 2)];
    if (facts?.kind !== "fiscal") throw new Error("no facts");
    const misread = { ...facts, documentNumber: 4, fiscalSign: "0000000044" };
    const said = await till.journal.finish(doubt, { kind: "done", facts: misread }, "person");
    const unlike = await runJournal(till, "correct", "3", "--yes");
    expect(unlike.err).toContain("in the drive, another than entry 3 says: settle that anew first");
    // By the person's statement alone, as with a drive that cannot be asked.
    await runJournal(till, "correct", "3", "--sign", "0000000045", "--unknown-sign", "--yes");
    const read = await till.trial.lookUp(4);
    if (read.kind !== "found") throw new Error("no document");
    await till.journal.settleAgain(said, { kind: "done", facts: read.facts });
    const again = await runJournal(till, "correct", "3", "--yes");
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringContaining("was settled anew after entry 4 had corrected what it was before"),
    ]);
    expect((await runJournal(till, "correct", "4", "--yes")).code).toBe(0);
    expect((await runJournal(till, "correct", "3", "--yes")).code).toBe(0);
    expect(await till.documents()).toBe(7);
  });

  it("settles no right data by themselves, whoever asks for it", async () => {
    const right = await rightFile(till, 2, byCard);
    await runJournal(till, "correct", "2", "--right", right, "--yes");
    const redo = await entryOf(till, 4);
    if (redo.operation.kind !== "correction") throw new Error("no correction");
    const { settlement } = redo.operation;
    const document = { ...redo.operation.document, id: "sale:sale-1:1:redo" };
    const operation = { ...redo.operation, document, settlement: { ...settlement, originalSign: "1" } };
    expect(textOf(await till.submitAndWait(operation))).toBe("not-correctable");
    expect(await till.documents()).toBe(5);
  });

  it("registers a refused correction by the command that asked for it, and not as one that was missed", async () => {
    till.trial.inject({ before: once("correction", { kind: "refuse", code: 0x14 }) });
    await runJournal(till, "correct", "2", "--yes");
    const missed = await runJournal(till, "correct", "3", "--yes");
    expect([missed.code, missed.err]).toEqual([
      1,
      "This is a correction that was not registered: say `journal correct sale-1` again, as it was said then",
    ]);
    const told = await runJournal(till, "explain", "3");
    expect(told.out).toContain("Then say journal correct 2 again, with what was said for it");
    expect((await runJournal(till, "correct", "sale-1", "--yes")).code).toBe(0);
    expect(await till.documents()).toBe(4);
  });

  it("registers nothing as missed that was registered under the other id type", async () => {
    const sale = saleOperation("sale-1", { document: { id: "sale-0", idType: "sync" } });
    expect(textOf(await till.submitAndWait(sale))).toBe("other-id-type");
    const { code, err } = await runJournal(till, "correct", "sale-0", "--yes");
    expect([code, err]).toEqual([1, expect.stringContaining("The same document is entry 2 (done) under the other id type")]);
    expect(await till.documents()).toBe(3);
  });

  it("stops before anything where its folder cannot be, and not between two corrections", async () => {
    const file = join(await temporaryFolder(), "file");
    await writeFile(file, "");
    const right = await rightFile(till, 2, byCard);
    await expect(runJournal(till, "correct", "2", "--right", right, "--yes", "--out", join(file, "receipts"))).rejects.toThrow("--out: ");
    expect(await till.documents()).toBe(3);
  });

  it("is told by explain from both sides, with what to do next and what to tell the cashier", async () => {
    expect((await runJournal(till, "explain", "2")).out).toContain("Should what was registered be wrong: journal correct 2 undoes it");
    const right = await rightFile(till, 2, byCard);
    await runJournal(till, "correct", "2", "--yes");
    const [sale, undo] = [await signOf(till, 2), await signOf(till, 3)];
    const undone = (await runJournal(till, "explain", "2")).out;
    expect(undone).toContain(`Corrections of it:\n  entry 3 undoes it: done, ФД 4 ФП ${undo}, 2026-11-13 `);
    expect(undone).toContain("no right data are registered in its place. Where there are any: journal correct 2 --right FILE");
    expect(undone).toContain("«Документ был пробит, ФД № 3, и отменён чеком коррекции, ФД № 4. Не повторяйте его.»");
    await runJournal(till, "correct", "2", "--right", right, "--yes");
    const corrected = (await runJournal(till, "explain", "2")).out;
    expect(corrected).toContain("и исправлен чеками коррекции, ФД № 4 и 5. Не повторяйте его.»");
    expect(corrected).toContain(`  entry 4 settles the right data in place of it: done, ФД 5 ФП ${await signOf(till, 4)}, 2026-11-13 `);
    const correction = (await runJournal(till, "explain", "3")).out;
    expect(correction).toContain(
      `It is a correction: it undoes entry 2, sale sale-1 of 109.80 (ФП ${sale}). САМОСТОЯТЕЛЬНО, date of the settlement 13.11.2026.`,
    );
    expect(correction).toContain("«Это чек коррекции, его оформляет администратор. На кассе ничего делать не нужно.»");
  });

  it("leaves nothing to repeat of a sale that it registered, and says so", async () => {
    till.trial.inject({ before: once("receipt", { kind: "refuse", code: 0x14 }) });
    await till.submitAndWait(saleOperation("sale-2"));
    expect((await runJournal(till, "explain", "3")).out).toContain("A repeat of the document is a new attempt");
    await runJournal(till, "correct", "3", "--yes");
    const { out } = await runJournal(till, "explain", "3");
    expect(out).toContain("  entry 4 registers what was never registered: 109.80: done, ФД 4 ФП ");
    expect(out).toContain("The correction of entry 4 has registered it, and a repeat of the document is refused.");
    expect(out).toContain("«Документ оформлен чеком коррекции, ФД № 4. Не пробивайте его заново.»");
  });
});
