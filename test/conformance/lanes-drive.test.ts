import { describe, expect, it } from "vitest";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import type { Link } from "../../src/registers/links/link.ts";
import type { Register } from "../../src/registers/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { encodeRecord } from "../../src/registers/virtual/records.ts";
import { register, SAMPLE_SELLER } from "../../src/registers/virtual/registration.ts";
import { type LaneDevice, LaneShop, pass } from "../support/lanes.ts";
import { type MemoryLink, MemoryPort } from "../support/memory-link.ts";
import { shiftDocument } from "../support/register-documents.ts";
import { MORNING_MS, sameChance, ZONE } from "../support/registers.ts";
import { shtrihDevice, shtrihDriver } from "../support/shtrih-m-bench.ts";
import { textOf } from "../support/till.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const LIVE_DRIVE = "7380440700123456";
/** Longer than an operation takes at a register that answers. */
const OPERATION_MS = 2_000;

/** A register whose test drive can be exchanged for a live drive, which has an open shift too. */
interface Exchangeable extends LaneDevice {
  live: VirtualDevice;
  exchange(): void;
  /** Does the work once, just before the register is told to make a document. */
  beforeNext(work: () => void): void;
}

type Way = "emulator" | "told" | "untold";
const WAYS: [string, Way][] = [
  ["an emulator whose memory is read anew", "emulator"],
  ["a register whose line breaks meanwhile", "told"],
  ["a register behind a converter that stays on", "untold"],
];

async function exchangeable(clock: VirtualClock, way: Way): Promise<Exchangeable> {
  const bench = way === "emulator" ? await emulators(clock) : await onCables(clock, way);
  let next = () => {};
  return {
    ...bench,
    register: withHook(bench.register, () => {
      const work = next;
      next = () => {};
      work();
    }),
    beforeNext(work) {
      next = work;
    },
    goAway() {},
    comeBack() {},
  };
}

type Exchanged = Pick<Exchangeable, "register" | "device" | "live" | "exchange">;

async function emulators(clock: VirtualClock): Promise<Exchanged> {
  const open = async (storage: MemoryDrive) =>
    (await VirtualDevice.open({ name: "bench", storage, clock, chance: sameChance, zone: ZONE })).device;
  const [device, live] = [await open(new MemoryDrive()), await open(await liveDrive())];
  let there = device;
  const front = () => new EmulatorRegister(clock, () => Promise.resolve({ device: there, close: () => Promise.resolve() }));
  const emulator = front();
  return {
    register: emulator,
    device,
    live,
    exchange() {
      there = live;
      // As after a storage failure: the next command opens the device again.
      void emulator.close();
    },
  };
}

async function onCables(clock: VirtualClock, way: "told" | "untold"): Promise<Exchanged> {
  const test = await shtrihDevice(clock);
  const live = await shtrihDevice(clock, { drives: { drive: await liveDrive(), register: new MemoryDrive() } });
  const [near, far] = [test, live].map(({ front }) => new MemoryPort({ clock }, (end) => void front.serve(end)).link());
  if (near === undefined || far === undefined) throw new Error("no cables");
  const cable = new SwitchedCable(near);
  return {
    register: shtrihDriver(clock, cable),
    device: test.device,
    live: live.device,
    exchange: () => cable.lead(far, way),
  };
}

async function liveDrive(): Promise<MemoryDrive> {
  const storage = new MemoryDrive();
  const record = register("bench", sameChance.bytes(32), SAMPLE_SELLER, "2026-11-13 08:00:00");
  await storage.append(encodeRecord({ ...record, identity: { ...record.identity, driveNumber: LIVE_DRIVE } }));
  return storage;
}

/** A cable that can be moved to another device, with or without the host noticing it. */
class SwitchedCable implements Link {
  readonly name = "memory";
  #link: MemoryLink;

