import { sql } from "kysely";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { AlertKind } from "../../src/alerts/condition.ts";
import { type ConditionSources, findConditions, MAX_OF_KIND } from "../../src/alerts/conditions.ts";
import { seenRegisters } from "../../src/app/seen-registers.ts";
import { Journal } from "../../src/journal/journal.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import type { RegisterProtocol } from "../../src/registers/protocol.ts";
import { Rack } from "../../src/registers/rack.ts";
import type { Store } from "../../src/store/database.ts";
import { AlertDesk } from "../support/alert-desk.ts";
import { type AlertReceiver, alertReceiver, mailServer, type TestMailServer } from "../support/alert-takers.ts";
import { MemoryPort } from "../support/memory-link.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { PaymentBench } from "../support/payment-bench.ts";
import { shiftDocument } from "../support/register-documents.ts";
import { DAY_MS, MORNING_MS, once, sameChance } from "../support/registers.ts";
import { shtrihDevice, shtrihDriver } from "../support/shtrih-m-bench.ts";
import { saleOperation, Till } from "../support/till.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const MINUTE_MS = 60_000;
const OWNER = "owner@shop.example";

let receiver: AlertReceiver;
let mail: TestMailServer;

beforeEach(async () => {
  [receiver, mail] = await Promise.all([alertReceiver(), mailServer()]);
});

/** A process that sends alerts about the conditions of these sources: by https to the operator, by e-mail to the owner. */
function deskOf(clock: VirtualClock, store: Store, sources: Partial<ConditionSources> = {}): AlertDesk {
  const all = { store, clock, journal: new Journal({ store, clock }), registers: () => [], ...sources };
  const channel = `${receiver.address},smtp://${mail.host}?from=alerts@server.example`;
  return new AlertDesk({ store, clock, channel, email: OWNER, find: () => findConditions(all) });
}

/** The messages of a kind to the operator and to the owner. */
function toldOf(kind: AlertKind): { operator: unknown[]; owner: string[] } {
  const operator = receiver.taken.filter((one) => one.kind === kind);
  const titles = new Set(operator.map(({ text }) => String(text).split("\n")[0]));
  return {
    operator: operator.map(({ state }) => state),
    owner: mail.letters
      .filter(({ subject }) => titles.has(subject))
      .map(({ recipients: [to], subject }) => `${to} ${subject.split(":")[0]}`),
  };
}

/** Expects messages about the beginning, or about the beginning and the end, to everybody. */
function expectTold(kind: AlertKind, title: string, states: readonly ("begins" | "ends")[]): void {
  const owner = states.map((state) => `${OWNER} ${state === "begins" ? title : "Закончилось"}`);
  expect(toldOf(kind)).toEqual({ operator: states, owner });
}

describe("an operation whose end is unknown", () => {
  it("is told of when the server's time for it is over, and again when it is known", async () => {
    const till = await Till.open();
    const desk = deskOf(till.trial.clock, till.store);
    await till.openShift();
    till.trial.inject({ before: once("receipt", { kind: "power-cut" as const }) });
    await till.submitAndWait(saleOperation("sale-2"));
    await desk.alerts.look();
    expect(receiver.taken).toEqual([]);
    await till.trial.later(MINUTE_MS);
    await desk.alerts.look();
    expectTold("doubt", "Неизвестно, пробит ли документ", ["begins"]);
    expectTold("lane-stopped", "Касса остановилась", ["begins"]);
    const [entry] = await till.journal.unfinished();
    expect(receiver.taken.find(({ kind }) => kind === "doubt")).toMatchObject({
      account: "account",
      store: entry?.operation.storeId,
      register: entry?.register,
    });
    till.trial.device.powerOn();
    await till.killAndRestart();
    expect(await till.journal.unfinished()).toEqual([]);
    await desk.alerts.look();
    expectTold("doubt", "Неизвестно, пробит ли документ", ["begins", "ends"]);
    expectTold("lane-stopped", "Касса остановилась", ["begins", "ends"]);
  });
});

