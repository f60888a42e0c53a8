import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import type { RegisterDocument } from "../../src/model/document.ts";
import { listenTcp } from "../../src/registers/links/tcp.ts";
import { Rack } from "../../src/registers/rack.ts";
import type { Outcome, Register } from "../../src/registers/register.ts";
import { openShtrihDevice } from "../../src/registers/shtrih-m/device/open.ts";
import { allowedMs } from "../support/hostile/yardstick.ts";
import { cashDocument, receiptDocument, receiptLine, sampleSale, shiftDocument, tendersOf } from "../support/register-documents.ts";
import { temporaryFolder, ZONE } from "../support/registers.ts";

/**
 * A device at a TCP port of this machine, its address, and another address that is not known as the same: a second port, like that
 * of a converter.
 */
async function deviceAtPort(printMs = 0): Promise<{ address: string; another: string; documents(): Promise<number> }> {
  const device = await openShtrihDevice({ clock: systemClock, chance: systemChance, zone: ZONE, printMs });
  const listen = () => listenTcp({ host: "127.0.0.1", port: 0 }, systemClock, (far) => void device.front.serve(far));
  const [listener, second] = [await listen(), await listen()];
  onTestFinished(async () => {
    await listener.close();
    await second.close();
    await device.close();
  });
  return {
    address: `shtrih-m+tcp://127.0.0.1:${listener.place.port}`,
    another: `shtrih-m+tcp://127.0.0.1:${second.place.port}`,
    documents: async () => (await device.front.documents()).length,
  };
}

async function rackOf(notes: string[] = []): Promise<Rack> {
  const rack = new Rack({
    clock: systemClock,
    chance: systemChance,
    dataDir: await temporaryFolder(),
    note: (level, text, values) => notes.push(`${level} ${text} ${JSON.stringify(values)}`),
    tracing: true,
  });
  onTestFinished(() => rack.close());
  return rack;
}

function perform(register: Register, document: RegisterDocument): Promise<Outcome> {
  return register.perform(document, deadlineIn(systemClock, 30_000));
}

