import { rmSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { RegisterAddress, RegisterProtocol } from "../../src/registers/protocol.ts";
import type { Frame } from "../support/agent-played-server.ts";
import { HEAD, PlayedShop, type PlayedWire } from "../support/agent-shop.ts";
import { cashDocument, receiptDocument, receiptLine, shiftDocument, tendersOf } from "../support/register-documents.ts";

let shop: PlayedShop;
let wire: PlayedWire;

/** The number of the newest document in the drive, by a question to the agent. */
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
    await shop.until(() => shop.record.find("a-1")?.state !== "intent");
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
    await shop.until(() => shop.record.find("a-1")?.state === "done");
    wire.memory.cut();
    await shop.settled();
    await shop.clock.advance(1_000);
    const next = await shop.ready();
    expect((await recall("a-1", next)).result).toMatchObject({ kind: "outcome", outcome: { kind: "done" } });
    const again = await next.ask({ do: "perform", attempt: "a-1", hash: "hash of a-1", needs: [], document: open });
    expect(again.result).toMatchObject({ kind: "done" });
    expect(await lastDocument(next)).toBe(before + 1);
  });

  it("whose time is over before the go is never printed, although the go comes later", async () => {
    const before = await lastDocument();
    const number = wire.begin({ do: "perform", attempt: "a-1", hash: "hash of a-1", needs: [], document: open, budgetMs: 2_000 });
    await wire.until((frame) => frame.accepted === number);
    await shop.settled();
    await shop.clock.advance(2_000);
    expect(await wire.answer(number)).toMatchObject({ failed: { code: "no-go" } });
    wire.send({ go: number });
    await shop.clock.advance(10_000);
    await shop.settled();
    expect((await recall("a-1")).result).toEqual({ kind: "never" });
    expect(await lastDocument()).toBe(before);
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
    expect(await wire.answer(number)).toMatchObject({ result: { kind: "refused", refusal: { code: "device-refused" } } });
    const long = receiptDocument({
      lines: Array.from({ length: 1_500 }, () => receiptLine()),
      totalKopecks: 15_000_000,
      tenders: tendersOf({ cashKopecks: 15_000_000 }),
      vatTotals: [{ vat: 11, sumKopecks: 2_704_500 }],
    });
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
    await lastDocument();
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
  /** Fills the record until it has no room for the smallest attempt. */
  function fill(record: PlayedShop["record"]): void {
    for (const hash of ["f".repeat(200), "f"]) {
      for (let number = 0; has(() => record.begin({ attempt: `${hash.length}-${number}`, hash, register: "main" })); number += 1);
    }
  }

  function has(begin: () => unknown): boolean {
    try {
      begin();
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: "record-failed" });
      return false;
    }
  }

  it("refuses a document before a byte goes to the device", async () => {
    shop = new PlayedShop({ maxPages: 12 });
    wire = await shop.ready();
    const before = await lastDocument();
    fill(shop.record);
    const answer = await wire.ask({ do: "perform", attempt: "a-1".repeat(30), hash: "h".repeat(200), needs: [], document: open });
    expect(answer).toMatchObject({ failed: { code: "record-failed" } });
    expect(await recall("b-1".repeat(30))).toMatchObject({ failed: { code: "record-failed" } });
    expect(await lastDocument()).toBe(before);
  });

  it("says that it does not know the outcome when the disk fills up while the document is made", async () => {
    shop = new PlayedShop({ maxPages: 12 });
    wire = await shop.ready();
    const before = await lastDocument();
    const number = await accepted("a-1", open);
    fill(shop.record);
    wire.send({ go: number });
    expect((await wire.answer(number)).result).toEqual({ kind: "in-doubt", doubt: { code: "not-committed" } });
    expect((await recall("a-1")).result).toEqual({ kind: "unknown" });
    expect(await lastDocument()).toBe(before + 1);
  });

  it("ends when its folder was removed, and makes no document after that", async () => {
    const before = await lastDocument();
    rmSync(shop.folder.record);
    const answer = await wire.ask({ do: "perform", attempt: "a-1", hash: "h", needs: [], document: open });
    expect(answer).toMatchObject({ failed: { code: "record-failed" } });
    expect(shop.gone).toMatchObject([{ code: "folder-gone" }]);
    expect(await lastDocument()).toBe(before);
  });
});

