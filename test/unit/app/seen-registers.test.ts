import { describe, expect, it } from "vitest";
import { seenRegisters } from "../../../src/app/seen-registers.ts";
import type { RegisterState } from "../../../src/registers/register.ts";
import type { Seen } from "../../../src/registers/watched-register.ts";

const NOW_MS = Date.parse("2026-03-02T09:00:00Z");
const NO_WARNINGS = { keysExpireSoon: false, keysExpireNow: false, memoryFull: false, operatorTimeout: false, operatorMessage: 0 };
const STATE: RegisterState = {
  driveNumber: "9999078900001234",
  lastDocumentNumber: 41,
  shift: { kind: "open", number: 7, openedAt: "2026-03-02 08:00:00", expired: false },
  drawerKopecks: 150_000,
  time: "2026-03-02 12:00:00",
  paper: "present",
  documentOpen: false,
  queue: { unsent: 3 },
  drive: { phase: "fiscal", warnings: NO_WARNINGS },
};

/** What the metrics state about a register with these values. */
function told(seen: Partial<Seen>) {
  const [one] = seenRegisters([{ address: "emulator:one", emulated: true, ...seen }], NOW_MS);
  return one;
}

const stated = (changed: Partial<RegisterState> = {}, atMs = NOW_MS) => ({
  state: { value: { ...STATE, ...changed }, atMs },
  clock: { device: changed.time ?? STATE.time, ours: STATE.time, zoneKnown: true, atMs },
});

describe("the registers that were seen", () => {
  it("are told with what they last said and how long ago that was", () => {
    expect(told(stated({}, NOW_MS - 2_500))).toEqual({
      register: "emulator:one",
      ageSeconds: 2.5,
      reachable: true,
      shift: "open",
      paper: "present",
      unsent: 3,
      lastDocumentNumber: 41,
      reserves: {
        keysExpireSoon: false,
        keysExpireNow: false,
        memoryFull: false,
        operatorTimeout: false,
        unsent: 3,
        shiftExpired: false,
        shiftHours: (4 * 3_600 + 2.5) / 3_600,
        clockAheadMinutes: 0,
        zoneKnown: true,
        drivePhase: "fiscal",
        paper: "present",
        coverOpen: false,
      },
    });
  });

  it("are told in the same order, one for one", () => {
    const seen = ["emulator:b", "emulator:a"].map((address) => ({ address, emulated: true }));
    expect(seenRegisters(seen, NOW_MS).map(({ register }) => register)).toEqual(["emulator:b", "emulator:a"]);
    expect(seenRegisters([], NOW_MS)).toEqual([]);
  });

  it("are of unknown and endless age before they were ever asked", () => {
    expect(told({})).toEqual({
      register: "emulator:one",
      ageSeconds: Number.POSITIVE_INFINITY,
      reachable: true,
      shift: "unknown",
      paper: "unknown",
      unsent: 0,
      lastDocumentNumber: 0,
      reserves: {},
    });
  });

  it("stay as they were last seen while they cannot be reached", () => {
    const unreachable = { reason: "no answer", atMs: NOW_MS };
    expect(told({ ...stated(), unreachable })).toMatchObject({ reachable: false, shift: "open", paper: "present", unsent: 3 });
    expect(told({ unreachable })).toMatchObject({ reachable: false, shift: "unknown" });
  });

  it.each([
    ["closed", { kind: "closed", lastNumber: 6 }],
    ["expired", { kind: "open", number: 7, openedAt: "2026-03-01 08:00:00", expired: true }],
  ] as const)("have a shift that is %s", (word, shift) => {
    expect(told(stated({ shift }))).toMatchObject({ shift: word });
  });

  it.each(["out", "unknown"] as const)("have paper that is %s", (paper) => {
    expect(told(stated({ paper }))).toMatchObject({ paper });
  });

  it("are never younger than nothing when the machine's clock was set back", () => {
    expect(told(stated({}, NOW_MS + 60_000))).toMatchObject({ ageSeconds: 0 });
  });

  const reservesOf = (changed: Partial<RegisterState>, atMs = NOW_MS) => told(stated(changed, atMs))?.reserves;
  const HOUR_MS = 3_600_000;

  it("have so many days until their keys end, which go by while nobody looks", () => {
    const drive = {
      phase: "fiscal",
      keysUntil: "2026-03-09 00:00:00",
      documentsLeft: 120,
      warnings: { ...NO_WARNINGS, memoryFull: true },
    } as const;
    expect(reservesOf({ drive })).toMatchObject({ keyDays: 6.5, documentsLeft: 120, memoryFull: true });
    expect(reservesOf({ drive }, NOW_MS - 12 * HOUR_MS)).toMatchObject({ keyDays: 6 });
  });

  it("have a shift that grows older while nobody looks, and none when it is closed or its beginning unknown", () => {
    expect(reservesOf({}, NOW_MS - 20 * HOUR_MS)).toMatchObject({ shiftHours: 24 });
    expect(reservesOf({ shift: { kind: "closed", lastNumber: 6 } })).toMatchObject({ shiftHours: 0, shiftExpired: false });
    expect(reservesOf({ shift: { kind: "open", number: 7, openedAt: "", expired: true } })).not.toHaveProperty("shiftHours");
  });

  it("have a queue that was as old as it was when they were seen: it may be empty by now", () => {
    const queue = { unsent: 2, since: "2026-02-20 12:00:00" };
    expect(reservesOf({ queue }, NOW_MS - 500 * HOUR_MS)).toMatchObject({ queueDays: 10, unsent: 2 });
    expect(reservesOf({ queue: { unsent: 0 } })).toMatchObject({ queueDays: 0 });
    expect(reservesOf({ queue: { unsent: 2 } })).not.toHaveProperty("queueDays");
  });

  it("have a clock that is off by what it was when they were asked for it", () => {
    expect(reservesOf({ time: "2026-03-02 12:04:30" })).toMatchObject({ clockAheadMinutes: 4.5 });
    expect(reservesOf({ time: "2026-03-02 11:55:30" }, NOW_MS - HOUR_MS)).toMatchObject({ clockAheadMinutes: -4.5 });
  });
});
