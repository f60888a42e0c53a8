import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { type Log, silentLog } from "../../src/kernel/log.ts";
import type { Operation } from "../../src/model/operation.ts";
import { REFUSAL_LIMITS, type RefusalLimits } from "../../src/operations/refusal-bound.ts";
import { once } from "../support/registers.ts";
import { journal, settled } from "../support/settle-command.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const MINUTE_MS = 60_000;
/** The limits are small, so that a test exceeds them in milliseconds. */
const LIMITS: RefusalLimits = {
  writtenPerAccount: { most: 6, refillMs: MINUTE_MS, names: 10 },
  sentInVain: { most: 4, refillMs: MINUTE_MS, names: 10 },
  sentInVainOfOne: { most: 4, refillMs: MINUTE_MS, names: 10 },
  heldBack: REFUSAL_LIMITS.heldBack,
};

interface Line {
  fields: unknown;
  text: string;
}

async function tillOf(): Promise<{ till: Till; lines: Line[] }> {
  const lines: Line[] = [];
  const log: Log = { ...silentLog, warn: (fields: unknown, text: string) => void lines.push({ fields, text }) } as Log;
  return { till: await Till.open({ refusals: LIMITS, log }), lines };
}

/** Submits an operation without letting time pass, because the allowance of an account grows with time. */
async function told(till: Till, operation: Operation, accountId = "account"): Promise<string> {
  return textOf(await till.trial.settled(till.submit(operation, undefined, { accountId })));
}

async function rows(till: Till, table: "entries" | "moves"): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(till.store.db);
  return rows[0]?.count ?? 0;
}

describe("operations that are refused before anything is sent", () => {
  const KINDS: [string, (nth: number) => Operation][] = [
    ["sales of ever new documents", (nth) => saleOperation(`sale-${nth}`)],
    ["one sale, repeated", () => saleOperation("sale")],
    ["returns", (nth) => ({ ...saleOperation(`return-${nth}`), kind: "sales-return" })],
    ["cash", (nth) => cashOperation(nth % 2 === 0 ? "cash-in" : "cash-out", `cash-${nth}`, 100)],
    ["closings", (nth) => shiftOperation("close-shift", { shift: { id: `shift-${nth}`, idType: "native" }, name: `${nth}` })],
  ];

  it.each(KINDS)("leave no more in the journal than the account's bound, and are answered as ever: %s", async (_what, operation) => {
    const { till, lines } = await tillOf();
    for (let nth = 0; nth < 40; nth += 1) expect(await told(till, operation(nth))).toBe("shift-closed");
    expect(await rows(till, "entries")).toBeLessThanOrEqual(LIMITS.writtenPerAccount.most);
    expect(await rows(till, "moves")).toBe(2 * LIMITS.writtenPerAccount.most);
    expect(till.beyondBound).toEqual(Array.from({ length: 34 }, () => "not-written"));
    expect(lines.map(({ text }) => text)).toEqual([expect.stringMatching(/too many refused operations/)]);
    expect(await told(till, shiftOperation("open-shift"))).toMatch(/^open-shift 2/);
    expect(await told(till, saleOperation("sale-39"))).toMatch(/^receipt 3/);
    expect(await told(till, saleOperation("sale-39"))).toMatch(/^receipt 3/);
    expect((await till.journal.list({ state: "done", limit: 9 })).map(({ key }) => key.operation)).toContain("sale");
  });

  it("are written again as time goes by, one a minute, and each account has a bound of its own", async () => {
    const { till, lines } = await tillOf();
    for (let nth = 0; nth < 10; nth += 1) await told(till, saleOperation(`sale-${nth}`));
    await told(till, saleOperation("sale"), "another");
    expect(await rows(till, "entries")).toBe(7);
    await till.trial.later(3 * MINUTE_MS);
    for (let nth = 10; nth < 20; nth += 1) await told(till, saleOperation(`sale-${nth}`));
    expect(await rows(till, "entries")).toBe(10);
    expect(lines).toHaveLength(1);
    await till.trial.later(60 * MINUTE_MS);
    for (let nth = 20; nth < 30; nth += 1) await told(till, saleOperation(`sale-${nth}`));
    expect(lines.map(({ fields }) => fields)).toEqual([{ accountId: "account" }, { accountId: "account", sinceLastLine: 10 }]);
  });

  it("are not written while they wait either, and lose nothing by it when the server dies", async () => {
    const { till } = await tillOf();
    for (let nth = 0; nth < 6; nth += 1) await told(till, saleOperation(`sale-${nth}`));
    await told(till, shiftOperation("open-shift"));
    till.trial.inject({ before: once("receipt", { kind: "wait", forMs: 5_000 }) });
    const [first, second] = [till.submit(saleOperation("first")), till.submit(saleOperation("second"))];
    await till.trial.later(1_000);
    expect(await till.states()).not.toContain("sale queued");
    await till.killAndRestart();
    await Promise.race([first, second, Promise.resolve()]);
    expect(await told(till, saleOperation("first"))).toMatch(/^receipt 3/);
    expect(await told(till, saleOperation("second"))).toMatch(/^receipt 4/);
  });
});