  constructor(link: MemoryLink) {
    this.#link = link;
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  lead(link: MemoryLink, way: "told" | "untold"): void {
    this.#link.cut("касса выключена");
    this.#link = link;
    if (way === "untold") void link.open();
  }

  open() {
    return this.#link.open();
  }

  write(bytes: Uint8Array) {
    return this.#link.write(bytes);
  }

  drain(deadline: Parameters<Link["drain"]>[0]) {
    return this.#link.drain(deadline);
  }

  read(deadline: Parameters<Link["read"]>[0]) {
    return this.#link.read(deadline);
  }

  close() {
    return this.#link.close();
  }
}

function withHook(driver: Register, hook: () => void): Register {
  return {
    identity: (deadline) => driver.identity(deadline),
    inspect: (deadline) => driver.inspect(deadline),
    perform(document, deadline) {
      hook();
      return driver.perform(document, deadline);
    },
    lookUp: (number, deadline) => driver.lookUp(number, deadline),
    abandon: (deadline) => driver.abandon(deadline),
    close: () => driver.close(),
  };
}

async function opened(way: Way, option = "") {
  const clock = new VirtualClock(MORNING_MS);
  const device = await exchangeable(clock, way);
  const shop = await LaneShop.open(clock, { shop: device }, option);
  const ended = async <T>(work: Promise<T>) => {
    await pass(clock, OPERATION_MS);
    return work;
  };
  const liveDocuments = () => device.live.look().memory.lastDocumentNumber;
  return { device, shop, ended, liveDocuments };
}

describe.each(WAYS)("%s", (_, way) => {
  it("is looked at before each operation: a drive in trade gets nothing from a test installation", async () => {
    const { device, shop, ended, liveDocuments } = await opened(way);
    expect(textOf(await ended(shop.openShift("shop")))).toBe("open-shift");
    expect(textOf(await ended(shop.sell("shop", "sale-1")))).toBe("receipt");
    await device.live.make(shiftDocument("open-shift"));
    device.exchange();
    expect(textOf(await ended(shop.sell("shop", "sale-2")))).toBe("drive-kind-mixed");
    expect(textOf(await ended(shop.cashIn("shop", "cash-1")))).toBe("drive-kind-mixed");
    expect(liveDocuments()).toBe(2);
  });

  // Only milliseconds pass between the inspection and the first command of a receipt, so nobody can exchange a drive in
  // between unnoticed.
  const operations = (["openShift", "sell", "cashIn"] as const).filter((operation) => !(way === "untold" && operation === "sell"));

  it.each(operations)("registers nothing by %s in a drive that came after the look", async (operation) => {
    const { device, shop, ended, liveDocuments } = await opened(way);
    if (operation !== "openShift") {
      expect(textOf(await ended(shop.openShift("shop")))).toBe("open-shift");
      await device.live.make(shiftDocument("open-shift"));
    }
    const before = { documents: liveDocuments(), drawer: device.live.look().memory.drawerKopecks };
    device.beforeNext(() => device.exchange());
    expect(textOf(await ended(shop[operation]("shop", "one")))).toBe("register-unreachable");
    expect(textOf(await ended(shop[operation]("shop", "two")))).toBe("drive-kind-mixed");
    expect({ documents: liveDocuments(), drawer: device.live.look().memory.drawerKopecks }).toEqual(before);
  });

  it("registers in whatever drive where its address says so, but each document in the one that was looked at", async () => {
    const { device, shop, ended, liveDocuments } = await opened(way, "?drive=any");
    expect(textOf(await ended(shop.openShift("shop")))).toBe("open-shift");
    await device.live.make(shiftDocument("open-shift"));
    device.beforeNext(() => device.exchange());
    expect(textOf(await ended(shop.cashIn("shop", "cash-1")))).toBe("register-unreachable");
    expect(device.live.look().memory.drawerKopecks).toBe(0);
    expect(textOf(await ended(shop.sell("shop", "sale-1")))).toBe("receipt");
    expect([liveDocuments(), await shop.driveOf("shop", "sale-1")]).toEqual([3, LIVE_DRIVE]);
  });
});
