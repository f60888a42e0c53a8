import { describe, expect, it } from "vitest";
import { errorOf, inDoubt, RUNNING } from "../../src/contracts/fiscal/failures.ts";
import { wallTimeAt } from "../../src/kernel/moment.ts";
import type { Operation } from "../../src/model/operation.ts";
import type { Submitted } from "../../src/operations/submission.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import { FAULT_NAMES, type FaultName, parseFault } from "../../src/registers/shtrih-m/device/machine/faults.ts";
import { sample } from "../support/extent.ts";
import { cashDocument } from "../support/register-documents.ts";
import { Trial, ZONE } from "../support/registers.ts";
import { type ShtrihBench, shtrihBench } from "../support/shtrih-m-bench.ts";
import { loseFirstLine } from "../support/shtrih-m-lost-line.ts";
import { cashOperation, saleOperation, shiftOperation, Till } from "../support/till.ts";

/** A device, its driver and a till, for answers with the numbers of the contract. */
class Shop {
  readonly trial: Trial<ShtrihBench>;
  readonly till: Till;

  private constructor(trial: Trial<ShtrihBench>, till: Till) {
    this.trial = trial;
    this.till = till;
  }

  static async open(): Promise<Shop> {
    const trial = await Trial.on((clock) => shtrihBench(clock));
    const shop = new Shop(trial, await Till.open({ trial }));
    expect(await shop.ask(shiftOperation("open-shift"))).toBe("200");
    return shop;
  }

  strike(spec: string): void {
    const parsed = parseFault(spec);
    if (parsed.kind === "invalid") throw new Error(parsed.problem);
    this.trial.bench.front.addFault(parsed.fault);
  }

  async ask(operation: Operation): Promise<string> {
    return seen(await this.trial.settled(this.till.submit(operation)));
  }

  /** Does what a person does at the register: restores power, paper and the right time. */
  async tend(): Promise<void> {
    const { front } = this.trial.bench;
    front.setPower(true);
    front.setPaper(true);
    await front.setClock(wallTimeAt(this.trial.clock.nowMs(), ZONE));
    await this.trial.later(2_000);
  }

  /** Repeats the operation until it is done, while a person helps at the register. Returns the bytes of the answer. */
  async insist(operation: Operation): Promise<string> {
    for (let time = 1; time <= MOST_REPEATS; time += 1) {
      const submitted = await this.trial.settled(this.till.submit(operation));
      if (submitted.kind === "done") return submitted.answer.toString();
      await this.tend();
    }
    throw new Error(`${operation.kind} is never done`);
  }

  /** The kinds of the drive's documents after its registration, and the sum in the drawer. */
  async made(): Promise<{ documents: string[]; drawerKopecks: number }> {
    const { front } = this.trial.bench;
    const stored = await front.documents();
    const documents = stored.map((one) => (one.kind === "fiscal" ? one.facts.document : one.kind));
    return { documents: documents.slice(1), drawerKopecks: front.state().drawerKopecks };
  }
}

/** The number of repeats within which a device that is silent for a minute can be reached again. */
const MOST_REPEATS = 15;

function seen(submitted: Submitted): string {
  switch (submitted.kind) {
    case "done":
      return "200";
    case "refused":
      return codeOf(errorOf(submitted.refusal));
    case "in-doubt":
      return codeOf(inDoubt(submitted.doubt));
    case "running":
      return codeOf(RUNNING);
    default:
      return submitted.kind;
  }
}

function codeOf({ status, code }: { status: number; code: number }): string {
  return `${status} ${code}`;
}