describe("operations that the register refuses once they are sent", () => {
  const beyondTheDrawer = (nth: number) => cashOperation("cash-out", `out-${nth}`, 1_000_000);

  it("are held back once there are too many, one a minute goes on, and no other kind waits for them", async () => {
    const { till, lines } = await tillOf();
    await told(till, shiftOperation("open-shift"));
    const texts: string[] = [];
    for (let nth = 0; nth < 30; nth += 1) texts.push(await told(till, beyondTheDrawer(nth)));
    expect(texts).toEqual([...Array.from({ length: 4 }, () => "cash-short"), ...Array.from({ length: 26 }, () => "refused-too-often")]);
    expect(await rows(till, "entries")).toBeLessThanOrEqual(1 + LIMITS.sentInVain.most + LIMITS.writtenPerAccount.most);
    expect(till.beyondBound.filter((what) => what === "held-back")).toHaveLength(26);
    expect(lines.filter(({ text }) => text.includes("again and again"))).toHaveLength(1);
    expect(await told(till, saleOperation("sale"))).toMatch(/^receipt 3/);
    await till.trial.later(MINUTE_MS);
    expect([await told(till, beyondTheDrawer(30)), await told(till, beyondTheDrawer(31))]).toEqual(["cash-short", "refused-too-often"]);
    expect(await told(till, saleOperation("sale-2"))).toMatch(/^receipt 4/);
  });

  it("hold back no other document of their kind where one till repeats one document again and again", async () => {
    const till = await Till.open({ refusals: { ...LIMITS, sentInVainOfOne: { ...LIMITS.sentInVainOfOne, most: 2 } } });
    await told(till, shiftOperation("open-shift"));
    await told(till, cashOperation("cash-in", "in", 100_000));
    for (let minute = 0; minute < 10; minute += 1) {
      const texts: string[] = [];
      for (let nth = 0; nth < 10; nth += 1) texts.push(await told(till, beyondTheDrawer(0)));
      expect(texts.filter((text) => text === "cash-short")).toHaveLength(minute === 0 ? 2 : 1);
      expect(texts.filter((text) => text === "refused-too-often")).toHaveLength(minute === 0 ? 8 : 9);
      expect(await told(till, cashOperation("cash-out", `honest-${minute}`, 100))).toMatch(/^cash-out/);
      await till.trial.later(MINUTE_MS);
    }
    await told(till, cashOperation("cash-in", "more", 10_000_000));
    expect(await told(till, beyondTheDrawer(0))).toMatch(/^cash-out/);
  });

  it("go on as soon as the cause is gone: what is done gives back what was refused", async () => {
    const { till } = await tillOf();
    await told(till, shiftOperation("open-shift"));
    for (let nth = 0; nth < 5; nth += 1) await told(till, beyondTheDrawer(nth));
    expect(await told(till, cashOperation("cash-in", "in", 10_000_000))).toMatch(/^cash-in/);
    expect(await told(till, beyondTheDrawer(0))).toBe("refused-too-often");
    await till.trial.later(MINUTE_MS);
    for (let nth = 0; nth < 6; nth += 1) expect(await told(till, beyondTheDrawer(nth))).toMatch(/^cash-out/);
  });

  it("are counted also where the server opens the shift for them", async () => {
    const till = await Till.open({ refusals: LIMITS, rules: { shiftOpening: "automatic" } });
    till.trial.inject({ before: (command) => (command === "open-shift" ? { kind: "refuse", code: 0x11 } : { kind: "go-on" }) });
    for (let nth = 0; nth < 20; nth += 1) await told(till, saleOperation(`sale-${nth}`));
    expect(await rows(till, "moves")).toBeLessThanOrEqual(2 * (LIMITS.sentInVain.most + LIMITS.writtenPerAccount.most));
    till.trial.inject({ before: () => ({ kind: "go-on" }) });
    await till.trial.later(MINUTE_MS);
    expect(await told(till, saleOperation("sale-0"))).toMatch(/^receipt 3/);
  });
});

describe("beyond the bound nothing is forgotten that keeps a document from being made twice", () => {
  /** Makes more refusals of a sale than are written. They come before anything is sent. */
  async function flood(till: Till, sale: Operation): Promise<void> {
    till.trial.device.setPaper(false);
    for (let nth = 0; nth < 20; nth += 1) expect(await told(till, sale)).toBe("no-paper");
    till.trial.device.setPaper(true);
  }

  it("neither where the document of an earlier attempt is, which counts as refused by mistake", async () => {
    const { till } = await tillOf();
    await told(till, shiftOperation("open-shift"));
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await till.submitAndWait(saleOperation("sale"));
    await till.settled();
    const [entry] = await till.journal.unfinished();
    await settled(till, "runs", "settle", `${entry?.id}`, "--refused", "--why", "the wrong paper", "--unconfirmed");
    till.trial.device.powerOn();
    await flood(till, saleOperation("sale"));
    expect(await told(till, saleOperation("sale"))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });

  it("nor what is done or in doubt: each is written and answered as ever", async () => {
    const { till } = await tillOf();
    await told(till, shiftOperation("open-shift"));
    expect(await told(till, saleOperation("done"))).toMatch(/^receipt 3/);
    await flood(till, saleOperation("flood"));
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    expect(textOf(await till.submitAndWait(saleOperation("doubtful")))).toBe("in-doubt");
    expect((await journal(till, "stopped", "list")).text).toContain("doubtful");
    for (let nth = 0; nth < 20; nth += 1) expect(textOf(await till.submitAndWait(saleOperation(`other-${nth}`)))).toBe("lane-stopped");
    till.trial.device.powerOn();
    expect(textOf(await till.submitAndWait(saleOperation("doubtful")))).toMatch(/^receipt 4/);
    expect(await told(till, saleOperation("done"))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(4);
  });
});

it("the bounds of a server are some thousand refusals an account, which no honest shop has in a day", () => {
  const { writtenPerAccount, sentInVain, sentInVainOfOne } = REFUSAL_LIMITS;
  expect([writtenPerAccount.most, sentInVain.most, sentInVainOfOne.most]).toEqual([1_000, 200, 50]);
  expect([writtenPerAccount.refillMs, sentInVain.refillMs, sentInVainOfOne.refillMs]).toEqual([MINUTE_MS, MINUTE_MS, MINUTE_MS]);
});
