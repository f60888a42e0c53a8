import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { ConcernLog } from "../../src/app/concern-log.ts";
import { Metrics } from "../../src/app/metrics.ts";
import { seenRegisters } from "../../src/app/seen-registers.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { CONCERNS, concernsOf } from "../../src/model/concerns.ts";
import { findingsOf } from "../../src/registers/examination-findings.ts";
import type { Facts } from "../../src/registers/examination-schema.ts";
import type { RegisterProtocol } from "../../src/registers/protocol.ts";
import { Rack } from "../../src/registers/rack.ts";
import type { RegisterState } from "../../src/registers/register.ts";
import { examine } from "../../src/registers/shtrih-m/examination/examination.ts";
import { watched } from "../../src/registers/shtrih-m/examination/line.ts";
import { Connection } from "../../src/registers/shtrih-m/session/connection.ts";
import type { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryPort } from "../support/memory-link.ts";
import { receiptDocument, shiftDocument } from "../support/register-documents.ts";
import { DAY_MS, HOUR_MS, MORNING_MS, sameChance, ZONE } from "../support/registers.ts";
import { shtrihDevice, shtrihDriver } from "../support/shtrih-m-bench.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const MINUTE_MS = 60_000;
const ADDRESS = "bench:one";

/** Lines about a register: `paper stops-now There is no paper …`. */
type Said = string[];

/** One device, a server's rack that inspects it, and an examination of it. */
class Ward {
  readonly clock = new VirtualClock(MORNING_MS);
  readonly device: VirtualDevice;
  readonly #port: MemoryPort;
  readonly #rack: Rack;

  private constructor(clock: VirtualClock, device: VirtualDevice, port: MemoryPort) {
    this.clock = clock;
    this.device = device;
    this.#port = port;
    const open = () => shtrihDriver(clock, port.link());
    const unreachable = { kind: "unreachable", reason: "a bench" } as const;
    const place = { canonical: ADDRESS, settings: "", emulated: false, anyDrive: false, lineSums: "within-kopeck" } as const;
    const address = { ...place, limitOf: () => undefined, open, examine: async () => unreachable };
    const protocol: RegisterProtocol = { schemes: ["bench"], form: ADDRESS, forms: [], parse: () => ({ kind: "address", address }) };
    this.#rack = new Rack({ clock, chance: sameChance, dataDir: "nowhere", note() {} }, [protocol]);
  }

  static async open(): Promise<Ward> {
    const clock = new VirtualClock(MORNING_MS);
    const { device, front } = await shtrihDevice(clock);
    await device.make(shiftDocument("open-shift"));
    return new Ward(clock, device, new MemoryPort({ clock }, (far) => void front.serve(far)));
  }

  /** The server's report: in its metrics and in its log, both from one inspection. */
  async server(zone: string, zoneKnown: boolean): Promise<{ said: Said; metric: Said; log: Said }> {
    const seen = await this.#settled(this.#rack.at(ADDRESS, zone, zoneKnown).inspect(deadlineIn(this.clock, 60_000)));
    if (seen.kind !== "reached") throw new Error(seen.reason);
    const registers = () => seenRegisters(this.#rack.seen(), this.clock.nowMs());
    const said = registers()
      .flatMap(({ reserves }) => concernsOf(reserves))
      .map(({ about, weight, words }) => `${about} ${weight} ${words}`);
    const sources = { lanes: () => [], stopped: () => [], registers, journal: async () => ({}) };
    const text = await new Metrics({ version: "1", sources, ofProcess: false }).text();
    const metric = Array.from(
      text.matchAll(/^fiscal_register_concern\{.*about="([a-z-]+)"\} (\d)$/gm),
      ([, about, weight]) => `${about} ${WEIGHTS[Number(weight)]}`,
    );
    return { said, metric, log: await this.#logged(registers) };
  }

  async #logged(registers: () => ReturnType<typeof seenRegisters>): Promise<Said> {
    const lines: Said = [];
    const line = (level: string) => (values: Record<string, unknown>, words: string) =>
      void lines.push(`${values.about} ${LEVELS[level]} ${words}`);
    const log = { trace() {}, debug() {}, info() {}, warn: line("warn"), error: line("error") };
    const concernLog = new ConcernLog({ registers, clock: this.clock, log });
    concernLog.start();
    await this.clock.advance(0);
    await concernLog.close();
    return lines;
  }

  /** The report of `doctor` about the same device. */
  async doctor(zone: string, zoneKnown: boolean): Promise<Said> {
    const { clock } = this;
    const { link, note, traffic } = watched(this.#port.link(), () => {});
    const connection = new Connection({ link, clock, passwords: { operator: 1, system: 30 }, protocol: "1.0", acknowledgeMs: 3_000, note });
    onTestFinished(() => connection.close());
    const services = { clock, chance: sameChance, dataDir: "", zone, zoneKnown, note };
    const device = { address: ADDRESS, connection, traffic, print: "paper" as const };
    const examined = await this.#settled(examine(device, services, deadlineIn(clock, 180_000)));
    await connection.close();
    if (examined.kind !== "examined") throw new Error(JSON.stringify(examined));
    const known: readonly string[] = CONCERNS;
    const found = examined.examination.findings.filter(({ about }) => known.includes(about));
    return found.map(({ about, weight, words }) => `${about} ${weight} ${words}`).toSorted();
  }

  async #settled<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    void work.finally(() => {
      ended = true;
    });
    for (let turns = 0; !ended; turns += 1) await this.clock.advance(turns < 50 ? 0 : 10);
    return work;
  }
}