/** The fault, and the cashier's first answer. */
const SALES: [spec: string, first: string][] = [
  ["lose-request@8D", "503 50030"],
  ["lose-request@FF46", "503 50030"],
  ["lose-request@FF45", "424 50020"],
  ["lose-answer@8D", "503 50030"],
  ["lose-answer@FF46", "503 50030"],
  ["lose-answer@FF45", "200"],
  ["garble-answer@FF46", "200"],
  ["garble-answer@FF45", "200"],
  ["nak@FF45", "200"],
  ["silent@FF45=5000", "200"],
  ["silent@FF45=60000", "409 50003"],
  ["busy@FF46=700", "200"],
  ["busy@FF45=700", "200"],
  ["paper-out@8D", "424 50020"],
  ["paper-out@FF45", "200"],
  ["power-cut-before@FF46=1000", "503 50030"],
  ["power-cut-before@FF45=1000", "424 50020"],
  ["power-cut-before@FF45", "409 50004"],
  ["power-cut-after@FF45=1000", "200"],
  ["power-cut-after@FF45", "409 50004"],
  ["byte-by-byte#*", "200"],
  ["glue#*", "200"],
  ["noise#*", "200"],
  ["drive-full@FF45", "424 51041"],
  ["clock-jump@8D=180000", "200"],
  ["clock-jump@8D=-3600000", "424 50020"],
];

describe("a sale at a device with a fault", () => {
  it.each(sample(SALES, 8))("is made once, and the till is told what it can act on: %s, %s", async (spec, first) => {
    const shop = await Shop.open();
    shop.strike(spec);
    const sale = saleOperation("sale-1");
    expect(await shop.ask(sale)).toBe(first);
    const answer = await shop.insist(sale);
    expect(await shop.insist(sale)).toBe(answer);
    expect(await shop.made()).toEqual({ documents: ["open-shift", "receipt"], drawerKopecks: 10_980 });
    expect(await shop.till.states()).toEqual(["open-shift done", "sale done"]);
  });

  it("that does not take the closing command at all registers nothing, and is made once when it does again", async () => {
    const shop = await Shop.open();
    for (let nth = 1; nth <= 6; nth += 1) shop.strike(`nak@FF45#${nth}`);
    const sale = saleOperation("sale-1");
    expect(await shop.ask(sale)).toBe("424 50020");
    await shop.insist(sale);
    expect((await shop.made()).documents).toEqual(["open-shift", "receipt"]);
  });

  it("that has lost a position is never done: another sum stands in the drive, and that is for a person", async () => {
    const shop = await Shop.open();
    loseFirstLine(shop.trial.bench.device);
    const { positions, payments, ...sale } = saleOperation("sale-1");
    const two = { ...sale, positions: [...positions, ...positions], payments: { ...payments, cashKopecks: 2 * payments.cashKopecks } };
    expect(await shop.ask(two)).toBe("409 50004");
    expect(await shop.ask(two)).toBe("409 50004");
    expect((await shop.made()).documents).toEqual(["open-shift", "receipt"]);
    expect((await shop.till.journal.unfinished())[0]?.doubt?.code).toMatch(/^(registered-with-other-sum|sum-differs)$/);
  });

  it("that says its shift is too old is refused, and made once in the next shift", async () => {
    const shop = await Shop.open();
    shop.strike("shift-expired@8D");
    expect(await shop.ask(saleOperation("sale-1"))).toBe("412 51002");
    await shop.insist(shiftOperation("close-shift"));
    const next = { id: "shift-2", idType: "native" as const };
    await shop.insist(shiftOperation("open-shift", { shift: next, document: next, name: "00002" }));
    await shop.insist(saleOperation("sale-1", { shift: next }));
    expect((await shop.made()).documents).toEqual(["open-shift", "close-shift", "open-shift", "receipt"]);
  });

  it("whose clock falls back behind it is a person's while the clock is wrong, and settled by itself once it is right", async () => {
    const shop = await Shop.open();
    await shop.trial.later(3_600_000);
    shop.strike("power-cut-after@FF45");
    const sale = saleOperation("sale-1");
    expect(await shop.ask(sale)).toBe("409 50004");
    const { front } = shop.trial.bench;
    front.setPower(true);
    await front.setClock("2026-11-13 09:00:00");
    expect(await shop.ask(sale)).toBe("409 50004");
    expect((await shop.till.journal.unfinished())[0]?.doubt?.code).toBe("time-differs");
    await shop.tend();
    // The driver reads the device's clock once in a minute and computes the time in between.
    await shop.trial.later(60_000);
    await shop.insist(sale);
    expect((await shop.made()).documents).toEqual(["open-shift", "receipt"]);
  });
});

