import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemChance } from "../../src/kernel/clock.ts";
import { examineEmulator } from "../../src/registers/emulator/examination.ts";
import { DRIVE_FILE } from "../../src/registers/emulator/folder.ts";
import { MORNING_MS } from "../support/registers.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

it("an emulator whose file the system does not let be read is unreachable", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "examined-"));
  // A folder in place of the file cannot be copied, also by root.
  mkdirSync(join(dataDir, DRIVE_FILE));
  const services = {
    clock: new VirtualClock(MORNING_MS),
    chance: systemChance,
    dataDir,
    zone: "Europe/Moscow",
    zoneKnown: true,
    note() {},
  };
  expect(await examineEmulator("one", dataDir, services)).toMatchObject({ kind: "unreachable" });
});
