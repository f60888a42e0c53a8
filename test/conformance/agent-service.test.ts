import { beforeEach, describe, expect, it } from "vitest";
import type { Frame } from "../support/agent-played-server.ts";
import { HEAD, PlayedShop, type PlayedWire } from "../support/agent-shop.ts";
import { cashDocument, receiptDocument, receiptLine, sampleSale, shiftDocument } from "../support/register-documents.ts";

let shop: PlayedShop;
let wire: PlayedWire;

/** The number of the newest document in the drive, as a question tells. */
async function lastDocument(at: PlayedWire = wire): Promise<number> {
  const { result } = await at.ask({ do: "inspect" });
  return ((result as Frame).value as { lastDocumentNumber: number }).lastDocumentNumber;
}

function recall(attempt: string, at: PlayedWire = wire): Promise<Frame> {
  return at.ask({ do: "recall", attempt });
}

/** Sends a document and waits until the agent has accepted it. */
async function accepted(attempt: string, document: object): Promise<number> {
  const number = wire.begin({ do: "perform", attempt, hash: `hash of ${attempt}`, needs: [], document });
  await wire.until((frame) => frame.accepted === number);
  return number;
}

const open = shiftDocument("open-shift");

beforeEach(async () => {
  shop = new PlayedShop();
  wire = await shop.ready();
});

