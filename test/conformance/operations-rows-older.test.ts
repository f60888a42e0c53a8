import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { pause } from "../../src/kernel/clock.ts";
import type { Operation } from "../../src/model/operation.ts";
import { READ_IN_A_TURN_MS } from "../../src/operations/reading-bounds.ts";
import type { Register } from "../../src/registers/register.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { SHIFT, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const NEXT = { id: "shift-2", idType: "native" as const };
const CLOSING = shiftOperation("close-shift", { moment: "2026-11-13 20:00:00" });
const NEXT_OPENING = shiftOperation("open-shift", { shift: NEXT, document: NEXT, name: "00002", moment: "2026-11-13 20:30:00" });
const NEXT_CLOSING = shiftOperation("close-shift", { shift: NEXT, document: NEXT, name: "00002", moment: "2026-11-13 22:30:00" });

/** A shop whose register may be slow to give documents, or gives some of them only after several requests. */
class Shop {
  readonly till: Till;
  readonly #line: { takesMs: number; busy: Map<number, number>; asked: number[] };

  private constructor(till: Till, line: Shop["slowness"]) {
    this.till = till;
    this.#line = line;
  }

  static async open(): Promise<Shop> {
    const trial = await Trial.begin(SCHEMES[0] ?? "");
    const slowness: Shop["slowness"] = { takesMs: 0, busy: new Map(), asked: [] };
    const line = (register: Register): Register => ({
      identity: (deadline) => register.identity(deadline),
      inspect: (deadline) => register.inspect(deadline),
      perform: (document, deadline) => register.perform(document, deadline),
      async lookUp(number) {
        slowness.asked.push(number);
        await pause(trial.clock, slowness.takesMs);
        const left = slowness.busy.get(number) ?? 0;
        slowness.busy.set(number, Math.max(0, left - 1));
        return left > 0 ? { kind: "unreachable", reason: "занята" } : register.lookUp(number, trial.deadline);
      },
      abandon: (deadline) => register.abandon(deadline),
      close: () => register.close(),
    });
    return new Shop(await Till.open({ trial, line }), slowness);
  }

  get slowness(): { takesMs: number; busy: Map<number, number>; asked: number[] } {
    return this.#line;
  }

  async ask(operation: Operation): Promise<string> {
    return textOf(await this.till.submitAndWait(operation))
      .split(" ")
      .slice(0, 2)
      .join(" ");
  }

  async sell(...ids: string[]): Promise<string[]> {
    const answers: string[] = [];
    for (const id of ids) answers.push(await this.ask(saleOperation(id)));
    return answers;
  }

  /** Makes a document that is not the server's. The next turn stores how far it has read. */
  async byHand(): Promise<void> {
    await this.till.trial.perform(receiptDocument());
  }

  /** Deletes rows while no server runs. `alone`: as a program does that enforces no foreign keys, so the moves are left. */
  async lose(how: "alone" | "whole", ...operations: Operation[]): Promise<void> {
    const { store } = this.till;
    await sql`pragma foreign_keys = off`.execute(store.db);
    for (const { kind, document } of operations) {
      const entry = sql`(select id from entries where document_id = ${document.id} and operation = ${kind})`;
      const tables = how === "whole" ? ["answers", "day_answers", "moves"] : [];
      for (const table of tables) await sql`delete from ${sql.table(table)} where entry_id in ${entry}`.execute(store.db);
      await sql`delete from entries where document_id = ${document.id} and operation = ${kind}`.execute(store.db);
    }
    await sql`pragma foreign_keys = on`.execute(store.db);
    await this.till.killAndRestart({ recovers: false });
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) await this.till.trial.later(1_000);
  }

  /** Repeats the operation in turns that can read one document each. */
  async repeatSlowly(operation: Operation, turns: number): Promise<void> {
    this.slowness.takesMs = READ_IN_A_TURN_MS;
    for (let turn = 0; turn < turns; turn += 1) {
      void this.till.submit(operation);
      await this.till.trial.later(4 * READ_IN_A_TURN_MS);
    }
    this.slowness.takesMs = 0;
    await this.till.settled();
  }
}

describe("a document whose entry was deleted, and is older than all that the journal has left", () => {
  const OPENING = shiftOperation("open-shift");
  const [third, fourth] = [saleOperation("s-3"), saleOperation("s-4")];

  async function withOlderLost(): Promise<Shop> {
    const shop = await Shop.open();
    await shop.till.openShift();
    await shop.sell("s-3", "s-4", "s-5");
    await shop.byHand();
    expect(await shop.sell("s-7")).toEqual(["receipt 7"]);
    await shop.lose("alone", OPENING, third, fourth);
    return shop;
  }

  it("is waited for where the register does not give it at once, after a further start too", async () => {
    const shop = await withOlderLost();
    shop.slowness.busy.set(4, 2);
    expect(await shop.sell("s-4")).toEqual(["register-unreachable"]);
    await shop.till.killAndRestart({ recovers: false });
    expect(await shop.sell("s-4", "s-4", "s-3")).toEqual(["register-unreachable", "receipt 4", "receipt 3"]);
    expect(await shop.till.documents()).toBe(7);
  });

  it("is waited for until one of several turns has read it", async () => {
    const shop = await withOlderLost();
    await shop.repeatSlowly(fourth, 4);
    expect(await shop.sell("s-4", "s-3")).toEqual(["receipt 4", "receipt 3"]);
    expect(await shop.till.documents()).toBe(7);
  });

  it("is waited for where the journal has no document of the drive any more", async () => {
    const shop = await Shop.open();
    await shop.till.openShift();
    await shop.sell("s-3", "s-4");
    await shop.lose("alone", OPENING, third, fourth);
    shop.slowness.busy.set(4, 4);
    expect(await shop.sell("s-4", "s-4", "s-3")).toEqual(["register-unreachable", "receipt 4", "receipt 3"]);
    expect(await shop.till.documents()).toBe(4);
  });
});

