import { describe, expect, it } from "vitest";
import type { HeldRegister, OperationServices } from "../../src/operations/services.ts";
import type { Submitted } from "../../src/operations/submission.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

type Holds = NonNullable<OperationServices["held"]>;
const ELSEWHERE: Submitted = { kind: "done", answer: Buffer.from("from elsewhere"), replayed: false };
const HERE: HeldRegister = { stands: () => true };

/** Registers that this process holds or not: each call of `enter` gets the next answer, and the last answer stays. */
function holding(entered: (HeldRegister | undefined)[], forwarded: string[] = []): Holds {
  return {
    enter: async () => (entered.length > 1 ? entered.shift() : entered[0]),
    pull: async () => true,
    async forward(register) {
      forwarded.push(register);
      return ELSEWHERE;
    },
  };
}

describe("an operation among several processes", () => {
  it("goes to the process that holds its register, and leaves nothing here", async () => {
    const forwarded: string[] = [];
    const till = await Till.open({ holds: holding([undefined], forwarded) });
    expect(await till.submitAndWait(saleOperation("sale-1"))).toEqual(ELSEWHERE);
    expect(forwarded).toHaveLength(1);
    expect(await till.journal.list({ limit: 10 })).toEqual([]);
  });

  it("is tried here again when its register has come here meanwhile", async () => {
    const holds = { ...holding([HERE, undefined, HERE]), forward: async () => ({ kind: "here" as const }) };
    const till = await Till.open({ holds });
    await till.openShift();
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("receipt 3 receipt 2");
  });

  it("that another process has taken at another register is answered as running", async () => {
    const other: { take?: () => Promise<void> } = {};
    const enter = async () => {
      await other.take?.();
      return HERE;
    };
    const till = await Till.open({ holds: { ...holding([HERE]), enter } });
    await till.openShift();
    other.take = async () => {
      const [opened] = await till.journal.list({ limit: 1 });
      if (opened === undefined) throw new Error("the shift is not in the journal");
      const operation = saleOperation("sale-1");
      const key = { ...opened.key, operation: operation.kind, documentId: "sale-1" } as const;
      await till.journal.accept({ ...opened, key, twinHash: "other", register: "emulator:other", operation });
    };
    expect(await till.submitAndWait(saleOperation("sale-1"))).toEqual({ kind: "running" });
  });

  it("that was refused here is asked for at the new holder, when the register was lost meanwhile", async () => {
    const till = await Till.open({ holds: holding([{ stands: () => false }]) });
    // No shift is open, so this process would refuse it.
    expect(await till.submitAndWait(saleOperation("sale-1"))).toEqual(ELSEWHERE);
  });

  it("gets the other process's answer also while a call with other content asks here where the register is", async () => {
    const asked = Promise.withResolvers<void>();
    const enter = async () => {
      await asked.promise;
      return undefined;
    };
    const till = await Till.open({ holds: { ...holding([undefined]), enter, forward: toldElsewhere } });
    const calls = [till.submit(saleOperation("sale-1"), "other"), ...[1, 2].map(() => till.submit(saleOperation("sale-1")))];
    await till.trial.later(100);
    asked.resolve();
    await till.settled();
    expect((await Promise.all(calls)).map(({ kind }) => kind)).toEqual(["content-differs", "done", "done"]);
  });

  it("is not refused because of a call with other content that this process refuses before it has a place in the lane", async () => {
    const found = Promise.withResolvers<void>();
    const till = await Till.open({ lookUp: lookUpOf(found.promise) });
    await till.openShift();
    const calls = [till.submit(saleOperation("sale-1", { name: OTHER_NAME }), "other"), till.submit(saleOperation("sale-1"))];
    await till.trial.later(100);
    found.resolve();
    await till.settled();
    expect((await Promise.all(calls)).map(textOf)).toEqual(["money-scale-differs", "receipt 3 receipt 2"]);
  });

  it("is refused beside a call with other content that waits for its turn or has it", async () => {
    const till = await Till.open();
    await till.openShift();
    const calls = [till.submit(saleOperation("sale-1"), "other"), ...[1, 2].map(() => till.submit(saleOperation("sale-1")))];
    await till.settled();
    expect((await Promise.all(calls)).map(textOf)).toEqual(["receipt 3 receipt 2", "content-differs", "content-differs"]);
    expect(await till.documents()).toBe(3);
  });
});

const OTHER_NAME = "of the other content";

/** The other process runs the sale with one content, and refuses the other content. */
const toldElsewhere: Holds["forward"] = async (_register, { contentHash }) =>
  contentHash === "other" ? { kind: "content-differs" } : ELSEWHERE;

/** For the other content answers only once told to, that its sums differ by a hundred times. All else is answered at once. */
function lookUpOf(told: Promise<void>): OperationServices["lookUp"] {
  return async (_key, { name }) => {
    if (name !== OTHER_NAME) return { scale: "pinned" };
    await told;
    return { scale: "differs-by-100" };
  };
}
