import { onTestFinished } from "vitest";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Operation } from "../../src/model/operation.ts";
import { Lanes } from "../../src/operations/lanes.ts";
import { Recovery } from "../../src/operations/recover.ts";
import { RefusalBound } from "../../src/operations/refusal-bound.ts";
import type { OperationServices } from "../../src/operations/services.ts";
import type { Submitted } from "../../src/operations/submission.ts";
import { Operations } from "../../src/operations/submit.ts";
import { REGISTER_PROTOCOLS } from "../../src/registers/catalogue.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import type { Link } from "../../src/registers/links/link.ts";
import type { RegisterProtocol } from "../../src/registers/protocol.ts";
import { Rack } from "../../src/registers/rack.ts";
import type { Register } from "../../src/registers/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import type { Seen } from "../../src/registers/watched-register.ts";
import type { Store } from "../../src/store/database.ts";
import { type MemoryLink, MemoryPort } from "./memory-link.ts";
import { openMemoryStore } from "./memory-store.ts";
import { sameChance, temporaryFolder, ZONE } from "./registers.ts";
import { shtrihDevice, shtrihDriver } from "./shtrih-m-bench.ts";
import { cashOperation, RULES, saleOperation, shiftOperation } from "./till.ts";

/** A register of a test and its device, which the test can make unreachable. */
export interface LaneDevice {
  register: Register;
  device: VirtualDevice;
  /** Makes the device unreachable until `comeBack`. */
  goAway(): void;
  comeBack(): void;
}

/** Several points of sale, each with a register of its own behind the rack, and the operations, lanes and recovery of one server. */
export class LaneShop {
  readonly rack: Rack;
  readonly #services: OperationServices;
  readonly #operations: Operations;

  private constructor(clock: Clock, rack: Rack, store: Store, addresses: Record<string, string>) {
    this.rack = rack;
    this.#services = {
      journal: new Journal({ store, clock }),
      clock,
      chance: sameChance,
      log: silentLog,
      refusals: new RefusalBound({ clock, log: silentLog, observe: () => {} }),
      registers: rack,
      rulesOf: async (_appId, _accountId, storeId) => ({ ...RULES, register: addresses[storeId] ?? "" }),
      drivesOf: () => "test",
      draw: async () => Buffer.from("receipt"),
      lookUp: async () => ({ scale: "pinned" }),
      observe: () => {},
      returnedMore: () => {},
    };
    const lanes = new Lanes();
    this.#operations = new Operations(this.#services, lanes);
    const recovery = new Recovery(this.#services, lanes, () => rack.silent());
    recovery.start();
    // Nobody moves the clock after the test, so the waits of the recovery must be ended here.
    onTestFinished(() => void recovery.close());
  }

  /**
   * Opens the shop. `places`: for the name of each point of sale its device, or the address of a register in the catalogue. `option`
   * is an option of a device's address.
   */
  static async open(clock: Clock, places: Record<string, LaneDevice | string>, option = ""): Promise<LaneShop> {
    const devices = Object.entries(places).filter((place): place is [string, LaneDevice] => typeof place[1] !== "string");
    const protocols = [...REGISTER_PROTOCOLS, benchProtocol(new Map(devices))];
    const rack = new Rack({ clock, chance: sameChance, dataDir: await temporaryFolder(), note: () => {} }, protocols);
    // Releases the locks and ports of real devices. It is not awaited, because a device whose clock stands still may
    // never end.
    onTestFinished(() => void rack.close());
    const store = await openMemoryStore({ clock });
    const addresses = Object.entries(places).map(([name, place]) => [name, typeof place === "string" ? place : `bench:${name}${option}`]);
    return new LaneShop(clock, rack, store, Object.fromEntries(addresses));
  }

  openShift(storeId: string): Promise<Submitted> {
    const shift = { id: `shift-${storeId}`, idType: "native" } as const;
    return this.#submit(shiftOperation("open-shift", { storeId, shift }));
  }

  sell(storeId: string, id: string): Promise<Submitted> {
    return this.#submit(saleOperation(`${storeId}-${id}`, { storeId, shift: { id: `shift-${storeId}`, idType: "native" } }));
  }

  cashIn(storeId: string, id: string): Promise<Submitted> {
    return this.#submit(
      cashOperation("cash-in", `${storeId}-${id}`, 50_000, { storeId, shift: { id: `shift-${storeId}`, idType: "native" } }),
    );
  }

  /** The last known state of the register, from which the metrics are made. */
  seen(storeId: string): Seen | undefined {
    return this.rack.seen().find(({ address }) => address === `bench:${storeId}` || storeId === address);
  }

  async stateOf(storeId: string, id: string): Promise<string | undefined> {
    return (await this.#entryOf(storeId, id))?.state;
  }

  /** The number of the drive, from the facts of the document. */
  async driveOf(storeId: string, id: string): Promise<string | undefined> {
    return (await this.#entryOf(storeId, id))?.facts?.identity.driveNumber;
  }

  async #entryOf(storeId: string, id: string): Promise<Entry | undefined> {
    const entries = await this.#services.journal.list({ limit: 100 });
    return entries.find(({ key }) => key.documentId === `${storeId}-${id}`);
  }

  #submit(operation: Operation): Promise<Submitted> {
    return this.#operations.submit({
      appId: "app",
      accountId: "account",
      operation,
      contentHash: operation.document.id,
      twinHash: operation.document.id,
      answer: ({ facts }) => Buffer.from(facts.document),
    });
  }
}