/** Faults of other documents, at the commands that register them. */
const OTHERS: [spec: string, kind: "open-shift" | "close-shift" | "cash-in" | "cash-out", first: string][] = [
  ["lose-request@41", "close-shift", "424 50020"],
  ["lose-answer@41", "close-shift", "200"],
  ["power-cut-before@41", "close-shift", "409 50004"],
  ["power-cut-after@41", "close-shift", "409 50004"],
  ["paper-out@41", "close-shift", "200"],
  ["lose-request@50", "cash-in", "424 50020"],
  ["lose-answer@50", "cash-in", "200"],
  ["power-cut-before@50", "cash-in", "409 50004"],
  ["power-cut-after@50", "cash-in", "409 50004"],
  ["lose-answer@51", "cash-out", "200"],
  ["power-cut-after@51", "cash-out", "409 50004"],
];

describe("another document at a device with a fault", () => {
  it.each(sample(OTHERS, 6))("is made once, and the till is told what it can act on: %s, %s, %s", async (spec, kind, first) => {
    const shop = await Shop.open();
    await shop.insist(cashOperation("cash-in", "float", 100_000));
    shop.strike(spec);
    const operation = kind === "cash-in" || kind === "cash-out" ? cashOperation(kind, "cash-1", 30_000) : shiftOperation("close-shift");
    expect(await shop.ask(operation)).toBe(first);
    const answer = await shop.insist(operation);
    expect(await shop.insist(operation)).toBe(answer);
    expect(await shop.made()).toEqual({
      documents: kind === "close-shift" ? ["open-shift", "close-shift"] : ["open-shift"],
      drawerKopecks: { "cash-in": 130_000, "cash-out": 70_000, "open-shift": 100_000, "close-shift": 100_000 }[kind],
    });
  });

  it.each(["lose-request@E0", "lose-answer@E0", "power-cut-before@E0", "power-cut-after@E0"])(
    "opens one shift, whatever befalls the opening: %s",
    async (spec) => {
      const shop = await Shop.open();
      await shop.insist(shiftOperation("close-shift"));
      shop.strike(spec);
      const next = { id: "shift-2", idType: "native" as const };
      const opening = shiftOperation("open-shift", { shift: next, document: next, name: "00002" });
      await shop.ask(opening);
      const answer = await shop.insist(opening);
      expect(await shop.insist(opening)).toBe(answer);
      expect((await shop.made()).documents).toEqual(["open-shift", "close-shift", "open-shift"]);
    },
  );
});

describe("cash that somebody puts in at the device just before", () => {
  it("is not taken for the till's own when that is lost: it is refused before it is sent, and made once on repeat", async () => {
    const shop = await Shop.open();
    await shop.insist(saleOperation("sale-1"));
    const { device } = shop.trial.bench;
    const hand = new EmulatorRegister(shop.trial.clock, async () => ({ device, close: async () => {} }));
    expect((await hand.perform(cashDocument("cash-in", 30_000), shop.trial.deadline)).kind).toBe("done");
    shop.strike("power-cut-before@50=1000");
    const cash = cashOperation("cash-in", "cash-1", 30_000);
    expect(await shop.ask(cash)).toBe("424 50020");
    await shop.insist(cash);
    expect(await shop.made()).toEqual({ documents: ["open-shift", "receipt"], drawerKopecks: 10_980 + 30_000 + 30_000 });
  });
});

describe("the faults of the device", () => {
  it("all strike a sale in these tests", () => {
    const struck = new Set([...SALES.map(([spec]) => /^[a-z-]+/.exec(spec)?.[0]), "shift-expired"]);
    expect(FAULT_NAMES.filter((name: FaultName) => !struck.has(name))).toEqual([]);
  });
});