const WEIGHTS: Record<number, string> = { 1: "stops-soon", 2: "stops-now" };
const LEVELS: Record<string, string> = { warn: "stops-soon", error: "stops-now" };

/** How each concern is brought about at a device. `zone`: the zone that is stated for the register, and whether it is certain. */
const CAUSES: Record<string, { about: string[]; come(ward: Ward): Promise<unknown>; zone?: [string, boolean] }> = {
  "nothing is wrong": { about: [], come: async () => {} },
  "the keys end within a month": { about: ["drive-keys stops-soon"], come: async ({ device }) => device.setFaults({ keyDays: () => 20 }) },
  "the keys end within three days": {
    about: ["drive-keys stops-soon"],
    come: async ({ device }) => device.setFaults({ keyDays: () => 2 }),
  },
  "the keys have ended": {
    about: ["drive-keys stops-now"],
    async come({ device, clock }) {
      await device.make(shiftDocument("close-shift"));
      await clock.advance(1_111 * DAY_MS);
    },
  },
  "the memory is nearly full": {
    about: ["drive-memory stops-soon"],
    come: async ({ device }) => device.setFaults({ memoryUsed: () => 0.995 }),
  },
  "the memory is full": { about: ["drive-memory stops-now"], come: async ({ device }) => device.setFaults({ memoryUsed: () => 1 }) },
  ...Object.fromEntries(
    [
      [4, "stops-soon"],
      [12, "stops-soon"],
      [31, "stops-now"],
    ].map(([days, weight]) => [
      `documents have waited for ${days} days`,
      {
        about: [`queue ${weight}`],
        async come({ device, clock }: Ward) {
          device.setFaults({ operatorDelayMs: () => Number.POSITIVE_INFINITY });
          await device.make(shiftDocument("close-shift"));
          await clock.advance(Number(days) * DAY_MS);
        },
      },
    ]),
  ),
  "the shift is old": { about: ["shift stops-soon"], come: ({ clock }) => clock.advance(21 * HOUR_MS) },
  "the shift is too old": { about: ["shift stops-now"], come: ({ clock }) => clock.advance(25 * HOUR_MS) },
  "the clock is off by minutes": {
    about: ["clock stops-soon"],
    come: async ({ device }) => device.setFaults({ clockOffsetMs: () => 4 * MINUTE_MS }),
  },
  "the clock is off by more": {
    about: ["clock stops-now"],
    come: async ({ device }) => device.setFaults({ clockOffsetMs: () => 40 * MINUTE_MS }),
  },
  "the register may stand in another zone": { about: ["clock stops-soon"], come: async () => {}, zone: ["Asia/Omsk", false] },
  "the register stands in its zone for certain": { about: ["clock stops-now"], come: async () => {}, zone: ["Asia/Omsk", true] },
  "the register stands in the zone that is set": {
    about: [],
    come: async ({ device }) => device.setFaults({ clockOffsetMs: () => 3 * HOUR_MS }),
    zone: ["Asia/Omsk", true],
  },
  "the clock is behind the newest document": {
    about: ["clock stops-now", "clock-behind stops-now"],
    async come({ device }) {
      await device.make(receiptDocument());
      device.setFaults({ clockOffsetMs: () => -20 * MINUTE_MS });
    },
  },
  "there is no paper": { about: ["paper stops-now"], come: async ({ device }) => device.setPaper(false) },
};

