import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import { sample } from "../support/extent.ts";
import { type OldNumber, oldNumberAt } from "../support/old-number.ts";
import { once, SCHEMES } from "../support/registers.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const SALE = saleOperation("sale-1");
const CLOSING = shiftOperation("close-shift");
const CASH = cashOperation("cash-in", "in-1", 50_000);

async function open(scheme: string): Promise<{ till: Till; status: OldNumber }> {
  const status = await oldNumberAt(scheme);
  return { till: await Till.open({ trial: status.trial }), status };
}

/** The number of documents in the drive itself, whatever the status states. */
async function documentsOf({ trial }: OldNumber): Promise<number> {
  const { device, clock, deadline } = trial;
  const state = await new EmulatorRegister(clock, async () => ({ device, close: async () => {} })).inspect(deadline);
  if (state.kind === "unreachable") throw new Error(state.reason);
  return state.value.lastDocumentNumber;
}

describe.each(sample(SCHEMES, 2))("a register of %s whose status repeats an old number after it has registered", (scheme) => {
  it.each<[string, Operation, "receipt" | "close-shift"]>([
    ["a sale", SALE, "receipt"],
    ["a closing", CLOSING, "close-shift"],
  ])("is asked for the document behind it: %s is done and not made again", async (_what, operation, document) => {
    const { till, status } = await open(scheme);
    await till.openShift();
    await till.trial.state();
    status.trial.inject({ after: once(document, { kind: "lose-reply" }) });
    status.lie();
    expect(textOf(await till.submitAndWait(operation))).toMatch(new RegExp(`^${document} 3`));
    expect(textOf(await till.submitAndWait(operation))).toMatch(new RegExp(`^${document} 3`));
    expect(await documentsOf(status)).toBe(3);
  });

  it("is asked for the opening behind it, which is done and not made again", async () => {
    const { till, status } = await open(scheme);
    await till.trial.state();
    status.trial.inject({ after: once("open-shift", { kind: "lose-reply" }) });
    status.lie();
    expect(textOf(await till.openShift())).toMatch(/^open-shift 2/);
    expect(await documentsOf(status)).toBe(2);
  });

  it.each<[string, Operation, "receipt" | "close-shift" | "cash-in"]>([
    ["a sale", SALE, "receipt"],
    ["a closing", CLOSING, "close-shift"],
    ["cash", CASH, "cash-in"],
  ])("and which cannot say what stands behind it leaves %s in doubt until it can", async (_what, operation, document) => {
    const { till, status } = await open(scheme);
    await till.openShift();
    status.trial.inject({ before: once(document, { kind: "power-cut" }) });
    status.isSilent = true;
    await till.submitAndWait(operation);
    till.trial.device.powerOn();
    expect(textOf(await till.submitAndWait(operation))).toBe("in-doubt");
    expect((await till.journal.unfinished())[0]?.doubt?.code).toBe("drive-end-unproved");
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("lane-stopped");
    status.isSilent = false;
    expect(textOf(await till.submitAndWait(operation))).toMatch(new RegExp(`^${document} ${document === "cash-in" ? 0 : 3}`));
    expect(await documentsOf(status)).toBe(document === "cash-in" ? 2 : 3);
  });

  it("has an attempt that was settled as not registered by mistake looked up behind its number", async () => {
    const { till, status } = await open(scheme);
    await till.openShift();
    await till.trial.state();
    status.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await till.submitAndWait(SALE);
    await till.settled();
    const [entry] = await till.journal.unfinished();
    if (entry === undefined) throw new Error("nothing is in doubt");
    await till.journal.finish(entry, { kind: "refused", refusal: { code: "not-registered" } }, "person", [
      { code: "said", words: "no paper came out" },
    ]);
    till.trial.device.powerOn();
    status.lie();
    expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 3/);
    expect(await documentsOf(status)).toBe(3);
  });

  it("has such an attempt waited for while it does not return the document either", async () => {
    const { till, status } = await open(scheme);
    await till.openShift();
    expect(textOf(await till.submitAndWait(saleOperation("before")))).toMatch(/^receipt 3/);
    await till.trial.state();
    status.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await till.submitAndWait(SALE);
    await till.settled();
    const [entry] = await till.journal.unfinished();
    if (entry === undefined) throw new Error("nothing is in doubt");
    await till.journal.finish(entry, { kind: "refused", refusal: { code: "not-registered" } }, "person", [
      { code: "said", words: "no paper came out" },
    ]);
    till.trial.device.powerOn();
    status.lie();
    status.isSilent = true;
    const answers = [textOf(await till.submitAndWait(SALE)), textOf(await till.submitAndWait(SALE))];
    status.isSilent = false;
    answers.push(textOf(await till.submitAndWait(SALE)));
    expect(answers).toEqual(["register-unreachable", "register-unreachable", expect.stringMatching(/^receipt 4/)]);
    expect(await documentsOf(status)).toBe(4);
  });
});
