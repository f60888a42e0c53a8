import { describe, expect, it } from "vitest";
import { describeMove } from "../../src/cli/journal/describe.ts";
import { type Log, silentLog } from "../../src/kernel/log.ts";
import type { TradeOperation } from "../../src/model/operation.ts";
import { sample } from "../support/extent.ts";
import { once, SCHEMES, Trial } from "../support/registers.ts";
import { paperOf, settled } from "../support/settle-command.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

const GS = "\u001d";
const MARK = `010460000000000821abcdefghijklm${GS}91EE10${GS}92${"x".repeat(44)}`;

/** One marked pair of shoes and one without a mark, for 109.80 together. */
function shoes(id: string, mark: string, kind: TradeOperation["kind"] = "sale"): TradeOperation {
  const plain = saleOperation(id, { kind });
  return { ...plain, positions: plain.positions.map((position) => ({ ...position, marks: [mark] })) };
}

describe("a marked sale", () => {
  it("keeps in its facts what the register found of each mark, beside the code exactly as it came", async () => {
    const till = await Till.open();
    await till.openShift();
    await till.submitAndWait(shoes("sale-1", `]d2${MARK.replaceAll(GS, "<GS>")}`));
    const [entry] = await till.journal.list({ state: "done", limit: 1 });
    expect(entry?.facts?.kind === "fiscal" && entry.facts.markChecks).toEqual([15, null]);
    expect(entry?.document.kind === "receipt" && entry.document.lines.map((line) => [line.mark, line.subject])).toEqual([
      [`]d2${MARK.replaceAll(GS, "<GS>")}`, 33],
      [undefined, 1],
    ]);
  });

  it("of a thing that was sold is refused with the reason, until the thing comes back", async () => {
    const till = await Till.open();
    await till.openShift();
    await till.submitAndWait(shoes("sale-1", MARK));
    const again = await till.submitAndWait(shoes("sale-2", MARK.replaceAll(GS, "")));
    expect(again).toMatchObject({
      kind: "refused",
      refusal: { code: "mark-denied", details: { reason: expect.stringContaining("уже продан") } },
    });
    await till.submitAndWait(shoes("return-1", MARK, "sales-return"));
    expect(textOf(await till.submitAndWait(shoes("sale-2", MARK)))).toMatch(/^receipt /);
  });

  it("is refused by the policy of the point of sale where the check went wrong", async () => {
    const till = await Till.open({ rules: { markPolicy: "checked-correct" } });
    await till.openShift();
    const denied = MARK.replace("04600000000008", "09520000000134");
    expect(textOf(await till.submitAndWait(shoes("sale-1", denied)))).toBe("mark-denied");
    expect(textOf(await till.submitAndWait(shoes("sale-1", MARK)))).toMatch(/^receipt /);
  });
});

const KEG = `010460000000000821keg0000000001${GS}93abcd`;

/** A sale of so many thousandths of a litre from a keg at 180.00, paid in cash. */
function tapped(id: string, thousandths: number, more: { kind?: TradeOperation["kind"]; mark?: string } = {}): TradeOperation {
  const plain = saleOperation(id, { kind: more.kind ?? "sale" });
  const goods = { assortment: { name: "Молоко на розлив" }, unit: { name: "л", code: "112" }, priceKopecks: 18_000 };
  const positions = plain.positions.map((position) => ({
    ...position,
    ...goods,
    quantityMillionths: thousandths * 1_000,
    marks: [more.mark ?? KEG],
  }));
  return { ...plain, positions, payments: { ...plain.payments, cashKopecks: thousandths * 18 } };
}

describe.each(sample(SCHEMES, 2))("goods that are sold by measure under a mark, at a register that speaks %s", (scheme) => {
  it("are sold again and again, come back and are sold again, in one shift and the next", async () => {
    const till = await Till.open({ trial: await Trial.begin(scheme), rules: { shiftOpening: "automatic" } });
    await till.openShift();
    const sell = async (id: string, thousandths: number, more?: Parameters<typeof tapped>[2]) =>
      textOf(await till.trial.settled(till.submit(tapped(id, thousandths, more))));
    expect(await sell("sale-1", 500)).toMatch(/^receipt 3/);
    expect(await sell("sale-2", 2_000)).toMatch(/^receipt 4/);
    expect(await sell("sale-3", 333, { mark: KEG.replace(GS, "\\u1d") })).toMatch(/^receipt 5/);
    expect(await sell("return-1", 500, { kind: "sales-return" })).toMatch(/^receipt 6/);
    expect(await sell("sale-4", 500)).toMatch(/^receipt 7/);
    // A repeat is the same sale, not another half litre.
    expect(await sell("sale-4", 500)).toMatch(/^receipt 7/);
    await till.trial.later(25 * 3_600_000);
    expect(await sell("sale-5", 500)).toMatch(/^receipt 10/);
  });

  it("are found in the register when the answer was lost, and not registered again", async () => {
    const till = await Till.open({ trial: await Trial.begin(scheme) });
    await till.openShift();
    await till.trial.settled(till.submit(tapped("sale-1", 500)));
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    const lost = till.submit(tapped("sale-2", 500));
    await till.trial.later(3_000);
    till.trial.device.powerOn();
    const again = await till.trial.settled(till.submit(tapped("sale-2", 500)));
    await till.trial.settled(lost);
    expect(textOf(again)).toMatch(/^receipt 4/);
    expect(await till.documents()).toBe(4);
    const [entry] = await till.journal.list({ state: "done", limit: 1 });
    expect(entry?.facts?.kind === "fiscal" && entry.facts.markChecks).toEqual([15]);
    expect(entry?.document.kind === "receipt" && entry.document.lines).toMatchObject([
      { mark: KEG, quantityMillionths: 500_000, unit: { code: 41, label: "л" }, sumKopecks: 9_000 },
    ]);
  });
});

