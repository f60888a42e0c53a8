import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ByteLine } from "./driver/byte-line.ts";
import { command } from "./driver/requests.ts";
import { registerCarefully } from "./driver/settle.ts";
import { Till } from "./driver/till.ts";
import { basket } from "./project/basket.ts";
import { type Emulator, startEmulator } from "./project/emulator.ts";
import { money, toHex } from "./protocol/bytes.ts";
import { ACK, ENQ, frameOf, NAK } from "./protocol/frame.ts";

/** Short times, so that the test does not wait long for a silent device, but longer than a busy machine lets a program stand still. */
const waits = { acknowledgementMs: 1_000, byteMs: 1_000 };
const answerMs = 2_000;
/** The time limit of what comes at once on a machine without other load. */
const soonMs = 10_000;

describe("faults of the project's emulator", () => {
  let emulator: Emulator;
  let till: Till;

  beforeEach(async () => {
    emulator = await startEmulator("--protocol", "1.0");
    till = await Till.connect(emulator.address, waits);
    await till.openShift("Иванов И.И.");
  });

  afterEach(async () => {
    till.close();
    await emulator.close();
  });

  const fault = async (spec: string) => expect(await emulator.control.ask({ do: "fault", spec })).toMatchObject({ ok: true });
  const sell = () => registerCarefully(till, basket.receipt, basket.totalKopecks, answerMs);
  const receipts = async (): Promise<unknown[]> => {
    const { documents } = await emulator.control.ask({ do: "documents" });
    return Array.isArray(documents) ? documents.filter((one: { kind?: unknown }) => one.kind === "receipt") : [];
  };

  it.each(["lose-answer@FF45", "garble-answer@FF45", "byte-by-byte@FF45", "noise@FF45", "nak@FF45"])(
    "end in one sale with its facts known when FF45 meets %s",
    async (spec) => {
      await fault(spec);
      const settled = await sell();
      expect(["answered", "asked"]).toContain(settled.outcome);
      if (!("number" in settled)) throw new Error("unreachable");
      expect(await till.findDocument(settled.number)).toMatchObject({ sign: settled.sign, totalKopecks: basket.totalKopecks });
      expect(await receipts()).toHaveLength(1);
    },
  );

  it("leave the receipt open when the request of FF45 was lost, and it then closes once", async () => {
    await fault("lose-request@FF45");
    expect((await sell()).outcome).toBe("still-open");
    expect(await receipts()).toHaveLength(0);
    await till.finish(basket.receipt.closing);
    expect(await receipts()).toHaveLength(1);
  });

  it("find the sale that was registered before power was cut", async () => {
    await fault("power-cut-after@FF45=300");
    const before = await till.driveStatus();
    await till.prepare(basket.receipt);
    await expect(till.finish(basket.receipt.closing, answerMs)).rejects.toThrow();
    await reopen(till);
    const now = await till.driveStatus();
    expect(now.lastDocument).toBe(before.lastDocument + 1);
    expect(await till.findDocument(now.lastDocument)).toMatchObject({ type: 3, operation: 1, totalKopecks: basket.totalKopecks });
    expect(await receipts()).toHaveLength(1);
  });

  it("register nothing when power was cut before FF45, and the sale can be made anew", async () => {
    await fault("power-cut-before@FF45");
    const before = await till.driveStatus();
    await till.prepare(basket.receipt);
    await expect(till.finish(basket.receipt.closing, answerMs)).rejects.toThrow();
    expect(await emulator.control.ask({ do: "power", on: true })).toMatchObject({ ok: true });
    await reopen(till);
    expect((await till.driveStatus()).lastDocument).toBe(before.lastDocument);
    if ((await till.shortStatus()).mode === 8) await till.cancel();
    expect((await sell()).outcome).toBe("answered");
    expect(await receipts()).toHaveLength(1);
  });

  it("answer a command by 50h while busy and take the same command afterwards", async () => {
    await fault("busy@50=200");
    await expect(till.cashIn(500)).rejects.toMatchObject({ code: 0x50 });
    await expect
      .poll(() =>
        till.cashIn(500).then(
          () => "taken",
          () => "busy",
        ),
      )
      .toBe("taken");
    expect(await till.moneyRegister(241)).toBe(500);
  });

  it("say 4Eh to a receipt once the shift is too old, and still close the shift", async () => {
    await fault("shift-expired@8D");
    await expect(till.register(basket.receipt)).rejects.toMatchObject({ code: 0x4e });
    expect((await till.shortStatus()).mode).toBe(3);
    expect(await till.closeShift("Иванов И.И.")).toMatchObject({ type: 5, shift: 1 });
  });

  it("stop printing without paper and go on after B0h, the sale registered once", async () => {
    await fault("paper-out@FF45");
    await till.prepare(basket.receipt);
    await expect(till.finish(basket.receipt.closing)).rejects.toThrow("paper");
    expect([1, 2]).toContain((await till.shortStatus()).submode);
    expect(await emulator.control.ask({ do: "paper", in: true })).toMatchObject({ ok: true });
    expect((await till.shortStatus()).submode).toBe(3);
    await till.untilIdle();
    expect(await till.shortStatus()).toMatchObject({ mode: 2, submode: 0 });
    expect(await receipts()).toHaveLength(1);
  });
});