describe("a register over TCP, through the rack", () => {
  let rack: Rack;
  const notes: string[] = [];

  beforeEach(async () => {
    notes.length = 0;
    rack = await rackOf(notes);
  });

  it("makes a whole shift, and its log shows neither passwords nor buyers", async () => {
    const { address, documents } = await deviceAtPort();
    const register = rack.at(`${address}?systemPassword=30&operatorPassword=1`, ZONE);
    const day = [
      shiftDocument("open-shift"),
      cashDocument("cash-in", 100_000),
      sampleSale({ buyerContact: "buyer@example.org" }),
      receiptDocument({ sign: 2, tenders: tendersOf({ cashKopecks: 10_000 }) }),
      cashDocument("cash-out", 5_000),
      shiftDocument("close-shift"),
    ];
    for (const document of day) expect(await perform(register, document)).toMatchObject({ kind: "done" });
    expect(await documents()).toBe(5);
    const [seen] = rack.seen();
    expect(seen).toMatchObject({ address, emulated: false });
    const log = notes.join("\n");
    expect(log).toContain("FF45 close receipt");
    expect(log).not.toContain(
      Buffer.from("buyer@")
        .toString("hex")
        .toUpperCase()
        .replace(/(..)(?!$)/g, "$1 "),
    );
    // The password after marker, length and code must not be in the log.
    expect(log).not.toMatch(/"02 \w\w (?:FF )?\w\w (?:1E|01) 00 00 00/);
  });

  it("registers a receipt of two hundred positions", async () => {
    const { address } = await deviceAtPort();
    const register = rack.at(address, ZONE);
    await perform(register, shiftDocument("open-shift"));
    const lines = Array.from({ length: 200 }, (_, at) => receiptLine({ name: `Товар № ${at + 1}` }));
    const long = receiptDocument({
      lines,
      totalKopecks: 2_000_000,
      tenders: tendersOf({ cashKopecks: 2_000_000 }),
      vatTotals: [{ vat: 11, sumKopecks: 360_600 }],
    });
    const outcome = await perform(register, long);
    expect(outcome).toMatchObject({ kind: "done", facts: { documentNumber: 3, receipt: { totalKopecks: 2_000_000 } } });
    expect(await register.lookUp(3, deadlineIn(systemClock, 10_000))).toMatchObject({ kind: "found", reference: "ref-sale" });
  });

  it("is held by one process at a time, and given back with it", async () => {
    const { address } = await deviceAtPort();
    expect((await rack.at(address, ZONE).inspect(deadlineIn(systemClock, 5_000))).kind).toBe("reached");
    const other = await rackOf();
    const refused = await other.at(address, ZONE).inspect(deadlineIn(systemClock, 2_000));
    expect(refused).toEqual({ kind: "unreachable", reason: "кассой управляет другая программа" });
    await rack.close();
    expect((await other.at(address, ZONE).inspect(deadlineIn(systemClock, 5_000))).kind).toBe("reached");
  });

  it("is one register by whichever name of this machine, and its sales take turns", async () => {
    const { address, documents } = await deviceAtPort();
    const named = rack.at(address.replace("127.0.0.1", "localhost"), ZONE);
    expect(rack.at(address, ZONE)).toBe(named);
    await perform(named, shiftDocument("open-shift"));
    const sales = [rack.at(address, ZONE), named].map((register) => perform(register, sampleSale()));
    for (const sold of await Promise.all(sales)) expect(sold).toMatchObject({ kind: "done" });
    expect(await documents()).toBe(4);
  });

  it("is refused at a second address that leads to it, in words that name both", async () => {
    const { address, another, documents } = await deviceAtPort();
    const [first, second] = [rack.at(address, ZONE), rack.at(another, ZONE)];
    await perform(first, shiftDocument("open-shift"));
    const soon = () => deadlineIn(systemClock, 5_000);
    const seen = await second.inspect(soon());
    const reason = seen.kind === "unreachable" ? seen.reason : "";
    expect(reason).toContain(`адрес ${another} ведёт к кассе № `);
    expect(reason).toContain(`работает по адресу ${address}; укажите в настройке register`);
    const [sold, refused] = await Promise.all([perform(first, sampleSale()), perform(second, sampleSale())]);
    expect(sold).toMatchObject({ kind: "done" });
    expect(refused).toEqual({ kind: "refused", refusal: { code: "register-unreachable", details: { reason } } });
    expect(await second.abandon(soon())).toEqual({ kind: "unreachable", reason });
    expect(await documents()).toBe(3);
    expect(notes.join("\n")).toContain("two addresses lead to one register");
    // The register answers, so it is no longer asked for its return.
    expect(rack.silent()).toEqual([]);
  });

  it("is held by one process at a second address too", async () => {
    const { address, another } = await deviceAtPort();
    expect((await rack.at(address, ZONE).inspect(deadlineIn(systemClock, 5_000))).kind).toBe("reached");
    const other = await rackOf();
    const refused = await other.at(another, ZONE).inspect(deadlineIn(systemClock, 5_000));
    expect(refused).toEqual({ kind: "unreachable", reason: "кассой управляет другая программа" });
    await rack.close();
    expect((await other.at(another, ZONE).inspect(deadlineIn(systemClock, 5_000))).kind).toBe("reached");
  });

  it("tells in words that nobody listens there", async () => {
    const asked = await rack.at("shtrih-m+tcp://127.0.0.1:1", ZONE).inspect(deadlineIn(systemClock, 1_000));
    expect(asked).toMatchObject({ kind: "unreachable", reason: expect.stringMatching(/[а-я]{4}/) });
  });

  it("answers while the device prints: the sale is done at once, the next one waits", async () => {
    const { address, documents } = await deviceAtPort(700);
    const register = rack.at(address, ZONE);
    await perform(register, shiftDocument("open-shift"));
    const first = systemClock.monotonicMs();
    expect((await perform(register, receiptDocument())).kind).toBe("done");
    const second = systemClock.monotonicMs();
    expect((await register.inspect(deadlineIn(systemClock, 5_000))).kind).toBe("reached");
    const tookMs = systemClock.monotonicMs() - second;
    expect(tookMs).toBeLessThan(allowedMs(tookMs, 500));
    expect((await perform(register, receiptDocument())).kind).toBe("done");
    expect(systemClock.monotonicMs() - first).toBeGreaterThan(600);
    expect(await documents()).toBe(4);
  });
});
