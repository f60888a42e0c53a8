import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { decodeRecord } from "../../src/registers/virtual/records.ts";
import { type Bench, sameChance, Trial, ZONE } from "./registers.ts";
import { shtrihBench } from "./shtrih-m-bench.ts";

/** A drive that can be put back to what it was some documents ago, as one that is restored from a copy of itself. */
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

  /** Every record that there is, the oldest first. */
  get records(): readonly Buffer[] {
    return this.#records;
  }

  /** Puts records back that were forgotten. */
  remember(records: readonly Buffer[]): void {
    this.#records = [...records];
  }

  /** Takes the newest fiscal documents away, with whatever came between and behind them. */
  forget(documents: number): void {
    const places = this.#records.flatMap((record, place) => (isDocument(record) ? [place] : []));
    this.#records = this.#records.slice(0, places.at(-documents));
  }
}

function isDocument(record: Buffer): boolean {
  const { kind } = decodeRecord(record);
  return kind === "fiscal" || kind === "state-report";
}

/** The byte-level device on such a drive. */
export async function forgetfulShtrihTrial(): Promise<{ trial: Trial; drive: ForgetfulDrive }> {
  const drive = new ForgetfulDrive();
  const drives = { drive, register: new MemoryDrive() };
  return { trial: await Trial.on<Bench>((clock) => shtrihBench(clock, { drives })), drive };
}

/** An emulator on such a drive: `restart` reads what is left of it. */
export async function forgetfulTrial(): Promise<{ trial: Trial; drive: ForgetfulDrive }> {
  const drive = new ForgetfulDrive();
  const trial = await Trial.on(async function bench(clock): Promise<Bench> {
    const { device } = await VirtualDevice.open({ name: "bench", storage: drive, clock, chance: sameChance, zone: ZONE });
    const register = new EmulatorRegister(clock, () => Promise.resolve({ device, close: () => device.close() }));
    return { register, device, seconds: true, restart: () => bench(clock) };
  });
  return { trial, drive };
}