describe("a document behind an agent", () => {
  it("is accepted after its attempt is on the disk, and registered after the server's go", async () => {
    await lastDocument();
    const number = await accepted("a-1", open);
    expect(shop.record.find("a-1")).toMatchObject({ state: "intent", hash: "hash of a-1", register: "main", settled: false });
    await shop.settled();
    expect(wire.frames.some(({ answer }) => answer === number)).toBe(false);
    expect((await recall("a-1")).result).toEqual({ kind: "running" });
    wire.send({ go: number });
    const { result } = await wire.answer(number);
    expect(result).toMatchObject({ kind: "done", facts: { document: "open-shift" } });
    expect(shop.record.find("a-1")).toMatchObject({ state: "done", outcome: result });
    expect((await recall("a-1")).result).toEqual({ kind: "outcome", outcome: result });
  });

  it("is given up without a go in 5 s, and stays given up", async () => {
    const before = await lastDocument();
    const number = await accepted("a-1", open);
    await shop.settled();
    await shop.clock.advance(4_999);
    expect(wire.frames.some(({ answer }) => answer === number)).toBe(false);
    await shop.clock.advance(1);
    expect(await wire.answer(number)).toMatchObject({ failed: { code: "no-go" } });
    expect(shop.record.find("a-1")).toMatchObject({ state: "void" });
    wire.send({ go: number });
    expect((await recall("a-1")).result).toEqual({ kind: "never" });
    expect(await wire.ask({ do: "perform", attempt: "a-1", hash: "hash of a-1", needs: [], document: open })).toMatchObject({
      failed: { code: "void" },
    });
    expect(await lastDocument()).toBe(before);
    expect((await wire.perform("a-2", open)).result).toMatchObject({ kind: "done" });
  });

  it("is given up when the connection ends before the go, and the next connection learns it", async () => {
    const before = await lastDocument();
    await accepted("a-1", open);
    wire.memory.cut();
    await shop.settled();
    expect(shop.record.find("a-1")).toMatchObject({ state: "void" });
    await shop.clock.advance(1_000);
    const next = await shop.ready();
    expect((await recall("a-1", next)).result).toEqual({ kind: "never" });
    expect(await lastDocument(next)).toBe(before);
  });

  it("whose answer was lost is told by a recall on the next connection, and printed once", async () => {
    const before = await lastDocument();
    const number = await accepted("a-1", open);
    wire.send({ go: number });
    await shop.settled();
    wire.memory.cut();
    await shop.settled();
    await shop.clock.advance(1_000);
    const next = await shop.ready();
    expect((await recall("a-1", next)).result).toMatchObject({ kind: "outcome", outcome: { kind: "done" } });
    const again = await next.ask({ do: "perform", attempt: "a-1", hash: "hash of a-1", needs: [], document: open });
    expect(again.result).toMatchObject({ kind: "done" });
    expect(await lastDocument(next)).toBe(before + 1);
  });

  it("with another hash under a known attempt is refused, and nothing is sent to the device", async () => {
    await wire.perform("a-1", open);
    const before = await lastDocument();
    const other = { do: "perform", attempt: "a-1", hash: "another", needs: [], document: shiftDocument("close-shift") };
    expect(await wire.ask(other)).toMatchObject({ failed: { code: "attempt-differs" } });
    expect(await lastDocument()).toBe(before);
  });

  it("is not begun when a recall has come before it", async () => {
    expect((await recall("a-1")).result).toEqual({ kind: "never" });
    expect(shop.record.find("a-1")).toMatchObject({ state: "void" });
    expect(await wire.ask({ do: "perform", attempt: "a-1", hash: "h", needs: [], document: open })).toMatchObject({
      failed: { code: "void" },
    });
  });

  it("that came twice is made once and answered", async () => {
    const before = await lastDocument();
    const frame = { call: 50, do: "perform", ...HEAD, attempt: "a-1", hash: "h", needs: [], document: open };
    wire.send(frame);
    wire.send(frame);
    await wire.until(({ accepted: number }) => number === 50);
    wire.send({ go: 50 });
    wire.send({ go: 50 });
    expect((await wire.answer(50)).result).toMatchObject({ kind: "done" });
    await shop.settled();
    expect(wire.frames.filter(({ answer, accepted: number }) => answer === 50 || number === 50)).toHaveLength(2);
    wire.send(frame);
    await shop.settled();
    expect(wire.frames.filter(({ answer }) => answer === 50)).toHaveLength(2);
    expect(await lastDocument()).toBe(before + 1);
  });

  it("needs a version that knows each part of it", async () => {
    const perform = { do: "perform", attempt: "a-1", hash: "h", document: open };
    expect(await wire.ask({ ...perform, needs: ["permit"] })).toMatchObject({ failed: { code: "agent-too-old" } });
    const unknown = receiptDocument({ lines: [{ ...receiptLine(), ...{ colour: "red" } }] });
    expect(await wire.ask({ ...perform, needs: [], document: unknown })).toMatchObject({ failed: { code: "agent-too-old" } });
    expect(await wire.ask({ ...perform, needs: [], document: { ...open, kind: "poem" } })).toMatchObject({
      failed: { code: "agent-too-old" },
    });
    expect(shop.record.find("a-1")).toBeUndefined();
  });

  it("that the register could never make is refused before it is accepted", async () => {
    const uneven = receiptDocument({ lines: [receiptLine({ sumKopecks: 9_000 })] });
    const number = wire.begin({ do: "perform", attempt: "a-1", hash: "h", needs: [], document: uneven });
    expect(await wire.answer(number)).toMatchObject({ result: { kind: "refused", refusal: { code: "field-invalid" } } });
    const long = sampleSale({ lines: Array.from({ length: 1_500 }, () => receiptLine()) });
    const second = wire.begin({ do: "perform", attempt: "a-2", hash: "h", needs: [], document: long });
    expect(await wire.answer(second)).toMatchObject({ result: { kind: "refused", refusal: { code: "document-too-large" } } });
    expect(wire.frames.some((frame) => frame.accepted !== undefined)).toBe(false);
    expect((await recall("a-2")).result).toMatchObject({ kind: "outcome", outcome: { kind: "refused" } });
  });

  it("of a holder with an older token is refused, also after a restart", async () => {
    await wire.perform("a-1", open, { fence: 9 });
    const older = { do: "perform", attempt: "a-2", hash: "h", needs: [], document: shiftDocument("close-shift"), fence: 8 };
    expect(await wire.ask(older)).toMatchObject({ failed: { code: "fenced" } });
    expect(await wire.ask({ do: "inspect", fence: 8 })).toMatchObject({ failed: { code: "fenced" } });
    await shop.kill();
    shop = new PlayedShop({ clock: shop.clock, data: shop.folder.path });
    wire = await shop.ready();
    expect(await wire.ask(older)).toMatchObject({ failed: { code: "fenced" } });
  });
});

