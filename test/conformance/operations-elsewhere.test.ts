import { describe, expect, it } from "vitest";
import type { HeldRegister, OperationServices } from "../../src/operations/services.ts";
import type { Submitted } from "../../src/operations/submission.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

type Holds = NonNullable<OperationServices["held"]>;
const ELSEWHERE: Submitted = { kind: "done", answer: Buffer.from("from elsewhere"), replayed: false };
const HERE: HeldRegister = { stands: () => true };

/** The registers of this process by turns: one answer of `enter` after the other, the last for ever. */
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
});