/** A device on a line, and a server's rack that inspects it. */
async function ward() {
  const clock = new VirtualClock(MORNING_MS);
  const store = await openMemoryStore();
  onTestFinished(() => store.close());
  const { device, front } = await shtrihDevice(clock);
  const port = new MemoryPort({ clock }, (far) => void front.serve(far));
  const address = {
    ...{ canonical: "bench:one", settings: "", emulated: false, anyDrive: false, lineSums: "within-kopeck" as const },
    ...{
      limitOf: () => undefined,
      open: () => shtrihDriver(clock, port.link()),
      examine: async () => ({ kind: "unreachable", reason: "" }) as const,
    },
  };
  const protocol: RegisterProtocol = { schemes: ["bench"], form: "", forms: [], parse: () => ({ kind: "address", address }) };
  const rack = new Rack({ clock, chance: sameChance, dataDir: "nowhere", note() {} }, [protocol]);
  const registers = () => seenRegisters(rack.seen(), clock.nowMs());
  const newest = { key: { appId: "app", accountId: "account" }, operation: { storeId: "store-7" } };
  const journal = { heads: { unfinished: async () => [] }, lastDone: async () => newest as never };
  /** The server asks the register, as for any operation, and then checks the conditions. */
  const asked = async (desk: AlertDesk) => {
    const inspected = rack.at("bench:one", "Europe/Moscow", true).inspect(deadlineIn(clock, MINUTE_MS));
    let ended = false;
    void inspected.finally(() => {
      ended = true;
    });
    for (let turn = 0; !ended; turn += 1) await clock.advance(turn < 50 ? 0 : 10);
    await inspected;
    await desk.alerts.look();
  };
  return {
    clock,
    device,
    desk: deskOf(clock, store, { journal, registers }),
    another: () => deskOf(clock, store, { journal, registers: () => [] }),
    asked,
  };
}

describe("a register", () => {
  it("whose drive has 30 days left, and then 3, is told of once each, and when another drive is in", async () => {
    const { device, desk, asked } = await ward();
    device.setFaults({ keyDays: () => 40 });
    await asked(desk);
    expect(receiver.taken).toEqual([]);
    for (const days of [29, 28, 7]) {
      device.setFaults({ keyDays: () => days });
      await asked(desk);
    }
    expectTold("drive-30-days", "Фискальный накопитель закончится меньше чем через 30 дней", ["begins"]);
    expect(receiver.taken).toMatchObject([{ kind: "drive-30-days", store: "store-7", register: "bench:one" }]);
    for (const days of [2, 1]) {
      device.setFaults({ keyDays: () => days });
      await asked(desk);
    }
    expectTold("drive-3-days", "Фискальный накопитель закончится меньше чем через 3 дня", ["begins"]);
    device.setFaults({ keyDays: () => 400 });
    await asked(desk);
    expectTold("drive-30-days", "Фискальный накопитель закончится меньше чем через 30 дней", ["begins", "ends"]);
    expectTold("drive-3-days", "Фискальный накопитель закончится меньше чем через 3 дня", ["begins", "ends"]);
  });

  it("whose documents do not reach the operator is told of, and not as over after a start that has asked nothing", async () => {
    const { clock, device, desk, another, asked } = await ward();
    device.setFaults({ operatorDelayMs: () => Number.POSITIVE_INFINITY });
    await device.make(shiftDocument("open-shift"));
    await clock.advance(2 * DAY_MS);
    await asked(desk);
    expect(toldOf("operator-queue").operator).toEqual([]);
    await clock.advance(2 * DAY_MS);
    await asked(desk);
    expectTold("operator-queue", "Чеки не доходят до ОФД", ["begins"]);
    await another().alerts.look();
    expect(toldOf("operator-queue").operator).toEqual(["begins"]);
    device.setFaults({ operatorDelayMs: () => 0 });
    await clock.advance(DAY_MS);
    await asked(desk);
    expectTold("operator-queue", "Чеки не доходят до ОФД", ["begins", "ends"]);
  });
});

describe("more registers than a look takes up", () => {
  it("are not told as over because they were left out", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const store = await openMemoryStore();
    onTestFinished(() => store.close());
    const registers = Array.from({ length: 2 * MAX_OF_KIND }, (_, index) => ({
      register: `bench:${index}`,
      reserves: { keyDays: index === 0 ? 400 : 1 },
    }));
    const journal = { heads: { unfinished: async () => [] }, lastDone: async () => undefined };
    const found = await findConditions({ store, clock, journal, registers: () => registers });
    const last = `bench:${2 * MAX_OF_KIND - 1}`;
    expect(found.standing.some(({ subject }) => subject === last)).toBe(false);
    expect([found.canTell("drive-3-days", last), found.canTell("drive-3-days", "bench:0")]).toEqual([false, true]);
  });
});

async function planOf(store: Store, query: string): Promise<string> {
  const { rows } = await store.read((db) => sql<{ detail: string }>`explain query plan ${sql.raw(query)}`.execute(db));
  return rows.map(({ detail }) => detail).join("\n");
}