describe("calls beside a document", () => {
  it("are refused as busy, except recall and settled", async () => {
    await lastDocument();
    const number = await accepted("a-1", open);
    for (const call of [{ do: "identity" }, { do: "inspect" }, { do: "lookUp", number: 1 }, { do: "abandon" }]) {
      expect(await wire.ask(call)).toMatchObject({ failed: { code: "busy" } });
    }
    expect((await recall("a-1")).result).toEqual({ kind: "running" });
    expect((await wire.ask({ do: "settled", attempts: [] })).result).toEqual({ unsettled: ["a-1"] });
    wire.send({ go: number });
    expect((await wire.answer(number)).result).toMatchObject({ kind: "done" });
  });

  it("for a register or by a name that the agent does not have are refused", async () => {
    expect(await wire.ask({ do: "inspect", register: "bar" })).toMatchObject({ failed: { code: "unknown-register" } });
    expect(await wire.ask({ do: "permit" })).toMatchObject({ failed: { code: "unknown-call" } });
    expect(await wire.ask({ do: "examine", zone: "Asia/Omsk", zoneKnown: true })).toMatchObject({ result: { kind: "examined" } });
    expect((await wire.ask({ do: "identity" })).result).toMatchObject({ kind: "reached" });
  });

  it("settle attempts, which are kept for 30 days and the others for ever", async () => {
    await wire.perform("a-1", open);
    await wire.perform("a-2", cashDocument("cash-in", 10_000));
    expect((await wire.ask({ do: "settled", attempts: ["a-1"] })).result).toEqual({ unsettled: ["a-2"] });
    shop.clock.jumpTo(shop.clock.nowMs() + 29 * 86_400_000);
    await wire.ask({ do: "settled", attempts: [] });
    expect(shop.record.find("a-1")).toMatchObject({ settled: true });
    shop.clock.jumpTo(shop.clock.nowMs() + 2 * 86_400_000);
    await wire.ask({ do: "settled", attempts: [] });
    expect(shop.record.find("a-1")).toBeUndefined();
    expect(shop.record.find("a-2")).toMatchObject({ state: "done" });
  });
});

describe("an agent that was killed", () => {
  async function restarted(): Promise<void> {
    await shop.kill();
    shop = new PlayedShop({ clock: shop.clock, data: shop.folder.path });
    wire = await shop.ready();
  }

  it("before the intent was stored knows nothing of the attempt", async () => {
    await restarted();
    expect((await recall("a-1")).result).toEqual({ kind: "never" });
  });

  it("between the intent and the outcome says unknown, and prints nothing for a repeat", async () => {
    const before = await lastDocument();
    shop.record.begin({ attempt: "a-1", hash: "h", register: "main" });
    await restarted();
    expect((await recall("a-1")).result).toEqual({ kind: "unknown" });
    const again = await wire.ask({ do: "perform", attempt: "a-1", hash: "h", needs: [], document: open });
    expect(again.result).toMatchObject({ kind: "in-doubt" });
    expect(await lastDocument()).toBe(before);
  });

  it("after the outcome was stored tells the outcome", async () => {
    const { result } = await wire.perform("a-1", open);
    await restarted();
    expect((await recall("a-1")).result).toEqual({ kind: "outcome", outcome: result });
  });

  it("after it had given up the attempt says never", async () => {
    shop.record.begin({ attempt: "a-1", hash: "h", register: "main" });
    shop.record.cancel("a-1");
    await restarted();
    expect((await recall("a-1")).result).toEqual({ kind: "never" });
  });
});

describe("an agent whose record cannot be written", () => {
  it("refuses a document before a byte goes to the device", async () => {
    const full = new PlayedShop({ maxPages: 12 });
    const at = await full.ready();
    const before = await lastDocument(at);
    for (
      let number = 0;
      full.record.begin({ attempt: `filler-${number}`, hash: "f".repeat(200), register: "main" }) === undefined;
      number += 1
    ) {
      if (isFull(full, number)) break;
    }
    const answer = await at.ask({ do: "perform", attempt: "a-1", hash: "h".repeat(200), needs: [], document: open });
    expect(answer).toMatchObject({ failed: { code: "record-failed" } });
    expect(await lastDocument(at)).toBe(before);
    expect(await recall("a-1", at)).toMatchObject({ failed: { code: "record-failed" } });
  });

  function isFull(full: PlayedShop, number: number): boolean {
    try {
      full.record.begin({ attempt: `more-${number}`, hash: "f".repeat(200), register: "main" });
      return false;
    } catch {
      return true;
    }
  }
});