/** Addresses `bench:NAME` lead to the test's own registers. */
function benchProtocol(devices: ReadonlyMap<string, LaneDevice>): RegisterProtocol {
  return {
    schemes: ["bench"],
    forms: [],
    form: "bench:NAME",
    parse(text) {
      const [canonical = "", option] = text.split("?");
      const found = devices.get(canonical.replace("bench:", ""));
      if (found === undefined) return { kind: "invalid", problem: text };
      const open = () => found.register;
      const examine = async () => ({ kind: "unreachable", reason: "a bench" }) as const;
      return {
        kind: "address",
        address: {
          canonical,
          emulated: false,
          anyDrive: option === "drive=any",
          settings: option ?? "",
          lineSums: "within-kopeck",
          limitOf: () => undefined,
          open,
          examine,
        },
      };
    },
  };
}

/** The emulator as a device of a lane. To be away, it loses its power. */
export async function emulatorLane(clock: Clock): Promise<LaneDevice> {
  const { device } = await VirtualDevice.open({ name: "bench", storage: new MemoryDrive(), clock, chance: sameChance, zone: ZONE });
  return {
    register: new EmulatorRegister(clock, () => Promise.resolve({ device, close: () => device.close() })),
    device,
    goAway: () => device.setFaults({ before: () => ({ kind: "power-cut" }) }),
    comeBack() {
      device.setFaults({ before: () => ({ kind: "go-on" }) });
      device.powerOn();
    },
  };
}

/**
 * How a device behind a cable can be gone. `unplugged`: the loss is reported, and no connection can be opened. `in a
 * black hole`: nothing is reported, and no attempt to connect is answered. `frozen`: the system accepts connections,
 * but nothing else is answered.
 */
export type Absence = "unplugged" | "in a black hole" | "frozen";
export const ABSENCES: readonly Absence[] = ["unplugged", "in a black hole", "frozen"];

/** The byte-level driver and device, with a cable between them that can fail in one of these ways. */
export async function shtrihLane(clock: Clock, absence: Absence, name = "bench"): Promise<LaneDevice> {
  const { device, front } = await shtrihDevice(clock, { name });
  let away = false;
  const port = new MemoryPort({ clock }, (far) => {
    // The system of a frozen device still accepts connections.
    if (!away) void front.serve(far);
  });
  const cable = new UnsureCable(port.link(), clock);
  return {
    register: shtrihDriver(clock, cable),
    device,
    goAway() {
      away = true;
      if (absence === "unplugged") {
        port.refuse("кабель вынут");
        cable.cut();
      } else cable.away = absence;
    },
    comeBack() {
      away = false;
      port.refuse(undefined);
      cable.back();
    },
  };
}

/** After so long without an answer a connection counts as dead, as with a TCP link. */
const DEAF_MS = 1_000;

/** A connection that may be dead without a report of it. */
class UnsureCable implements Link {
  readonly name = "memory";
  readonly #link: MemoryLink;
  readonly #clock: Clock;
  away: Absence | undefined;
  /** Whether the device has forgotten this connection, so that it will never answer on it. */
  #forgotten = false;
  #deaf = false;
  #unacknowledged = false;

  constructor(link: MemoryLink, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#link.isOpen && !this.#deaf;
  }

  async open(deadline: Parameters<Link["open"]>[0]) {
    if (this.isOpen) return { kind: "open" } as const;
    await this.#link.close();
    if (this.away === "in a black hole") {
      await new Promise<void>((resolve) => void this.#clock.after(deadline.remainingMs(), resolve));
      return { kind: "shut", reason: "касса не отвечает в сети" } as const;
    }
    this.#deaf = false;
    this.#unacknowledged = false;
    this.#forgotten = this.away === "frozen";
    return this.#link.open();
  }

  async write(bytes: Uint8Array) {
    this.#unacknowledged = this.#isLost;
    return this.#isLost ? ({ kind: "sent" } as const) : this.#link.write(bytes);
  }

  drain(deadline: Parameters<Link["drain"]>[0]) {
    return this.#link.drain(deadline);
  }

  async read(deadline: Parameters<Link["read"]>[0]) {
    const sinceMs = this.#clock.monotonicMs();
    const received = await this.#link.read(deadline);
    if (received.kind === "bytes") this.#deaf = false;
    if (received.kind === "silence" && this.#clock.monotonicMs() - sinceMs >= DEAF_MS) this.#deaf = true;
    return received;
  }

  close() {
    return this.#link.close();
  }

  cut(): void {
    this.#link.cut("кабель вынут");
  }

  /**
   * The device forgets earlier connections. The system's keep-alive would find that out, but not while the system has
   * bytes to send again: then it waits longer and longer.
   */
  back(): void {
    this.#forgotten = this.#forgotten || this.away !== undefined;
    this.away = undefined;
    if (!this.#unacknowledged) this.cut();
  }

  get #isLost(): boolean {
    return this.away !== undefined || this.#forgotten;
  }
}

/** Lets time pass in small steps. Between the steps all work that needs no time is done. */
export async function pass(clock: { advance(byMs: number): Promise<void> }, forMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += STEP_MS) {
    await clock.advance(STEP_MS);
    for (let turn = 0; turn < TURNS; turn += 1) await clock.advance(0);
  }
}

const STEP_MS = 100;
const TURNS = 20;
