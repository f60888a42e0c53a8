import { describe, expect, it } from "vitest";
import { reasonWords } from "../../src/cli/journal/words/reason-words.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { type Log, silentLog } from "../../src/kernel/log.ts";
import type { TradeOperation } from "../../src/model/operation.ts";
import { RefusalBound } from "../../src/operations/refusal-bound.ts";
import { register } from "../../src/operations/registering.ts";
import { compareInTime, compareReturn } from "../../src/operations/returned-more.ts";
import { runJournal } from "../support/journal-correct.ts";
import { once, sameChance } from "../support/registers.ts";
import { paperOf, settled } from "../support/settle-command.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const DOUBT = { kind: "in-doubt", doubt: { code: "no-answer", reason: "no reply" } } as const;
const MORE = "a return gives back more than was sold";

/** A till whose sale `sale-1` of two loaves at 54.90 is registered, and the log's lines about returns. */
async function tillWithSale(more: Partial<TradeOperation> = {}): Promise<{ till: Till; told: object[]; unknown: string[] }> {
  const told: object[] = [];
  const unknown: string[] = [];
  const warn: Log["warn"] = (values, text) => {
    if (text === MORE) told.push(values);
    else if (text.startsWith("a return could not be compared")) unknown.push(text);
  };
  const till = await Till.open({ log: { ...silentLog, warn } });
  await till.openShift();
  await till.submitAndWait(cashOperation("cash-in", "cash-1", 100_000));
  expect(textOf(await till.submitAndWait(saleOperation("sale-1", more)))).toMatch(/^receipt/);
  return { till, told, unknown };
}

/** A return of some loaves of `sale-1`. */
function returnOf(id: string, loaves: number, more: Partial<TradeOperation> = {}, priceKopecks = 5_490): TradeOperation {
  const sale = saleOperation(id);
  const positions = sale.positions.map((one) => ({ ...one, quantityMillionths: loaves * 1_000_000, priceKopecks }));
  const payments = { ...sale.payments, cashKopecks: loaves * priceKopecks };
  return { ...sale, kind: "sales-return", positions, payments, original: { id: "sale-1", idType: "native" }, ...more };
}

async function entryOf(till: Till, id: string): Promise<Entry> {
  const entry = await till.journal.find({ appId: "app", accountId: "account", operation: "sales-return", documentId: id });
  if (entry === undefined) throw new Error(`the journal has no return ${id}`);
  return entry;
}

/** What the journal keeps about the end of the operation. */
async function noteOf(till: Till, id: string): Promise<string | undefined> {
  const done = (await till.journal.moves((await entryOf(till, id)).id)).findLast(({ to }) => to === "done");
  return done?.reasons === undefined ? undefined : reasonWords(done.reasons);
}

async function registered(till: Till, operation: TradeOperation): Promise<void> {
  expect(textOf(await till.submitAndWait(operation))).toMatch(/^receipt/);
}

