import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ConcernLog } from "../../../src/app/concern-log.ts";
import type { SeenRegister } from "../../../src/app/metrics.ts";
import { seenRegisters } from "../../../src/app/seen-registers.ts";
import { deadlineIn } from "../../../src/kernel/deadline.ts";
import type { Reserves } from "../../../src/model/concerns.ts";
import { Rack } from "../../../src/registers/rack.ts";
import { shiftDocument } from "../../support/register-documents.ts";
import { DAY_MS, HOUR_MS, MORNING_MS, sameChance, temporaryFolder, ZONE } from "../../support/registers.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const MINUTE_MS = 60_000;

let clock: VirtualClock;
let lines: string[];

beforeEach(() => {
  clock = new VirtualClock(MORNING_MS);
  lines = [];
});

const seen = (register: string, reserves: Reserves): SeenRegister => ({
  register,
  ageSeconds: 0,
  reachable: true,
  shift: "open",
  paper: "present",
  unsent: 0,
  lastDocumentNumber: 1,
  reserves,
});

function watching(registers: () => SeenRegister[]): ConcernLog {
  const say = (level: string) => (values: Record<string, unknown>, text: string) =>
    void lines.push(`${level} ${values.register} ${values.about}: ${text}`);
  const log = { trace: say("trace"), debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
  const concernLog = new ConcernLog({ registers, clock, log });
  onTestFinished(() => concernLog.close());
  concernLog.start();
  return concernLog;
}

/** The log's lines since the last call. */
function taken(): string[] {
  const came = lines;
  lines = [];
  return came;
}

describe("concerns in the log", () => {
  it("tells each bound once, however often it looks, and what stops the register as an error", async () => {
    let keyDays = 31;
    watching(() => [seen("emulator:a", { keyDays })]);
    const told: string[] = [];
    for (; keyDays > -2; keyDays -= 0.25) {
      await clock.advance(6 * HOUR_MS);
      told.push(...taken());
    }
    expect(told).toEqual([
      "warn emulator:a drive-keys: The keys of the fiscal drive end in 29 days.",
      "warn emulator:a drive-keys: The keys of the fiscal drive end in 6 days.",
      "warn emulator:a drive-keys: The keys of the fiscal drive end in 2 days.",
      "error emulator:a drive-keys: The keys of the fiscal drive have ended: it refuses documents (05h).",
    ]);
  });

  it("tells of every register by itself", async () => {
    watching(() => [
      seen("emulator:a", { shiftHours: 21 }),
      seen("emulator:b", { shiftHours: 21, documentsLeft: 0 }),
      seen("emulator:c", {}),
    ]);
    await clock.advance(3 * MINUTE_MS);
    expect(taken()).toEqual([
      "warn emulator:a shift: The shift is open for 21 hours; receipts stop at 24.",
      "error emulator:b drive-memory: The memory of the fiscal drive is full: it refuses documents (06h).",
      "warn emulator:b shift: The shift is open for 21 hours; receipts stop at 24.",
    ]);
  });

  it("tells a value that crosses its bound again and again once, and anew after an hour within the bound", async () => {
    let clockAheadMinutes = 3;
    watching(() => [seen("emulator:a", { clockAheadMinutes })]);
    for (const next of [2.9, 3, 2.9, 3.1, 2.9]) {
      clockAheadMinutes = next;
      await clock.advance(MINUTE_MS);
    }
    expect(taken()).toHaveLength(1);
    await clock.advance(HOUR_MS + MINUTE_MS);
    clockAheadMinutes = 4;
    await clock.advance(MINUTE_MS);
    expect(taken()).toEqual([
      "warn emulator:a clock: The register's clock is 4 minutes ahead of the server's; five minutes are the limit.",
    ]);
  });

  it("judges registers by what they said last, also when nobody has asked them for weeks", async () => {
    const dataDir = await temporaryFolder();
    const rack = new Rack({ clock, chance: sameChance, dataDir, note() {} });
    onTestFinished(() => rack.close());
    const register = rack.at("emulator:a", ZONE);
    const soon = () => deadlineIn(clock, 10_000);
    await register.perform(shiftDocument("open-shift"), soon());
    await register.inspect(soon());
    watching(() => seenRegisters(rack.seen(), clock.nowMs()));
    await clock.advance(19 * HOUR_MS);
    expect(taken()).toEqual([]);
    await clock.advance(6 * HOUR_MS);
    expect(taken().map((line) => line.replace(/: .*/, ""))).toEqual([
      "warn emulator:a shift",
      "warn emulator:a shift",
      "error emulator:a shift",
    ]);
    clock.jumpTo(MORNING_MS + 1_085 * DAY_MS);
    await clock.advance(MINUTE_MS);
    expect(taken()).toEqual(["warn emulator:a drive-keys: The keys of the fiscal drive end in 24 days."]);
  });
});
