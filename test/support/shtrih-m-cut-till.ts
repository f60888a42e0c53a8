import { onTestFinished } from "vitest";
import type { Entry, EntryKey } from "../../src/journal/entry.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Operation } from "../../src/model/operation.ts";
import { RefusalBound } from "../../src/operations/refusal-bound.ts";
import { settle } from "../../src/operations/settle-by-register.ts";
import type { Submitted } from "../../src/operations/submission.ts";
import { listenTcp, TcpLink } from "../../src/registers/links/tcp.ts";
import type { RegisterState } from "../../src/registers/register.ts";
import type { LowLevelName } from "../../src/registers/shtrih-m/wire/protocol-finder.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { DriveReader } from "./register-drive.ts";
import { MORNING_MS, sameChance, Trial } from "./registers.ts";
import { shtrihDevice, shtrihDriver } from "./shtrih-m-bench.ts";
import { CutLine } from "./shtrih-m-cut-line.ts";
import { PatientClock } from "./shtrih-m-patient-clock.ts";
import { shiftOperation, Till } from "./till.ts";

/**
 * The largest number of repeats. The platform is answered "running" after nine seconds, and no operation takes longer
 * than so many answers.
 */
const MAX_REPEATS = 40;

/** Operations and a journal with a driver whose TCP line to the device can be cut at any place. */
export class CutTill {
  readonly till: Till;
  readonly trial: Trial;
  readonly line: CutLine;
  readonly drive: DriveReader;
  readonly #clock: PatientClock;
  #began = true;

  private constructor(clock: PatientClock, till: Till, trial: Trial, line: CutLine, drive: DriveReader) {
    this.#clock = clock;
    this.till = till;
    this.trial = trial;
    this.line = line;
    this.drive = drive;
  }

  static async open(protocol: LowLevelName = "1.0"): Promise<CutTill> {
    const clock = new PatientClock(MORNING_MS);
    const drives = { drive: new MemoryDrive(), register: new MemoryDrive() };
    const { device, front } = await shtrihDevice(clock, { drives, protocol });
    const listener = await listenTcp({ host: "127.0.0.1", port: 0 }, clock, (far) => void front.serve(far));
    const line = await CutLine.open(listener.place, clock.stir);
    const register = shtrihDriver(clock, new TcpLink(line.place, clock), { protocol });
    onTestFinished(async () => {
      await register.close();
      await line.close();
      await listener.close();
      await front.close();
    });
    const restart = () => Promise.reject(new Error("never"));
    const trial = await Trial.on(async () => ({ register, device, seconds: false, restart }), clock);
    return new CutTill(clock, await Till.open({ trial }), trial, line, new DriveReader(drives.drive, device));
  }

  /** Submits an operation. While it runs, the caller asks again. */
  async submit(operation: Operation): Promise<Submitted> {
    for (let repeat = 0; repeat < MAX_REPEATS; repeat += 1) {
      const submitted = await this.#clock.finish(this.till.submit(operation));
      if (submitted.kind !== "running") return submitted;
    }
    throw new Error("the operation does not end");
  }

  /** Makes an operation that must succeed. */
  async done(operation: Operation): Promise<void> {
    const submitted = await this.submit(operation);
    if (submitted.kind !== "done") throw new Error(`${operation.kind}: ${JSON.stringify(submitted)}`);
  }

  /** The entry of an operation. If it was in doubt, the server has asked its register. No document is sent for this. */
  async settled(operation: Operation): Promise<Entry> {
    const entry = await this.entryOf(operation);
    if (entry.state !== "in-doubt") return entry;
    const refusals = new RefusalBound({ clock: this.#clock, log: silentLog, observe: () => {} });
    const services = {
      journal: this.till.journal,
      clock: this.#clock,
      chance: sameChance,
      log: silentLog,
      returnedMore: () => {},
      refusals,
    };
    return this.#clock.finish(settle(services, this.trial.register, entry, "look-up"));
  }

  /** Closes the till's first shift when it is called for the first time. */
  async closeShift(): Promise<void> {
    if (!this.#began) return;
    this.#began = false;
    await this.done(shiftOperation("close-shift"));
  }

  /** Inspects the register, so that every operation begins with an open line and a known state. */
  async look(): Promise<RegisterState> {
    const seen = await this.#clock.finish(this.trial.register.inspect(this.trial.deadline));
    if (seen.kind !== "reached") throw new Error(`unreachable: ${seen.reason}`);
    return seen.value;
  }

  async entryOf({ kind, document }: Operation): Promise<Entry> {
    const key: EntryKey = { appId: "app", accountId: "account", operation: kind, documentId: document.id };
    const entry = await this.till.journal.find(key);
    if (entry === undefined) throw new Error(`the journal has no ${kind} ${document.id}`);
    return entry;
  }
}