describe("while documents that the journal lost are unread", () => {
  const sales = ["s-3", "s-4", "s-7"].map((id) => saleOperation(id, { shift: id === "s-7" ? NEXT : SHIFT }));

  async function withLostShifts(): Promise<{ shop: Shop; documents: number }> {
    const shop = await Shop.open();
    await shop.till.openShift();
    expect(await shop.sell("s-3", "s-4")).toEqual(["receipt 3", "receipt 4"]);
    expect(await shop.ask(CLOSING)).toBe("close-shift 5");
    expect(await shop.ask(NEXT_OPENING)).toBe("open-shift 6");
    for (const [id, number] of [
      ["s-7", 7],
      ["s-9", 9],
      ["s-11", 11],
    ] as const) {
      expect(await shop.ask(saleOperation(id, { shift: NEXT }))).toBe(`receipt ${number}`);
      if (number < 11) await shop.byHand();
    }
    expect(await shop.ask(NEXT_CLOSING)).toBe("close-shift 12");
    await shop.lose("whole", ...sales, CLOSING, NEXT_OPENING);
    return { shop, documents: 12 };
  }

  it("a repeated opening opens no second shift", async () => {
    const { shop, documents } = await withLostShifts();
    await shop.repeatSlowly(NEXT_OPENING, 2);
    expect(await shop.till.documents()).toBe(documents);
    expect(await shop.ask(NEXT_OPENING)).toBe("open-shift 6");
    expect(await shop.till.documents()).toBe(documents);
  });

  it("nor does it where the register does not give the opening at once", async () => {
    const { shop, documents } = await withLostShifts();
    shop.slowness.busy.set(6, 1);
    expect(await shop.ask(NEXT_OPENING)).toBe("register-unreachable");
    expect(await shop.ask(NEXT_OPENING)).toBe("open-shift 6");
    expect(await shop.till.documents()).toBe(documents);
  });

  it("a repeated closing is not told that the shift is closed", async () => {
    const { shop, documents } = await withLostShifts();
    shop.slowness.busy.set(5, 1);
    expect(await shop.ask(CLOSING)).toBe("register-unreachable");
    expect(await shop.ask(CLOSING)).toBe("close-shift 5");
    expect(await shop.till.documents()).toBe(documents);
  });

  it("a new shift is opened after five turns, where the register never gives one of them", async () => {
    const { shop, documents } = await withLostShifts();
    shop.slowness.busy.set(4, 1_000);
    const third = { id: "shift-3", idType: "native" as const };
    const opening = shiftOperation("open-shift", { shift: third, document: third, name: "00003", moment: "2026-11-13 23:00:00" });
    const answers: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) answers.push(await shop.ask(opening));
    expect(answers).toEqual([...Array.from({ length: 5 }, () => "register-unreachable"), `open-shift ${documents + 1}`]);
  });
});

describe("a server that stops while it reads lost documents", () => {
  it("leaves the rest to the next start, in the turns that wait too", async () => {
    const shop = await Shop.open();
    await shop.till.openShift();
    const lost = Array.from({ length: 20 }, (_, at) => saleOperation(`s-${3 + at}`));
    for (const sale of [...lost, saleOperation("s-23")]) await shop.till.trial.settled(shop.till.submit(sale));
    await shop.byHand();
    expect(await shop.sell("s-25")).toEqual(["receipt 25"]);
    await shop.lose("whole", ...lost);
    shop.slowness.takesMs = 10_000;
    for (const sale of lost.slice(-3)) void shop.till.submit(sale);
    await shop.pass(25);
    shop.till.lanes.stop();
    let idle = false;
    void shop.till.lanes.idle().then(() => {
      idle = true;
    });
    // The document that is being read, and one in each of the two turns that wait.
    await shop.pass(30);
    expect(idle).toBe(true);
    shop.slowness.takesMs = 0;
    await shop.till.killAndRestart({ recovers: false });
    expect(await shop.sell("s-21")).toEqual(["receipt 21"]);
    expect(await shop.till.documents()).toBe(25);
  });
});

describe("a process that dies while it reads lost documents", () => {
  it("loses no more than the last fifty of them", async () => {
    const shop = await Shop.open();
    await shop.till.openShift();
    const lost = Array.from({ length: 60 }, (_, at) => saleOperation(`s-${3 + at}`));
    for (const sale of [...lost, saleOperation("s-63")]) await shop.till.trial.settled(shop.till.submit(sale));
    await shop.byHand();
    expect(await shop.sell("s-65")).toEqual(["receipt 65"]);
    await shop.lose("whole", ...lost);
    shop.slowness.takesMs = 1_000;
    void shop.till.submit(saleOperation("s-30"));
    await shop.pass(56);
    shop.slowness.takesMs = 0;
    shop.slowness.asked.length = 0;
    await shop.till.killAndRestart({ recovers: false });
    expect(await shop.sell("s-30", "s-62")).toEqual(["receipt 30", "receipt 62"]);
    expect(shop.slowness.asked.filter((number) => number < 53 && number !== 30)).toEqual([]);
    expect(await shop.till.documents()).toBe(65);
  });
});
