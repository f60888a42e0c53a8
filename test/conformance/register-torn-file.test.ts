import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { openShtrihDevice } from "../../src/registers/shtrih-m/device/open.ts";

it.each(["drive.records", "register.records"])("a device says that it cut away an unfinished record of %s", async (file) => {
  const dataDir = mkdtempSync(join(tmpdir(), "torn-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const notes: string[] = [];
  const open = () =>
    openShtrihDevice({
      ...{ clock: systemClock, chance: systemChance, zone: "Europe/Moscow", dataDir },
      startAt: "2026-11-28 09:00:00",
      note: (text) => notes.push(text),
    });
  await (await open()).close();
  expect(notes).toEqual([]);
  appendFileSync(join(dataDir, file), "torn");
  await (await open()).close();
  expect(notes).toEqual([`an unfinished record of 4 bytes at the end of ${file} was cut away`]);
});