describe("the line of the project's emulator", () => {
  let emulator: Emulator;
  let line: ByteLine;

  beforeEach(async () => {
    emulator = await startEmulator("--protocol", "1.0");
    const till = await Till.connect(emulator.address, waits);
    await till.openShift("Иванов И.И.");
    till.close();
    line = await ByteLine.open(emulator.address.host, emulator.address.port, soonMs);
  });

  afterEach(async () => {
    line.close();
    await emulator.close();
  });

  const take = async (count: number): Promise<string> => {
    const bytes: number[] = [];
    while (bytes.length < count) {
      const byte = await line.byte(soonMs);
      if (byte === undefined) break;
      bytes.push(byte);
    }
    return toHex(Uint8Array.from(bytes));
  };

  it("repeats an answer that was not acknowledged without carrying the command out again", async () => {
    line.write(frameOf(command("50", 1, money(700))));
    const answer = await take(9);
    expect(answer).toMatch(/^06 02 05 50 00 01 /);
    line.write(Buffer.of(NAK));
    expect(await line.byte(200)).toBeUndefined();
    line.write(Buffer.of(ENQ));
    expect(await take(9)).toBe(answer);
    line.write(Buffer.of(ENQ));
    expect(await take(9)).toBe(answer);
    line.write(Buffer.of(ACK));
    line.write(Buffer.of(ENQ));
    expect(await take(1)).toBe("15");
    line.write(frameOf(command("1A", 30, Buffer.of(241))));
    expect(await take(13)).toMatch(/^06 02 09 1A 00 1E BC 02 00 00 00 00 /);
  });

  it("answers a wrong check byte by NAK and stays ready", async () => {
    const frame = frameOf(command("10", 30));
    frame[frame.length - 1] = 0x0c;
    line.write(frame);
    expect(await take(1)).toBe("15");
    line.write(Buffer.of(ENQ));
    expect(await take(1)).toBe("15");
  });

  it("ignores junk while idle and gives a half frame up in silence", async () => {
    line.write(Buffer.of(0x41, 0x42));
    line.write(frameOf(command("10", 30)).subarray(0, 4));
    expect(await line.byte(500)).toBeUndefined();
    line.write(Buffer.of(ENQ));
    expect(await take(1)).toBe("15");
  });

  it("takes a frame byte by byte and one without ENQ before it", async () => {
    for (const byte of frameOf(command("10", 30))) line.write(Buffer.of(byte));
    expect(await take(20)).toMatch(/^06 02 10 10 00 1E /);
    line.write(Buffer.of(ACK));
  });

  it("serves several connections in turn as one device", async () => {
    const tills = await Promise.all(Array.from({ length: 10 }, () => Till.connect(emulator.address, waits)));
    for (const till of tills) await till.cashIn(100);
    const [first] = tills;
    expect(await first?.moneyRegister(241)).toBe(1_000);
    for (const till of tills) till.close();
  });
});

/** Connects again and again, until the device has its power back and is idle. */
const reopen = async (till: Till): Promise<void> => {
  const attempt = async () => {
    await till.reconnect();
    await till.settleLine();
    await till.untilIdle();
  };
  await expect.poll(() => attempt().then(() => "open", String), { timeout: 40_000 }).toBe("open");
};
