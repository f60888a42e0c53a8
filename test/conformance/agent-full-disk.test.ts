import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AttemptRecord } from "../../src/agent/record.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { PlayedShop } from "../support/agent-shop.ts";
import { cashDocument, shiftDocument } from "../support/register-documents.ts";

/** Only a privileged user of Linux can mount a small disk. The other cases are in agent-service.test.ts, with bounded record files. */
const CAN_MOUNT = process.platform === "linux" && process.getuid?.() === 0 && mayMount();

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "agent-mount-"));
  try {
    mount(folder);
    execFileSync("umount", [folder]);
    return true;
  } catch {
    return false;
  }
}

function mount(folder: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], { stdio: "ignore" });
}

function smallDisk(): string {
  const folder = mkdtempSync(join(tmpdir(), "agent-disk-"));
  mount(folder);
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  return folder;
}

/** Writes until the disk is full. */
function fill(file: string): void {
  const handle = openSync(file, "w");
  const isWritten = (bytes: number) => {
    try {
      return writeSync(handle, Buffer.alloc(bytes)) > 0;
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
      return false;
    }
  };
  for (const bytes of [65_536, 4_096, 1]) while (isWritten(bytes));
  closeSync(handle);
}

describe.skipIf(!CAN_MOUNT)("an agent whose disk is full", () => {
  it("still stores the outcome of the document under way, and begins no other", async () => {
    const data = smallDisk();
    const emulators = mkdtempSync(join(tmpdir(), "agent-emulators-"));
    const shop = new PlayedShop({ data, emulators });
    const wire = await shop.ready();
    await wire.perform("a-0", shiftDocument("open-shift"));
    const number = wire.begin({ do: "perform", attempt: "a-1", hash: "h", needs: [], document: cashDocument("cash-in", 100) });
    await wire.until(({ accepted }) => accepted === number);
    fill(join(data, "filler"));
    wire.send({ go: number });
    expect(await wire.answer(number)).toMatchObject({ result: { kind: "done" } });

    fill(join(data, "filler-2"));
    const second = { do: "perform", attempt: "a-2", hash: "h", needs: [], document: cashDocument("cash-in", 200) };
    expect(await wire.ask(second)).toMatchObject({ failed: { code: "record-failed" } });
    expect((await wire.ask({ do: "inspect" })).result).toMatchObject({ value: { drawerKopecks: 100 } });

    rmSync(join(data, "filler"));
    rmSync(join(data, "filler-2"));
    expect((await wire.perform("a-3", cashDocument("cash-in", 400))).result).toMatchObject({ kind: "done" });
    await shop.kill();
    const record = AttemptRecord.open(shop.folder.record, { clock: shop.clock, chance: systemChance });
    expect(record.find("a-1")).toMatchObject({ state: "done" });
    expect(record.find("a-2")).toBeUndefined();
    record.close();
  });
});
