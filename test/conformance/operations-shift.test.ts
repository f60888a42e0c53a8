import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import type { DeviceCommand } from "../../src/registers/virtual/faults.ts";
import { sample } from "../support/extent.ts";
import { cashDocument } from "../support/register-documents.ts";
import { DAY_MS, once, SCHEMES, Trial } from "../support/registers.ts";
import { cashOperation, SHIFT, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const NEXT_SHIFT = { id: "shift-2", idType: "native" as const };

describe.each(sample(SCHEMES, 2))("the shift rules on a register that speaks %s", (scheme) => {
  async function tillOf(shiftOpening: "platform" | "automatic" = "platform"): Promise<Till> {
    return Till.open({ trial: await Trial.begin(scheme), rules: { shiftOpening } });
  }

  async function told(till: Till, operation: Operation): Promise<string> {
    return textOf(await till.trial.settled(till.submit(operation)));
  }

  /** Repeats the operation as the platform does, while a later attempt may end otherwise. */
  async function insist(till: Till, operation: Operation): Promise<string> {
    for (let time = 1; time <= 5; time += 1) {
      const text = await told(till, operation);
      if (!["in-doubt", "running", "register-unreachable", "not-registered", "device-refused", "lane-stopped"].includes(text)) return text;
      await till.trial.later(1_000);
    }
    throw new Error("there is no end to it");
  }

  const opening = shiftOperation("open-shift");
  const closing = shiftOperation("close-shift");
  const nextOpening = shiftOperation("open-shift", { shift: NEXT_SHIFT, document: NEXT_SHIFT, name: "00002" });

  /** The kinds of the drive's documents, without the registration. */
  async function made(till: Till): Promise<string[]> {
    const kinds: string[] = [];
    for (let number = 2; number <= (await till.trial.state()).lastDocumentNumber; number += 1) {
      const found = await till.trial.lookUp(number);
      kinds.push(found.kind === "found" ? found.facts.document : found.kind);
    }
    return kinds;
  }

  describe("24 hours", () => {
    it("pass on the register's own clock, whatever the server's shows", async () => {
      const till = await tillOf();
      await told(till, opening);
      till.trial.inject({ clockOffsetMs: () => DAY_MS - 60_000 });
      expect(await told(till, saleOperation("sale-1"))).toMatch(/^receipt 3/);
      till.trial.inject({ clockOffsetMs: () => DAY_MS + 60_000 });
      expect(await told(till, saleOperation("sale-2"))).toBe("shift-expired");
      expect(await told(till, cashOperation("cash-in", "in-1", 100))).toBe("shift-expired");
      expect(await told(till, closing)).toMatch(/^close-shift 4/);
      expect(await made(till)).toEqual(["open-shift", "receipt", "close-shift"]);
    });

    it("have not passed for a register whose clock is behind", async () => {
      const till = await tillOf();
      await told(till, opening);
      till.trial.inject({ clockOffsetMs: () => -DAY_MS + 3_600_000 });
      await till.trial.later(DAY_MS);
      expect(await told(till, saleOperation("sale-1"))).toMatch(/^receipt 3/);
    });
  });

  describe("a closed shift", () => {
    it("is opened for a sale only where the point of sale says so", async () => {
      const strict = await tillOf("platform");
      expect(await told(strict, saleOperation("sale-1"))).toBe("shift-closed");
      expect(await told(strict, cashOperation("cash-in", "in-1", 100))).toBe("shift-closed");
      expect([await made(strict), await strict.states()]).toEqual([[], ["sale refused", "cash-in refused"]]);
      const easy = await tillOf("automatic");
      expect(await told(easy, saleOperation("sale-1"))).toMatch(/^receipt 3/);
      expect(await made(easy)).toEqual(["open-shift", "receipt"]);
      expect(await easy.states()).toEqual(["auto-open-shift done", "sale done"]);
    });

    it("is not renewed after 24 hours where the point of sale does not say so", async () => {
      const till = await tillOf("platform");
      await told(till, opening);
      await till.trial.later(DAY_MS);
      expect(await told(till, saleOperation("sale-1"))).toBe("shift-expired");
      expect(await made(till)).toEqual(["open-shift"]);
    });
  });

  describe("a close that fails half way", () => {
    it.each([
      ["the reply is lost after it", { after: once<{ kind: "lose-reply" }>("close-shift", { kind: "lose-reply" }) }],
      ["power is cut before it", { before: once<{ kind: "power-cut" }>("close-shift", { kind: "power-cut" }) }],
      ["power is cut after it", { after: once<{ kind: "power-cut" }>("close-shift", { kind: "power-cut" }) }],
      ["the paper ends in it", { after: once<{ kind: "paper-out" }>("close-shift", { kind: "paper-out" }) }],
    ])("is found and finished, and the shift has one report: %s", async (_what, faults) => {
      const till = await tillOf();
      await told(till, opening);
      await told(till, saleOperation("sale-1"));
      till.trial.inject(faults);
      await told(till, closing);
      till.trial.device.powerOn();
      till.trial.device.setPaper(true);
      const answer = await insist(till, closing);
      expect(answer).toMatch(/^close-shift 4 receipt/);
      expect(await told(till, closing)).toBe(answer);
      expect((await till.trial.state()).shift).toMatchObject({ kind: "closed", lastNumber: 1 });
      expect(await insist(till, nextOpening)).toMatch(/^open-shift 5/);
      expect(await made(till)).toEqual(["open-shift", "receipt", "close-shift", "open-shift"]);
    });

    it.each(["before", "after"] as const)("is finished by the next start of a server that died %s it was answered", async (when) => {
      const till = await tillOf();
      await told(till, opening);
      till.trial.inject({ [when]: once("close-shift", { kind: "wait", forMs: 15_000 }) });
      expect(await told(till, closing)).toBe("running");
      expect(await till.states()).toEqual(["open-shift done", "close-shift sending"]);
      await till.killAndRestart();
      await till.settled();
      expect(await insist(till, closing)).toMatch(/^close-shift 3 receipt/);
      expect(await made(till)).toEqual(["open-shift", "close-shift"]);
    });

    it("does not stop the next shift from opening before the platform repeats it", async () => {
      const till = await tillOf();
      await told(till, opening);
      till.trial.inject({ after: once("close-shift", { kind: "power-cut" }) });
      await told(till, closing);
      till.trial.device.powerOn();
      expect(await insist(till, nextOpening)).toMatch(/^open-shift 4/);
      expect(await told(till, closing)).toMatch(/^close-shift 3/);
      expect(await made(till)).toEqual(["open-shift", "close-shift", "open-shift"]);
    });

    it.each<[string, DeviceCommand]>([
      ["closing", "close-shift"],
      ["opening", "open-shift"],
    ])("in the middle of a renewal by the server is found by the next sale: power is cut after the %s", async (_what, command) => {
      const till = await tillOf("automatic");
      expect(await told(till, saleOperation("sale-1"))).toMatch(/^receipt 3/);
      await till.trial.later(DAY_MS);
      till.trial.inject({ after: once(command, { kind: "power-cut" }) });
      await told(till, saleOperation("sale-2"));
      till.trial.device.powerOn();
      expect(await insist(till, saleOperation("sale-2"))).toMatch(/^receipt 6/);
      expect(await made(till)).toEqual(["open-shift", "receipt", "close-shift", "open-shift", "receipt"]);
      expect(await told(till, closing)).toMatch(/^close-shift 7/);
    });
  });

  it("are kept when somebody closes and opens the shift at the register itself", async () => {
    const till = await tillOf();
    await told(till, opening);
    await till.trial.settled(till.trial.register.perform({ kind: "close-shift", reference: "by hand" }, till.trial.deadline));
    expect(await told(till, saleOperation("sale-1"))).toBe("shift-closed");
    await till.trial.openShift();
    await till.trial.slip(cashDocument("cash-in", 500));
    expect(await told(till, shiftOperation("open-shift", { shift: NEXT_SHIFT, document: NEXT_SHIFT }))).toMatch(/^open-shift 4/);
    expect(await told(till, saleOperation("sale-2", { shift: SHIFT }))).toBe("shift-conflict");
    expect(await told(till, saleOperation("sale-3", { shift: NEXT_SHIFT }))).toMatch(/^receipt 5/);
  });
});
