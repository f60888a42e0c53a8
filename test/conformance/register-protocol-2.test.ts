import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { listenTcp, TcpLink } from "../../src/registers/links/tcp.ts";
import { parseFault } from "../../src/registers/shtrih-m/device/machine/faults.ts";
import { cashDocument, receiptDocument, sampleSale, shiftDocument } from "../support/register-documents.ts";
import { Trial } from "../support/registers.ts";
import { type ShtrihBench, type ShtrihBenchOptions, shtrihBench, shtrihDevice, shtrihDriver } from "../support/shtrih-m-bench.ts";

/** A shift with money in the drawer. Documents 1 and 2 are the registration and the opening. */
async function ready(options: ShtrihBenchOptions = { protocol: "2.0" }): Promise<Trial<ShtrihBench>> {
  const t = await Trial.on((clock) => shtrihBench(clock, options));
  await t.openShift();
  await t.slip(cashDocument("cash-in", 50_000));
  await t.state();
  return t;
}

function strike(t: Trial<ShtrihBench>, spec: string): void {
  const parsed = parseFault(spec);
  if (parsed.kind === "invalid") throw new Error(parsed.problem);
  t.bench.front.addFault(parsed.fault);
}

const COMMANDS = ["8D", "FF0C", "FF46", "FF45"];
/** Faults that protocol 2.0 bears, where it must by sending the same frame with the same number. */
const MENDED = ["lose-request", "lose-answer", "garble-answer", "nak", "byte-by-byte", "glue", "noise"];

describe("a document over protocol 2.0 at a device with a fault", () => {
  it.each(MENDED.flatMap((fault) => COMMANDS.map((command) => `${fault}@${command}`)))("is done once in spite of %s", async (spec) => {
    const t = await ready();
    strike(t, spec);
    expect((await t.fiscal(sampleSale())).documentNumber).toBe(3);
    expect((await t.state()).lastDocumentNumber).toBe(3);
    expect((await t.fiscal(receiptDocument())).documentNumber).toBe(4);
  });

  it.each(["byte-by-byte", "glue", "noise"])("is done in spite of %s at every command", async (fault) => {
    const t = await ready();
    strike(t, `${fault}#*`);
    expect((await t.fiscal(sampleSale())).documentNumber).toBe(3);
  });

  it.each(["lose-request@50", "lose-answer@50", "garble-answer@50"])("moves cash once in spite of %s", async (spec) => {
    const t = await ready();
    strike(t, spec);
    expect((await t.slip(cashDocument("cash-in", 1_000))).drawerKopecks).toBe(51_000);
  });

  it.each([
    ["lose-answer@41", "close-shift"],
    ["lose-request@FF42", "close-shift"],
    ["lose-answer@E0", "open-shift"],
    ["lose-answer@FF41", "open-shift"],
  ] as const)("is a report that is done in spite of %s", async (spec, kind) => {
    const t = await ready();
    if (kind === "open-shift") await t.fiscal(shiftDocument("close-shift"));
    strike(t, spec);
    expect((await t.fiscal(shiftDocument(kind))).document).toBe(kind);
  });

  it("is in doubt no longer than a minute when no answer ever comes, and is then looked up", async () => {
    const t = await ready();
    strike(t, "lose-answer@FF45#*");
    strike(t, "silent@FF45=70000");
    const outcome = await t.perform(sampleSale({ reference: "0123456789abcdef" }));
    expect(outcome.kind).toBe("in-doubt");
    await t.later(80_000);
    expect((await t.state()).lastDocumentNumber).toBe(3);
    expect(await t.lookUp(3)).toMatchObject({ kind: "found", reference: "0123456789abcdef" });
  });

  it.each([
    ["power-cut-before@FF46=1000", "refused", 2],
    ["power-cut-after@FF46=1000", "refused", 2],
    ["power-cut-before@FF45=1000", "in-doubt", 2],
    ["power-cut-after@FF45=1000", "in-doubt", 3],
    ["drive-full@FF45", "refused", 2],
    ["shift-expired@8D", "refused", 2],
  ])("ends %s as %s: what was sent before a loss of power is never sent again", async (spec, kind, last) => {
    const t = await ready();
    strike(t, spec);
    expect((await t.perform(sampleSale())).kind).toBe(kind);
    await t.later(1_000);
    if ((await t.state()).documentOpen) await t.settled(t.register.abandon(t.deadline));
    expect(await t.state()).toMatchObject({ lastDocumentNumber: last, documentOpen: false });
    if (!spec.startsWith("shift-expired")) expect((await t.fiscal(receiptDocument())).documentNumber).toBe(last + 1);
  });

  it.each(["busy@8D=700", "busy@FF46=700", "busy@FF45=700", "silent@FF45=5000", "silent@8D=5000"])("waits out %s", async (spec) => {
    const t = await ready();
    strike(t, spec);
    expect((await t.fiscal(sampleSale())).documentNumber).toBe(3);
  });

  it("is registered once when its answer is lost and the cable is changed", async () => {
    const t = await ready();
    strike(t, "lose-answer@FF45");
    t.clock.after(1_000, () => t.bench.port.refuse(undefined));
    const work = t.register.perform(sampleSale(), t.deadline);
    t.clock.after(500, () => {
      t.bench.port.refuse("кабель вынут");
      void t.bench.cable.close();
    });
    expect(await t.settled(work)).toMatchObject({ kind: "done", facts: { documentNumber: 3 } });
    expect((await t.state()).lastDocumentNumber).toBe(3);
  });

  it("goes on at a device that was switched off and on between two documents, and counts from 1 again", async () => {
    const t = await ready();
    await t.fiscal(sampleSale());
    t.bench.front.setPower(false);
    t.bench.front.setPower(true);
    expect((await t.fiscal(receiptDocument())).documentNumber).toBe(4);
  });
});

