import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { decodeRecord } from "../../src/registers/virtual/records.ts";
import { type Bench, sameChance, Trial, ZONE } from "./registers.ts";
import { shtrihBench } from "./shtrih-m-bench.ts";

/** A drive that can forget its newest documents, as if it were restored from a copy. */
export class ForgetfulDrive extends MemoryDrive {
  #records: Buffer[] = [];

  override load(each: (record: Buffer, position: number) => void) {
    this.#records.forEach(each);
    return Promise.resolve({ records: this.#records.length, cutBytes: 0 });
  }

  override append(record: Buffer): Promise<number> {
    return Promise.resolve(this.#records.push(record) - 1);
  }

  override read(position: number): Promise<Buffer> {
    const record = this.#records[position];
    return record === undefined ? Promise.reject(new RangeError(`no record at ${position}`)) : Promise.resolve(record);
  }

  /** All present records, the oldest first. */
  get records(): readonly Buffer[] {
    return this.#records;
  }

  /** Puts forgotten records back. */
  remember(records: readonly Buffer[]): void {
    this.#records = [...records];
  }

  /** Removes so many of the newest fiscal documents, and all records between them and after them. */
  forget(documents: number): void {
    const places = this.#records.flatMap((record, place) => (isDocument(record) ? [place] : []));
    this.#records = this.#records.slice(0, places.at(-documents));
  }
}

function isDocument(record: Buffer): boolean {
  const { kind } = decodeRecord(record);
  return kind === "fiscal" || kind === "state-report";
}

/** The byte-level device with such a drive. */
export async function forgetfulShtrihTrial(): Promise<{ trial: Trial; drive: ForgetfulDrive }> {
  const drive = new ForgetfulDrive();
  const drives = { drive, register: new MemoryDrive() };
  return { trial: await Trial.on<Bench>((clock) => shtrihBench(clock, { drives })), drive };
}

/** An emulator with such a drive. `restart` reads the records that are left. */
export async function forgetfulTrial(): Promise<{ trial: Trial; drive: ForgetfulDrive }> {
  const drive = new ForgetfulDrive();
  const trial = await Trial.on(async function bench(clock): Promise<Bench> {
    const { device } = await VirtualDevice.open({ name: "bench", storage: drive, clock, chance: sameChance, zone: ZONE });
    const register = new EmulatorRegister(clock, () => Promise.resolve({ device, close: () => device.close() }));
    return { register, device, seconds: true, restart: () => bench(clock) };
  });
  return { trial, drive };
}