describe("a return of more than was sold", () => {
  it("is registered, and told of in log, journal and metrics, without what was bought in the log", async () => {
    const { till, told } = await tillWithSale();
    await registered(till, returnOf("return-1", 3));
    const { id } = await entryOf(till, "return-1");
    const quantity = { kind: "quantity", position: 1, sold: 2_000_000, returned: 3_000_000 };
    expect(told).toEqual([
      expect.objectContaining({ entry: id, sale: 3, exceeds: [quantity, { kind: "total", sold: 10_980, returned: 16_470 }] }),
    ]);
    expect(JSON.stringify(told)).not.toContain("Хлеб");
    const words =
      "gives back more than sale entry 3 has sold: position 1 «Хлеб», 3 returned in all, 2 sold; 164.70 returned in all, 109.80 sold";
    expect(await noteOf(till, "return-1")).toBe(words);
    for (const action of ["show", "explain"]) expect((await runJournal(till, action, `${id}`)).out).toContain(words);
    const [beforeMoves] = (await runJournal(till, "explain", `${id}`)).out.split("What happened");
    expect(beforeMoves).toContain(`WARNING: it ${words}.`);
    expect(till.returnedMore).toEqual(["quantity", "total"]);
  });

  it("is told of by the sum of a position, by goods that were not sold, and by several returns together", async () => {
    const { till, told } = await tillWithSale();
    await registered(till, returnOf("return-1", 1, {}, 10_981 + 1));
    const cheese = returnOf("", 1).positions.map((one) => ({ ...one, assortment: { name: "Сыр" } }));
    await registered(till, returnOf("return-2", 1, { positions: cheese }));
    expect(await noteOf(till, "return-1")).toContain("position 1 «Хлеб», 109.82 returned in all, 109.80 sold");
    expect(await noteOf(till, "return-2")).toContain("position 1 «Сыр» is not among its goods");
    await registered(till, returnOf("return-3", 2));
    expect(await noteOf(till, "return-3")).toContain("position 1 «Хлеб», 3 returned in all, 2 sold");
    expect(told).toHaveLength(3);
  });

  it("is told of wherever the sale was made: in another shift, at another point of sale, under another name of the goods", async () => {
    const { till } = await tillWithSale({ storeId: "elsewhere", positions: named("Хлеб", "bread") });
    await till.submitAndWait(shiftOperation("close-shift"));
    const shift = { id: "shift-2", idType: "native" } as const;
    await till.openShift({ shift });
    await registered(till, returnOf("return-1", 2, { shift, positions: named("Хлеб ржаной", "bread") }));
    expect(await noteOf(till, "return-1")).toBeUndefined();
    await registered(till, returnOf("return-2", 2, { shift, positions: named("Хлеб ржаной", "bread") }));
    expect(await noteOf(till, "return-2")).toContain("position 1 «Хлеб», 4 returned in all, 2 sold");
  });

  it("is none when it is repeated, when it came to nothing, and when it names no sale or one that the journal does not have", async () => {
    const { till, told } = await tillWithSale();
    till.trial.inject({ before: once("receipt", { kind: "refuse", code: 4 }) });
    await till.submitAndWait(returnOf("return-0", 2));
    await registered(till, returnOf("return-1", 2));
    await registered(till, returnOf("return-1", 2));
    const { original: _, ...without } = returnOf("return-2", 5);
    await registered(till, without);
    await registered(till, returnOf("return-3", 5, { original: { id: "unheard-of", idType: "sync" } }));
    expect(told).toEqual([]);
  });

  it("is one of the first piece already where the sale was undone by a correction, and none once the return before it was", async () => {
    const undone = await tillWithSale();
    await runJournal(undone.till, "correct", "3", "--yes");
    await registered(undone.till, returnOf("return-1", 1));
    expect(await noteOf(undone.till, "return-1")).toContain("nothing stands of that sale");
    const { till, told } = await tillWithSale();
    await registered(till, returnOf("return-1", 2));
    await runJournal(till, "correct", `${(await entryOf(till, "return-1")).id}`, "--yes");
    await registered(till, returnOf("return-2", 2));
    expect(told).toEqual([]);
  });

  it("counts what may have been registered elsewhere, and says so, and counts nothing that was refused or waits its turn", async () => {
    const { till } = await tillWithSale();
    await registered(till, returnOf("return-1", 1));
    const first = await entryOf(till, "return-1");
    const elsewhere = (documentId: string) => ({ ...first, key: { ...first.key, documentId }, register: "emulator:elsewhere" });
    if (first.checkpoint === undefined) throw new Error("nothing was sent");
    // A doubt about a document of the same drive would stop this register too.
    const checkpoint = { ...first.checkpoint, driveNumber: "9999078900009999" };
    await till.journal.accept(elsewhere("waiting"));
    const refused = await till.journal.accept(elsewhere("refused"));
    await till.journal.finish(refused, { kind: "refused", refusal: { code: "no-paper" } }, "register");
    await registered(till, returnOf("return-2", 1));
    expect(await noteOf(till, "return-2")).toBeUndefined();
    const doubtful = await till.journal.finish(await till.journal.begin(elsewhere("doubtful"), checkpoint), DOUBT, "register");
    const sending = await till.journal.begin(elsewhere("sending"), checkpoint);
    await registered(till, returnOf("return-3", 1));
    expect(await noteOf(till, "return-3")).toMatch(/5 returned in all, 2 sold.*; counted with entry \d+, \d+, of which nobody knows yet/);
    for (const { id } of [doubtful, sending]) expect(await noteOf(till, "return-3")).toContain(`${id}`);
  });

  it("is told of behind a hundred refused returns of that sale, which a till has had in vain", async () => {
    const { till } = await tillWithSale();
    await registered(till, returnOf("return-1", 2));
    const first = await entryOf(till, "return-1");
    for (let nth = 0; nth < 101; nth += 1) {
      const entry = await till.journal.accept({ ...first, key: { ...first.key, documentId: `refused-${nth}` } });
      await till.journal.finish(entry, { kind: "refused", refusal: { code: "no-paper" } }, "register");
    }
    await registered(till, returnOf("return-2", 1));
    expect(await compareReturn(till.journal, await entryOf(till, "return-2"))).toMatchObject({
      kind: "exceeds",
      excesses: [{ kind: "quantity", sold: 2_000_000, returned: 3_000_000 }, { kind: "total" }],
    });
  });

  it("may be one where the sale has more returns than are compared, and the log says that it could not be compared", async () => {
    const { till } = await tillWithSale();
    const unknown: string[] = [];
    const log: Log = { ...silentLog, warn: (_, text) => void unknown.push(text) };
    const services = { journal: till.journal, clock: till.trial.clock, log };
    await registered(till, returnOf("return-1", 0.001, { payments: { ...saleOperation("any").payments, cashKopecks: 5 } }));
    const first = await entryOf(till, "return-1");
    const { checkpoint } = first;
    if (checkpoint === undefined) throw new Error("nothing was sent");
    for (let nth = 0; nth < 100; nth += 1)
      await till.journal.begin({ ...first, key: { ...first.key, documentId: `crumb-${nth}` }, register: `emulator:${nth}` }, checkpoint);
    expect([await compareInTime(services, first), unknown]).toEqual([{ kind: "fits" }, []]);
    await till.journal.begin({ ...first, key: { ...first.key, documentId: "crumb" }, register: "emulator:another" }, checkpoint);
    expect(await compareInTime(services, first)).toEqual({ kind: "unknown" });
    expect(unknown).toEqual([expect.stringContaining("too many returns")]);
  });

  it("whose answer was lost is told of once the register has said that it was registered", async () => {
    const { till, told } = await tillWithSale();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    expect(textOf(await till.submitAndWait(returnOf("return-1", 3)))).toBe("in-doubt");
    expect(told).toEqual([]);
    till.trial.device.powerOn();
    await till.settled();
    await registered(till, returnOf("return-1", 3));
    expect(await noteOf(till, "return-1")).toContain("3 returned in all, 2 sold");
    expect(told).toHaveLength(1);
  });

  it("that a person settles is told of to the person", async () => {
    const { till } = await tillWithSale();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await till.submitAndWait(returnOf("return-1", 3));
    till.trial.device.powerOn();
    const { id } = await entryOf(till, "return-1");
    const text = await settled(till, "stopped", "settle", `${id}`, "--done", ...(await paperOf(till, 4)));
    expect(text).toContain("WARNING: it gives back more than sale entry 3 has sold");
    expect(await noteOf(till, "return-1")).toMatch(/^confirmed by the register; gives back more/);
  });

  it.each(["failing", "hanging"] as const)(
    "is registered all the same with the journal's reads %s, and the log says that nothing was compared",
    async (reads) => {
      const { till, told, unknown } = await tillWithSale();
      await registered(till, returnOf("return-1", 3));
      told.length = 0;
      const content = { ...(await entryOf(till, "return-1")), key: { ...(await entryOf(till, "return-1")).key, documentId: "return-2" } };
      const log: Log = { ...silentLog, warn: (_, text) => void unknown.push(text) };
      const { clock } = till.trial;
      const refusals = new RefusalBound({ clock, log, observe: () => {} });
      const services = { journal: till.journalWithReads(reads), clock, chance: sameChance, log, returnedMore: () => {}, refusals };
      const working = register(services, till.trial.register, content, undefined, { ...(await till.trial.state()), lastMove: 0 });
      await till.trial.later(1_000);
      expect((await working).state).toBe("done");
      expect(unknown).toEqual([expect.stringMatching(/^a return could not be compared with its sale/)]);
      expect(await noteOf(till, "return-2")).toBeUndefined();
    },
  );
});

function named(name: string, id: string): TradeOperation["positions"] {
  return saleOperation("any").positions.map((one) => ({ ...one, assortment: { name, id } }));
}