describe("a thing whose mark cannot be read", () => {
  const CUT = MARK.slice(0, 40);

  it("is not sold where nobody has allowed it: nothing is registered, and the position is named", async () => {
    const till = await Till.open();
    await till.openShift();
    expect(await till.submitAndWait(shoes("sale-1", CUT))).toMatchObject({
      kind: "refused",
      refusal: { code: "mark-unreadable", parameter: "positions[0].marks[0]" },
    });
    expect(await till.documents()).toBe(2);
    // The mark is read at the next try.
    expect(textOf(await till.submitAndWait(shoes("sale-1", MARK)))).toMatch(/^receipt 3/);
  });

  it("is sold where the policy allows it, and the journal and the log say so without the mark", async () => {
    const lines: string[] = [];
    const log: Log = { ...silentLog, warn: (values, text) => void lines.push(JSON.stringify({ ...values, text })) };
    const till = await Till.open({ rules: { markPolicy: "all" }, log });
    await till.openShift();
    expect(textOf(await till.submitAndWait(shoes("sale-1", CUT)))).toMatch(/^receipt 3/);
    const [entry] = await till.journal.list({ state: "done", limit: 1 });
    expect(entry?.document.kind === "receipt" && entry.document.lines[0]).toMatchObject({ mark: CUT, unreadMark: "shape" });
    const moves = await till.journal.moves(entry?.id ?? 0);
    expect(moves.map(describeMove).join()).toContain("marks that could not be read, in positions 1 (shape)");
    expect(lines.join()).toContain('{"code":"mark-unrecognised","parameter":"positions[0].marks"}');
    expect(lines.join()).not.toContain(CUT.slice(0, 30));
  });

  it("is told of when its answer was lost too", async () => {
    const told: number[] = [];
    const till = await Till.open({ rules: { markPolicy: "correct-or-unverifiable" }, done: ({ id }) => void told.push(id) });
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    const lost = till.submit(shoes("sale-1", CUT));
    await till.trial.later(3_000);
    till.trial.device.powerOn();
    await till.submitAndWait(shoes("sale-1", CUT));
    await till.trial.settled(lost);
    const [entry] = await till.journal.list({ state: "done", limit: 1 });
    expect(told.filter((id) => id === entry?.id)).toHaveLength(1);
    const moves = await till.journal.moves(entry?.id ?? 0);
    expect(moves.at(-1)).toMatchObject({ to: "done", reasons: [{ code: "marks-unread", marks: [{ line: 0, problem: "shape" }] }] });
  });

  it("is named by the journal also beside another reason: a drive that had the sale, a person's statement", async () => {
    const till = await Till.open({ rules: { markPolicy: "all" } });
    await till.openShift();
    const unread = { code: "marks-unread", marks: [{ line: 0, problem: "shape" }] };

    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await till.submitAndWait(shoes("sale-1", CUT));
    await till.settled();
    const id = (await till.journal.unfinished())[0]?.id ?? 0;
    await settled(till, "runs", "settle", `${id}`, "--refused", "--why", "the wrong paper", "--unconfirmed");
    till.trial.device.powerOn();
    expect(textOf(await till.submitAndWait(shoes("sale-1", CUT)))).toMatch(/^receipt 3/);
    expect((await till.journal.moves(id)).at(-1)?.reasons).toEqual([{ code: "attempt-found" }, unread]);

    const other = await Till.open({ rules: { markPolicy: "all" } });
    await other.openShift();
    other.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await other.submitAndWait(shoes("sale-1", CUT));
    await other.settled();
    other.trial.device.powerOn();
    const lost = (await other.journal.unfinished())[0]?.id ?? 0;
    await settled(other, "runs", "settle", `${lost}`, "--done", ...(await paperOf(other, 3)), "--unconfirmed");
    expect((await other.journal.moves(lost)).at(-1)?.reasons).toEqual([{ code: "unconfirmed" }, unread]);
  });
});
