import { copyFile, cp, type FileHandle, open, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { openFolder } from "../../src/registers/emulator/folder.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { DriveFile } from "../../src/registers/virtual/drive-file.ts";
import { cashDocument, sampleSale, shiftDocument } from "../support/register-documents.ts";
import { MORNING_MS, sameChance, temporaryFolder, ZONE } from "../support/registers.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

type Opener = (path: string, flags: number, mode: number) => Promise<FileHandle>;

let path: string;

beforeEach(async () => {
  path = join(await temporaryFolder(), "drive", "drive.records");
});

async function load(opener?: Opener): Promise<{ drive: DriveFile; records: string[]; positions: number[]; cutBytes: number }> {
  const drive = await DriveFile.open(path, opener);
  onTestFinished(() => drive.close().catch(expectClosed));
  const records: string[] = [];
  const positions: number[] = [];
  const { cutBytes } = await drive.load((record, position) => {
    records.push(record.toString());
    positions.push(position);
  });
  return { drive, records, positions, cutBytes };
}

/** When the test itself has closed the file, closing it again fails. */
function expectClosed(error: unknown): void {
  expect(String(error)).toContain("closed");
}

async function writeThree(): Promise<number[]> {
  const { drive } = await load();
  const positions = [
    await drive.append(Buffer.from("first")),
    await drive.append(Buffer.from("second")),
    await drive.append(Buffer.from("third")),
  ];
  await drive.close();
  return positions;
}

describe("the file of a drive", () => {
  it("gives back every record in the order of writing, and each by its position", async () => {
    const written = await writeThree();
    const { drive, records, positions, cutBytes } = await load();
    expect({ records, positions, cutBytes }).toEqual({ records: ["first", "second", "third"], positions: written, cutBytes: 0 });
    expect((await drive.read(positions[1] ?? 0)).toString()).toBe("second");
  });

  it("reads records that lie across the chunks it is read in", async () => {
    const { drive } = await load();
    const large = "x".repeat(200_000);
    for (let count = 0; count < 12; count += 1) await drive.append(Buffer.from(`${count} ${large}`));
    await drive.close();
    const { records } = await load();
    expect(records.map((record) => record.split(" ")[0])).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]);
  });

  it("cuts a last record torn at any byte and goes on after the sound ones", async () => {
    const [, , third = 0] = await writeThree();
    const whole = await readFile(path);
    for (let length = third + 1; length < whole.length; length += 1) {
      await writeFile(path, whole.subarray(0, length));
      const { drive, records, cutBytes } = await load();
      expect({ records, cutBytes }).toEqual({ records: ["first", "second"], cutBytes: length - third });
      expect((await stat(path)).size).toBe(third);
      await drive.append(Buffer.from("again"));
      await drive.close();
      expect((await load()).records).toEqual(["first", "second", "again"]);
    }
  });

  it("cuts zeros and a last record whose bytes did not all arrive", async () => {
    const [, , third = 0] = await writeThree();
    const whole = await readFile(path);
    for (const tail of [Buffer.alloc(40), Buffer.concat([whole.subarray(third, third + 18), Buffer.alloc(3)])]) {
      await writeFile(path, Buffer.concat([whole.subarray(0, third), tail]));
      const { drive, records, cutBytes } = await load();
      expect({ records, cutBytes }).toEqual({ records: ["first", "second"], cutBytes: tail.length });
      await drive.close();
    }
  });

  it("refuses a changed byte anywhere before the last record, and leaves the file as it is", async () => {
    const [, , third = 0] = await writeThree();
    const whole = await readFile(path);
    for (let at = 0; at < third; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x41;
      await writeFile(path, damaged);
      await expect(load(), `byte ${at}`).rejects.toMatchObject({ code: "drive-corrupt", kind: "dependency" });
      expect((await readFile(path)).equals(damaged)).toBe(true);
    }
  });

  it("refuses a file from which a record in the middle is missing", async () => {
    const [, second = 0, third = 0] = await writeThree();
    const whole = await readFile(path);
    await writeFile(path, Buffer.concat([whole.subarray(0, second), whole.subarray(third)]));
    await expect(load()).rejects.toMatchObject({ code: "drive-corrupt" });
  });

  it("refuses more garbage at the end than one interrupted record can leave", async () => {
    await writeThree();
    await writeFile(path, Buffer.concat([await readFile(path), Buffer.alloc(300_000, 0xaa)]));
    await expect(load()).rejects.toMatchObject({ code: "drive-corrupt" });
  });

  it("stops for good when somebody else wrote to it", async () => {
    const { drive } = await load();
    await drive.append(Buffer.from("first"));
    await writeFile(path, Buffer.concat([await readFile(path), Buffer.from("alien")]));
    await expect(drive.append(Buffer.from("second"))).rejects.toMatchObject({ code: "drive-write" });
    await truncate(path, 0);
    await expect(drive.append(Buffer.from("third"))).rejects.toMatchObject({ code: "drive-write" });
  });

  it.each(["removed", "renamed", "replaced"])("takes no record into a file that was %s", async (how) => {
    const { drive } = await load();
    await drive.append(Buffer.from("first"));
    expect(drive.inPlace()).toBe(true);
    if (how === "replaced") await copyFile(path, `${path}.copy`);
    await (how === "removed" ? rm(path) : rename(how === "renamed" ? path : `${path}.copy`, how === "renamed" ? `${path}.old` : path));
    expect(drive.inPlace()).toBe(false);
    await expect(drive.append(Buffer.from("second"))).rejects.toMatchObject({ code: "drive-write", message: expect.stringContaining(how) });
    await expect(drive.append(Buffer.from("third"))).rejects.toMatchObject({ code: "drive-write" });
  });

  it("flushes what a killed process left before it tells of it", async () => {
    await writeThree();
    let flushes = 0;
    await load(
      spying({
        datasync(file) {
          flushes += 1;
          return file.datasync();
        },
      }),
    );
    expect(flushes).toBe(1);
  });

  it("does not flush again after a flush that failed", async () => {
    let flushes = 0;
    const { drive } = await load(
      spying({
        datasync: () => {
          flushes += 1;
          return Promise.reject(new Error("EIO: i/o error"));
        },
      }),
    );
    await expect(drive.append(Buffer.from("first"))).rejects.toMatchObject({ code: "drive-write" });
    await expect(drive.append(Buffer.from("second"))).rejects.toMatchObject({ code: "drive-write" });
    expect(flushes).toBe(1);
  });

  it("says which record is damaged when one is read back", async () => {
    const [first = 0] = await writeThree();
    const { drive } = await load();
    const damaged = await readFile(path);
    damaged[first + 17] = 0;
    await writeFile(path, damaged);
    await expect(drive.read(first)).rejects.toMatchObject({ code: "drive-corrupt" });
  });
});

