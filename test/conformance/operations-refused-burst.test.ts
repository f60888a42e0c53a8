import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import { REFUSAL_LIMITS } from "../../src/operations/refusal-bound.ts";
import { once } from "../support/registers.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const LIMITS = { most: 5, refillMs: 60_000, names: 100 };
const ROUNDS = 10;
const AT_ONCE = 30;

interface Sent {
  operation: Operation;
  accountId: string;
}

async function tillOf(register?: string): Promise<Till> {
  const rules = register === undefined ? {} : { register };
  return Till.open({ refusals: { ...REFUSAL_LIMITS, writtenPerAccount: LIMITS, sentInVain: LIMITS, sentInVainOfOne: LIMITS }, rules });
}

/** Sends all at once without letting time pass, because the allowance of an account grows with time. */
async function burst(till: Till, all: readonly Sent[], round = 0): Promise<string[]> {
  const submitted = all.map(({ operation, accountId }) => till.submit(operation, `round ${round}`, { accountId }));
  return (await till.trial.settled(Promise.all(submitted))).map(textOf);
}

function sales(count: number, more: Partial<Sent> & { storeId?: string; prefix?: string } = {}): Sent[] {
  const { accountId = "account", storeId = "store", prefix = "sale" } = more;
  return Array.from({ length: count }, (_, nth) => ({ operation: saleOperation(`${prefix}-${nth}`, { storeId }), accountId }));
}

async function refusals(till: Till, accountId?: string): Promise<number> {
  const ofAccount = accountId === undefined ? sql`` : sql` and entries.account_id = ${accountId}`;
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from moves join entries on entries.id = moves.entry_id where to_state = 'refused'${ofAccount}`.execute(
    till.store.db,
  );
  return rows[0]?.n ?? 0;
}

describe("refusals that come at once leave no more in the journal than the account's bound and one a minute", () => {
  const storeOf = (nth: number) => `store-${nth % 6}`;
  const KINDS: [string, (round: number) => Sent[]][] = [
    ["the same sales again and again at one register", () => sales(AT_ONCE)],
    ["ever new sales at one register", (round) => sales(AT_ONCE, { prefix: `sale-${round}` })],
    [
      "sales at six registers",
      () => sales(AT_ONCE).map((sent, nth) => ({ ...sent, operation: saleOperation(`sale-${nth}`, { storeId: storeOf(nth) }) })),
    ],
    [
      "cash and closings at six registers",
      (round) =>
        Array.from({ length: AT_ONCE }, (_, nth) => {
          const id = `${round}-${nth}`;
          const shift = { id, idType: "native" } as const;
          const closing = shiftOperation("close-shift", { shift, name: id, storeId: storeOf(nth) });
          return {
            operation: nth % 2 === 0 ? cashOperation("cash-in", id, 100, { storeId: storeOf(nth) }) : closing,
            accountId: "account",
          };
        }),
    ],
  ];

  it.each(KINDS)("%s", async (_what, sent) => {
    const till = await tillOf();
    // No shift is open, so each operation is refused before anything is sent.
    for (let round = 0; round < ROUNDS; round += 1) {
      expect(new Set(await burst(till, sent(round), round))).toEqual(new Set(["shift-closed"]));
      await till.trial.later(LIMITS.refillMs);
    }
    expect(await refusals(till)).toBe(LIMITS.most + ROUNDS - 1);
    expect(await till.journal.unfinished()).toEqual([]);
  });

  it("each of two accounts at one register has its own", async () => {
    const till = await tillOf("emulator:shared");
    const [first, second] = [sales(12, { accountId: "first" }), sales(12, { accountId: "second" })];
    await burst(till, [...first, ...second, ...sales(3, { accountId: "third" })]);
    expect([await refusals(till, "first"), await refusals(till, "second"), await refusals(till, "third")]).toEqual([5, 5, 3]);
  });
});

describe("an operation that waits", () => {
  it("costs nothing once it is registered, however many come", async () => {
    const till = await tillOf();
    await burst(till, [{ operation: shiftOperation("open-shift"), accountId: "account" }]);
    for (let round = 0; round < 4; round += 1) {
      for (const text of await burst(till, sales(10, { prefix: `done-${round}` }))) expect(text).toMatch(/^receipt/);
    }
    expect(await refusals(till)).toBe(0);
    till.trial.device.setPaper(false);
    expect(new Set(await burst(till, sales(20, { prefix: "refused" })))).toEqual(new Set(["no-paper"]));
    expect(await refusals(till)).toBe(LIMITS.most);
  });

  it("costs one refusal once it is refused, and not two", async () => {
    const till = await tillOf();
    await burst(till, sales(3, { prefix: "one" }));
    expect(await refusals(till)).toBe(3);
    await burst(till, sales(1, { prefix: "two" }));
    await burst(till, sales(1, { prefix: "three" }));
    expect(await refusals(till)).toBe(LIMITS.most);
    await burst(till, sales(9, { prefix: "four" }));
    expect(await refusals(till)).toBe(LIMITS.most);
  });

  it("is written in every case once it was sent: refused by the register, in doubt or done", async () => {
    const till = await tillOf();
    await burst(till, [{ operation: shiftOperation("open-shift"), accountId: "account" }]);
    const outs = Array.from({ length: 4 }, (_, nth) => ({
      operation: cashOperation("cash-out", `out-${nth}`, 1_000_000),
      accountId: "account",
    }));
    expect(await burst(till, outs)).toEqual(["cash-short", "cash-short", "cash-short", "cash-short"]);
    expect(await refusals(till)).toBe(4);
    till.trial.device.setPaper(false);
    await burst(till, sales(20));
    // Refusals after sending have a bound of their own.
    expect(await refusals(till)).toBe(4 + LIMITS.most);
    till.trial.device.setPaper(true);
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    expect((await burst(till, sales(8, { prefix: "doubtful" })))[0]).toBe("in-doubt");
    expect((await till.journal.unfinished()).map(({ state }) => state)).toEqual(["in-doubt"]);
    expect(await refusals(till)).toBe(4 + LIMITS.most);
  });

  it("costs nothing when it could not be put into the journal", async () => {
    const till = await tillOf();
    till.trial.device.setPaper(false);
    // The first operation does not wait. The commits with which the other four wanted to store that they wait have
    // failed.
    till.failCommits(4);
    const submitted = await Promise.allSettled(sales(5).map(({ operation }) => till.trial.settled(till.submit(operation))));
    expect(submitted.filter(({ status }) => status === "rejected")).toHaveLength(4);
    await burst(till, sales(20, { prefix: "later" }));
    expect(await refusals(till)).toBe(LIMITS.most);
  });
});

describe("refusals of one account in crowds", () => {
  it("hold back no sale of another account at a register that both use", async () => {
    const till = await Till.open({ rules: { register: "emulator:shared" } });
    expect(textOf(await till.openShift())).toMatch(/^open-shift/);
    for (let round = 0; round < ROUNDS; round += 1) {
      const crowd = sales(60, { accountId: "another", prefix: `foreign-${round}` });
      const own = sales(2, { prefix: `own-${round}` });
      const [first = "", second = "", ...others] = (await burst(till, [...crowd, ...own])).reverse();
      expect([first, second].map((text) => text.split(" ")[0])).toEqual(["receipt", "receipt"]);
      expect(new Set(others)).toEqual(new Set(["shift-foreign", "lane-full"]));
    }
  });
});