describe("log, metrics and doctor", () => {
  const walked = new Set<string>();
  /** Concerns that no test device can have are tested below by stated values. */
  afterAll(() => expect([...walked, "drive-phase", "cover"].toSorted()).toEqual([...CONCERNS].toSorted()));

  it.each(Object.entries(CAUSES))(
    "say the same of a register with the same weight where %s",
    async (_title, { about, come, zone = [ZONE, true] }) => {
      const ward = await Ward.open();
      await come(ward);
      const { said, metric, log } = await ward.server(...zone);
      expect(metric.toSorted()).toEqual(about.toSorted());
      expect(log).toEqual(said);
      expect(said.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual(about);
      expect(await ward.doctor(...zone)).toEqual(said.toSorted());
      for (const line of about) walked.add(line.split(" ")[0] ?? "");
    },
  );

  it.each<[string, Partial<RegisterState>, Partial<Facts>]>([
    ["a drive that is not registered", { drive: driveIn("ready") }, { drive: { ...factsOf().drive, phase: "ready" } }],
    ["a drive whose archive is closed", { drive: driveIn("closed") }, { drive: { ...factsOf().drive, phase: "closed" } }],
    ["an open cover", { coverOpen: true }, { paper: { roll: "present", cover: "open", mechanism: "idle" } }],
    [
      "paper that ended within a document",
      { paper: "out", paperEndedWithin: true },
      { paper: { roll: "out", cover: "closed", mechanism: "waits-for-paper" } },
    ],
    ["a register that prints nothing", { paper: "unknown" }, {}],
  ])("say the same of %s", (_title, state, facts) => {
    const clock = { device: "2026-11-28 10:00:00", ours: "2026-11-28 10:00:00", zoneKnown: true, atMs: 0 };
    const [seen] = seenRegisters([{ address: ADDRESS, emulated: false, state: { value: { ...STATE, ...state }, atMs: 0 }, clock }], 0);
    const judged = concernsOf(seen?.reserves ?? {}).map(({ bound: _, ...concern }) => concern);
    expect(findingsOf({ ...factsOf(), ...facts })).toEqual(judged);
  });

  it("do not hold paper against a register that is kept from printing", () => {
    const paper = { roll: "out", cover: "open", mechanism: "idle" } as const;
    expect(findingsOf({ ...factsOf(), paper }, [], false)).toEqual([]);
  });
});

function driveIn(phase: RegisterState["drive"]["phase"]): RegisterState["drive"] {
  return { ...STATE.drive, phase };
}

const NO_WARNINGS = { keysExpireSoon: false, keysExpireNow: false, memoryFull: false, operatorTimeout: false, operatorMessage: 0 };
const STATE: RegisterState = {
  driveNumber: "7380440900000001",
  lastDocumentNumber: 1,
  shift: { kind: "closed", lastNumber: 0 },
  drawerKopecks: 0,
  time: "2026-11-28 10:00:00",
  paper: "present",
  documentOpen: false,
  queue: { unsent: 0 },
  drive: { phase: "fiscal", warnings: NO_WARNINGS },
};

function factsOf(): Facts {
  return {
    address: ADDRESS,
    examinedAt: "2026-11-28T07:00:00.000Z",
    identity: { serialNumber: "1", registrationNumber: "2", inn: "3", taxSystems: ["osn"] },
    drive: { number: "7380440900000001", kind: "live", phase: "fiscal", warnings: [] },
    clock: { device: "2026-11-28 10:00:00", ours: "2026-11-28 10:00:00", zone: ZONE, zoneKnown: true, aheadSeconds: 0 },
    paper: { roll: "present", cover: "closed", mechanism: "idle" },
    shift: { state: "closed" },
    tables: [],
    rates: [],
    unanswered: [],
  };
}