describe("money", () => {
  let bench: PaymentBench;
  let desk: AlertDesk;

  beforeEach(async () => {
    bench = await PaymentBench.open({ laterStepMs: 30_000 });
    onTestFinished(() => bench.close());
    desk = deskOf(bench.clock, bench.store);
  });

  it("that came late is told of until it has gone back", async () => {
    const amountKopecks = 25_908;
    bench.settings = { ...bench.settings, lateMoney: "person" };
    await bench.create({ amountKopecks });
    await desk.alerts.look();
    await bench.follow(15 * MINUTE_MS);
    await desk.alerts.look();
    expectTold("late-money", "Деньги пришли после отказа", ["begins"]);
    const { payment } = await bench.stored();
    expect(receiver.taken).toMatchObject([{ store: payment.storeId, account: payment.accountId, text: expect.stringContaining("259.08") }]);
    await bench.store.commit((tx) => tx.updateTable("payments").set({ refunded_kopecks: amountKopecks }).execute());
    await desk.alerts.look();
    expectTold("late-money", "Деньги пришли после отказа", ["begins", "ends"]);
  });

  it("without a sale is told of half an hour later, until the sale is seen", async () => {
    await bench.create();
    await bench.follow(3_000);
    await bench.state();
    await bench.sales.look();
    await desk.alerts.look();
    expect(receiver.taken).toEqual([]);
    await bench.clock.advance(31 * MINUTE_MS);
    await bench.sales.look();
    await desk.alerts.look();
    expectTold("paid-without-receipt", "Оплачено, а чека нет", ["begins"]);
    await bench.sell({ qrKopecks: 25_920 });
    await bench.sales.look();
    await desk.alerts.look();
    expectTold("paid-without-receipt", "Оплачено, а чека нет", ["begins", "ends"]);
  });

  it("of which the bank says nothing clear is told of, until it is clear", async () => {
    await bench.create();
    const unclear = { state: "unknown", doubt: "unlisted", moved_at_ms: bench.clock.nowMs() } as const;
    await bench.store.commit((tx) => tx.updateTable("payments").set(unclear).execute());
    await desk.alerts.look();
    expectTold("payment-doubt", "Неизвестно, оплачено ли", ["begins"]);
    await bench.store.commit((tx) => tx.updateTable("payments").set({ state: "declined", doubt: null }).execute());
    await desk.alerts.look();
    expectTold("payment-doubt", "Неизвестно, оплачено ли", ["begins", "ends"]);
  });

  it("whose bank has only not answered yet is the server's own work at first", async () => {
    await bench.create();
    const lost = { state: "unknown", doubt: "lost", moved_at_ms: bench.clock.nowMs() } as const;
    await bench.store.commit((tx) => tx.updateTable("payments").set(lost).execute());
    await desk.alerts.look();
    expect(receiver.taken).toEqual([]);
    await bench.clock.advance(15 * MINUTE_MS);
    await desk.alerts.look();
    expectTold("payment-doubt", "Неизвестно, оплачено ли", ["begins"]);
  });

  it("of more payments than a look takes up is never told as over because it was left out", async () => {
    await bench.create();
    const [row] = await bench.store.read((db) => db.selectFrom("payments").selectAll().execute());
    if (row === undefined) throw new Error("no payment");
    const unclear = Array.from({ length: MAX_OF_KIND + 1 }, (_, index) => ({
      ...row,
      id: `payment-${index}`,
      operation_id: `unclear-${index}`,
      created_at_ms: row.created_at_ms + index,
      state: "unknown",
      doubt: "unlisted",
    }));
    await bench.store.commit((tx) => tx.insertInto("payments").values(unclear).execute());
    const journal = new Journal({ store: bench.store, clock: bench.clock });
    const found = await findConditions({ store: bench.store, clock: bench.clock, journal, registers: () => [] });
    expect(found.standing).toHaveLength(MAX_OF_KIND);
    expect(found.standing.some(({ subject }) => subject === "payment-0")).toBe(false);
    expect([found.canTell("payment-doubt", "payment-0"), found.canTell("late-money", "payment-0")]).toEqual([false, true]);
  });

  it("of more payments than a look takes up is not told as over because newer ones are the server's own work", async () => {
    await bench.create();
    const [row] = await bench.store.read((db) => db.selectFrom("payments").selectAll().execute());
    if (row === undefined) throw new Error("no payment");
    const payments = Array.from({ length: MAX_OF_KIND + 2 }, (_, index) => ({
      ...row,
      id: `payment-${index}`,
      operation_id: `unclear-${index}`,
      created_at_ms: row.created_at_ms + index,
      moved_at_ms: bench.clock.nowMs(),
      state: "unknown",
      doubt: index > MAX_OF_KIND ? "lost" : "unlisted",
    }));
    await bench.store.commit((tx) => tx.insertInto("payments").values(payments).execute());
    const journal = new Journal({ store: bench.store, clock: bench.clock });
    const found = await findConditions({ store: bench.store, clock: bench.clock, journal, registers: () => [] });
    expect(found.standing).toHaveLength(MAX_OF_KIND);
    expect(found.canTell("payment-doubt", "payment-0")).toBe(false);
  });

  it("is looked for by its indexes, however many payments there are", async () => {
    for (const condition of ["late_kopecks > refunded_kopecks", "state = 'unknown'"]) {
      const query = `select * from payments where ${condition} order by created_at_ms desc, id desc limit 100`;
      const plan = await planOf(bench.store, query);
      expect(plan).toMatch(/payments_(late|unknown)/);
      expect(plan).not.toMatch(/TEMP B-TREE/);
    }
  });
});