describe("a driver that finds the protocol out", () => {
  it.each([
    ["1.0", "1.0"],
    ["2.0", "2.0"],
    ["auto", "2.0"],
  ] as const)("speaks with a device of %s in %s, before and after a restart of it", async (device, spoken) => {
    const t = await ready({ protocol: "auto", device });
    expect(t.bench.protocol).toBe(spoken);
    await t.fiscal(sampleSale());
    t.bench.front.setPower(false);
    t.bench.front.setPower(true);
    await t.fiscal(receiptDocument());
    expect(t.bench.protocol).toBe(spoken);
  });

  it.each([
    ["1.0", 1_000],
    ["2.0", 0],
  ] as const)("reaches a device of %s over TCP, whose link counts silence as a loss, after %i ms", async (protocol, waitMs) => {
    const { front } = await shtrihDevice(systemClock, { protocol });
    const listener = await listenTcp({ host: "127.0.0.1", port: 0 }, systemClock, (far) => void front.serve(far));
    const register = shtrihDriver(systemClock, new TcpLink(listener.place, systemClock), { protocol: "auto" });
    onTestFinished(async () => {
      await register.close();
      await listener.close();
      await front.close();
    });
    const beginMs = systemClock.monotonicMs();
    expect((await register.inspect(deadlineIn(systemClock, 10_000))).kind).toBe("reached");
    // A timer of the system may fire a millisecond early.
    expect(systemClock.monotonicMs() - beginMs).toBeGreaterThanOrEqual(0.95 * waitMs);
  });

  it("follows a device that somebody has spoken 1.0 to since it was switched on", async () => {
    const t = await ready({ protocol: "auto" });
    t.bench.front.setPower(false);
    t.bench.front.setPower(true);
    const other = t.bench.port.link();
    await other.open();
    await other.write(Uint8Array.of(0x05));
    await t.later(0);
    expect(await t.inspect()).toMatchObject({ kind: "unreachable" });
    expect((await t.fiscal(sampleSale())).documentNumber).toBe(3);
    expect(t.bench.protocol).toBe("1.0");
  });

  it.each(["1.0", "2.0"] as const)("that was told %s does not reach a device of the other", async (protocol) => {
    const t = await Trial.on((clock) => shtrihBench(clock, { protocol, device: protocol === "1.0" ? "2.0" : "1.0" }));
    expect(await t.inspect()).toMatchObject({ kind: "unreachable", reason: expect.stringMatching(/не отвечает/) });
  });
});