describe("a device on a file", () => {
  it("flushes once for each document and never otherwise", async () => {
    let flushes = 0;
    const storage = await DriveFile.open(
      path,
      spying({
        datasync(file) {
          flushes += 1;
          return file.datasync();
        },
      }),
    );
    onTestFinished(() => storage.close());
    const { device } = await VirtualDevice.open({
      name: "bench",
      storage,
      clock: new VirtualClock(MORNING_MS),
      chance: sameChance,
      zone: ZONE,
    });
    const counted: number[] = [];
    const documents = [shiftDocument("open-shift"), cashDocument("cash-in", 1), sampleSale(), sampleSale(), shiftDocument("close-shift")];
    for (const document of documents) {
      const before = flushes;
      expect((await device.make(document)).kind).toBe("answer");
      await device.state();
      await device.stored(1);
      counted.push(flushes - before);
    }
    expect(counted).toEqual([1, 1, 1, 1, 1]);
  });

  it("answers nothing more after its storage failed, until it is opened anew", async () => {
    let broken = false;
    const storage = await DriveFile.open(
      path,
      spying({ datasync: (file) => (broken ? Promise.reject(new Error("ENOSPC: no space left on device")) : file.datasync()) }),
    );
    const options = { name: "bench", clock: new VirtualClock(MORNING_MS), chance: sameChance, zone: ZONE };
    const { device } = await VirtualDevice.open({ ...options, storage });
    broken = true;
    expect(await device.make(shiftDocument("open-shift"))).toMatchObject({ kind: "silent", reached: true });
    expect(await device.state()).toMatchObject({ kind: "silent", reached: false, reason: expect.stringContaining("ENOSPC") });
    expect(device.failed).toBe(true);
    await device.close();

    const anew = await VirtualDevice.open({ ...options, storage: await DriveFile.open(path) });
    onTestFinished(() => anew.device.close());
    // The bytes had reached the file although the flush failed, so the document exists.
    expect(await anew.device.state()).toMatchObject({ kind: "answer", value: { lastDocumentNumber: 2, shift: { kind: "open" } } });
  });
});

/** Opens real files, but passes some of their operations to the test, which may make them fail. */
function spying(operations: { datasync(file: FileHandle): Promise<void> }): Opener {
  return async (name, flags, mode) => {
    const file = await open(name, flags, mode);
    return new Proxy(file, {
      get(target, property) {
        if (property === "datasync" || property === "sync") return () => operations.datasync(target);
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
}

describe("an emulator whose memory is taken away", () => {
  const services = { clock: new VirtualClock(MORNING_MS), chance: sameChance, zone: () => ZONE, note() {} };
  const deadline = () => deadlineIn(services.clock, 5_000);

  async function emulator(): Promise<{ folder: string; register: EmulatorRegister }> {
    const folder = join(await temporaryFolder(), "till-1");
    const register = new EmulatorRegister(services.clock, () => openFolder("till-1", folder, { ...services, dataDir: "" }));
    onTestFinished(() => register.close());
    expect((await register.perform(shiftDocument("open-shift"), deadline())).kind).toBe("done");
    return { folder, register };
  }

  async function seen(register: EmulatorRegister): Promise<{ number: number; drive: string }> {
    const state = await register.inspect(deadline());
    if (state.kind !== "reached") throw new Error(state.reason);
    return { number: state.value.lastDocumentNumber, drive: state.value.driveNumber };
  }

  it("shows what lies there now before anything is made, and goes on with that", async () => {
    const { folder, register } = await emulator();
    const before = await seen(register);
    await cp(folder, `${folder}-copy`, { recursive: true });
    expect((await register.perform(sampleSale(), deadline())).kind).toBe("done");
    await rename(folder, `${folder}-old`);
    await rename(`${folder}-copy`, folder);
    expect(await seen(register)).toEqual(before);
    await rm(folder, { recursive: true });
    expect((await seen(register)).number).toBe(1);
  });

  it("makes nothing in a memory that was not looked at", async () => {
    const { folder, register } = await emulator();
    await seen(register);
    await rm(folder, { recursive: true });
    const outcome = await register.perform(sampleSale(), deadline());
    expect(outcome).toMatchObject({ kind: "refused" });
    expect((await seen(register)).number).toBe(1);
  });
});