describe("a driver that fails", () => {
  const broken = () => Promise.reject(new Error("a mistake of the driver"));
  const protocol: RegisterProtocol = {
    schemes: ["broken"],
    form: "broken:NAME",
    forms: [],
    parse: (address) => ({
      kind: "address",
      address: {
        canonical: address,
        emulated: true,
        anyDrive: true,
        settings: "",
        lineSums: "as-given",
        limitOf: () => undefined,
        examine: broken,
        open: () => ({ identity: broken, inspect: broken, perform: broken, lookUp: broken, abandon: broken, close: broken }),
      },
    }),
  };

  it("ends neither the agent nor the connection, and registers nothing", async () => {
    // The catalogue reads the addresses of the agent's registers, and it has no protocol `broken`.
    shop = new PlayedShop({ protocols: [protocol], named: [{ name: "main", written: "broken:main", address: addressOf(protocol) }] });
    wire = await shop.ready();
    await shop.clock.advance(1_000);
    await shop.until(() => shop.logged.some(({ text }) => text === "the driver has failed"));
    expect(await wire.ask({ do: "inspect" })).toMatchObject({ failed: { reason: "a mistake of the driver" } });
    expect(await wire.ask({ do: "examine", zone: "Asia/Omsk", zoneKnown: true })).toMatchObject({ failed: {} });
    const document = { do: "perform", attempt: "a-1", hash: "h", needs: [], document: open };
    const number = wire.begin(document);
    expect(await wire.answer(number)).toMatchObject({ result: { kind: "refused", refusal: { code: "register-unreachable" } } });
    expect((await recall("a-1")).result).toMatchObject({ kind: "outcome", outcome: { kind: "refused" } });
    await shop.service.close();
    expect(shop.logged.some(({ text }) => text === "the register could not be closed")).toBe(true);
  });

  function addressOf({ parse }: RegisterProtocol): RegisterAddress {
    const parsed = parse("broken:main");
    if (parsed.kind === "invalid") throw new Error(parsed.problem);
    return parsed.address;
  }
});

describe("two agents at one device", () => {
  it("do not both get it: the second is told that another program has it", async () => {
    await lastDocument();
    const second = new PlayedShop({ clock: shop.clock, emulators: shop.folder.path });
    const at = await second.ready();
    expect((await at.ask({ do: "inspect" })).result).toMatchObject({ kind: "unreachable" });
    const document = { do: "perform", attempt: "a-1", hash: "h", needs: [], document: open };
    expect(await at.ask(document)).toMatchObject({ result: { kind: "refused", refusal: { code: "register-unreachable" } } });
    await shop.kill();
    expect((await at.ask({ do: "inspect" })).result).toMatchObject({ kind: "reached" });
  });
});

describe("what an agent tells by itself", () => {
  it("is the state of its registers, at the beginning and when it has changed", async () => {
    await shop.clock.advance(1_000);
    const first = await wire.until(({ seen }) => seen !== undefined);
    expect(first).toMatchObject({ seen: { register: "main", state: { kind: "reached", value: { shift: { kind: "closed" } } } } });
    await shop.clock.advance(31_000);
    await shop.settled();
    expect(wire.frames.filter(({ seen }) => seen !== undefined)).toHaveLength(1);
    await wire.perform("a-1", open);
    await shop.clock.advance(1_000);
    await wire.until(({ seen }) => seen !== undefined && JSON.stringify(seen).includes('"kind":"open"'));
  });

  it("is the newest of its log, with the number of lines that were dropped", async () => {
    for (let number = 0; number < 40_000; number += 1) shop.logTail.add(`line ${number} of a flood of lines`);
    const { result } = await wire.ask({ do: "log", lines: 2 });
    expect(result).toEqual({ lines: ["line 39998 of a flood of lines", "line 39999 of a flood of lines"] });
    await shop.clock.advance(1_000);
    const { log, dropped } = (await wire.until((frame) => frame.log !== undefined)) as { log: string[]; dropped: number };
    expect(log[0]).toBe(`line ${dropped} of a flood of lines`);
    expect(dropped).toBeGreaterThan(20_000);
    await shop.clock.advance(20_000);
    const sent = wire.frames.flatMap((frame) => (frame.log as string[] | undefined) ?? []);
    expect(sent.length + dropped).toBe(40_000);
    expect(Math.max(...wire.memory.sent.map(({ text }) => text.length))).toBeLessThan(1024 * 1024);
  });
});
