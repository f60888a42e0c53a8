import { type Chance, type Clock, pause } from "../../kernel/clock.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import { type WallTime, wallAsUtcMs, wallTimeAt } from "../../kernel/moment.ts";
import type { RegisterDocument } from "../../model/document.ts";
import type { DocumentFacts, FiscalFacts, RegisterIdentity } from "../../model/facts.ts";
import { markReader } from "../../model/marks/marks.ts";
import type { RegisterState } from "../register.ts";
import type { SentRequisites } from "./documents.ts";
import type { DriveStorage } from "./drive.ts";
import { type DeviceCommand, type Faults, NO_FAULTS } from "./faults.ts";
import { factsOf, fiscalFactsOf, interimFactsOf, type Making, recordOf } from "./make.ts";
import { checkedBy, MARK_ROWS, type MarkRow } from "./mark-checks.ts";
import { type DeviceMemory, remember } from "./memory.ts";
import { type DriveRecord, decodeRecord, encodeRecord } from "./records.ts";
import { byDrive, type DeviceRefusal } from "./refusals.ts";
import { register, SAMPLE_SELLER, type Seller } from "./registration.ts";
import { type Conditions, isShiftExpired, refusalOf } from "./rules.ts";
import { daysUntil, documentsLeft, warningsOf } from "./warnings.ts";

export type DeviceAnswer<T> =
  | { kind: "answer"; value: T }
  | { kind: "refused"; refusal: DeviceRefusal }
  /** No answer. `reached`: the command arrived, so it may have been carried out. */
  | { kind: "silent"; reached: boolean; reason: string };

export type StoredDocument =
  | { kind: "registration"; time: WallTime; fiscalSign: string; tlv: Buffer }
  | { kind: "fiscal"; facts: FiscalFacts; reference: string; tlv: Buffer };

export interface Look {
  memory: Readonly<DeviceMemory>;
  conditions: Conditions;
}

export interface DeviceOptions {
  /** The name and the drive's secret determine the numbers of a new register and drive. */
  name: string;
  storage: DriveStorage;
  clock: Clock;
  /** Makes the secret of a new drive. */
  chance: Chance;
  /** The IANA zone of the device's clock. A zone that may change is given as a function, which is called at each use. */
  zone: string | (() => string);
  /** Overrides of the sample seller, for a new drive. */
  seller?: Partial<Seller>;
  /** The format version of a new drive. Default: 1.2. */
  ffd?: "1.05" | "1.2";
  faults?: Partial<Faults>;
  /** Results of mark checks. Default: `MARK_ROWS`. */
  markRows?: readonly MarkRow[];
}

/** When the machine's clock is behind the last document by less than this time, the device's clock shows the time of the last document. */
const CLOCK_STEP_MS = 60_000;

/**
 * An emulated fiscal register with its drive. It follows the rules of fiscal-receipts 6. With file storage its memory survives the process.
 * It carries out one command at a time. It does not know the platform's ids, so a repeated document is registered again. It stores the
 * reference of each document, which shows later to which operation the document belongs.
 */
export class VirtualDevice {
  readonly #storage: DriveStorage;
  readonly #clock: Clock;
  readonly #zone: () => string;
  readonly #positions: Map<number, number>;
  readonly #markRows: readonly MarkRow[];
  #memory: DeviceMemory;
  #faults: Faults;
  #paperPresent = true;
  /** Why the device no longer answers: no power, or failed storage. */
  #silence: string | undefined;
  #failed = false;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: DeviceOptions, memory: DeviceMemory, positions: Map<number, number>) {
    this.#storage = options.storage;
    this.#clock = options.clock;
    this.#zone = zoneOf(options);
    this.#markRows = options.markRows ?? MARK_ROWS;
    this.#faults = { ...NO_FAULTS, ...options.faults };
    this.#memory = memory;
    this.#positions = positions;
  }

  /**
   * Reads the drive, or registers a new drive. Throws a Failure when the drive is damaged or has another format, or the seller is invalid.
   */
  static async open(options: DeviceOptions): Promise<{ device: VirtualDevice; cutBytes: number }> {
    const positions = new Map<number, number>();
    let memory: DeviceMemory | undefined;
    const { cutBytes } = await options.storage.load((bytes, position) => {
      const record = decodeRecord(bytes);
      memory = remember(memory, record);
      if (isDocument(record)) positions.set(memory.lastDocumentNumber, position);
    });
    if (memory === undefined) {
      const time = wallTimeAt(options.clock.nowMs() + (options.faults?.clockOffsetMs?.() ?? 0), zoneOf(options)());
      const record = register(options.name, options.chance.bytes(32), { ...SAMPLE_SELLER, ...options.seller }, time, options.ffd);
      positions.set(1, await options.storage.append(encodeRecord(record)));
      memory = remember(undefined, record);
    }
    return { device: new VirtualDevice(options, memory, positions), cutBytes };
  }

  /** Whether an append to the storage failed. Then the storage must be reopened, with a new device. */
  get failed(): boolean {
    return this.#failed;
  }

  identify(): Promise<DeviceAnswer<RegisterIdentity>> {
    return this.#carryOut("state", () => Promise.resolve({ kind: "answer", value: this.#memory.identity }));
  }

  /**
   * Makes the document. After an answer the storage has the document; an X report is not stored. Safe to repeat after a refusal, or when
   * the command was not `reached`. `sent`: requisites that the host sent as bytes, stored unchanged. In a receipt or correction they
   * replace tags 1192 and 1084.
   */
  make(document: RegisterDocument, sent?: SentRequisites): Promise<DeviceAnswer<DocumentFacts>> {
    return this.#carryOut(document.kind, async () => {
      const conditions = this.#conditions();
      const refusal = refusalOf(document, this.#memory, conditions);
      if (refusal !== undefined) return { kind: "refused", refusal };
      if (document.kind === "x-report") return { kind: "answer", value: interimFactsOf(document, this.#memory, conditions) };
      const record = recordOf(document, this.#memory, conditions, this.#making(sent));
      if (record.kind === "too-large") return { kind: "refused", refusal: byDrive(0x10) };
      await this.#keep(record);
      return { kind: "answer", value: factsOf(record, this.#memory) };
    });
  }

  state(): Promise<DeviceAnswer<RegisterState>> {
    return this.#carryOut("state", () => Promise.resolve({ kind: "answer", value: this.#state() }));
  }

  /** Returns a document of the drive's archive. Undefined: the archive has no document with this number. */
  stored(documentNumber: number): Promise<DeviceAnswer<StoredDocument | undefined>> {
    return this.#carryOut("stored", async () => ({ kind: "answer", value: await this.#read(documentNumber) }));
  }

  /** Returns the current memory and conditions without a command. The returned memory never changes, except its `soldMarks`. */
  look(): Look {
    return { memory: this.#memory, conditions: this.#conditions() };
  }

  /** Overrides the given faults. The other faults stay. */
  setFaults(faults: Partial<Faults>): void {
    this.#faults = { ...this.#faults, ...faults };
  }

  setPaper(present: boolean): void {
    this.#paperPresent = present;
  }

  /** Switches the device on after a power cut. Has no effect after a storage failure. */
  powerOn(): void {
    if (!this.#failed) this.#silence = undefined;
  }

  /** Closes the device after the running command. */
  async close(): Promise<void> {
    await this.#turn;
    await this.#storage.close();
  }

  #carryOut<T>(command: DeviceCommand, work: () => Promise<DeviceAnswer<T>>): Promise<DeviceAnswer<T>> {
    const turn = this.#turn.then(async (): Promise<DeviceAnswer<T>> => {
      try {
        const stopped = await this.#interfere(command);
        if (stopped !== undefined) return stopped;
        await this.#collectConfirmations();
        const answer = await work();
        return answer.kind === "answer" ? await this.#finish(command, answer) : answer;
      } catch (error) {
        if (error instanceof Failure && error.kind === "dependency") return { kind: "silent", reached: true, reason: error.message };
        throw error;
      }
    });
    // An error of this command reaches only its caller. The next command runs in any case.
    this.#turn = turn.then(ignore, ignore);
    return turn;
  }

  async #interfere(command: DeviceCommand): Promise<DeviceAnswer<never> | undefined> {
    if (this.#silence !== undefined) return { kind: "silent", reached: false, reason: this.#silence };
    const fault = this.#faults.before(command);
    switch (fault.kind) {
      case "go-on":
        return undefined;
      case "refuse":
        return { kind: "refused", refusal: byDrive(fault.code) };
      case "wait":
        await pause(this.#clock, fault.forMs);
        return undefined;
      case "paper-out":
        this.#paperPresent = false;
        return undefined;
      case "power-cut":
        return this.#cutPower();
    }
  }

  async #finish<T>(command: DeviceCommand, answer: DeviceAnswer<T>): Promise<DeviceAnswer<T>> {
    const fault = this.#faults.after(command);
    switch (fault.kind) {
      case "go-on":
        return answer;
      case "lose-reply":
        return { kind: "silent", reached: true, reason: "Ответ кассы потерян" };
      case "wait":
        await pause(this.#clock, fault.forMs);
        return answer;
      case "paper-out":
        this.#paperPresent = false;
        return answer;
      case "power-cut":
        return this.#cutPower();
    }
  }

  #cutPower(): DeviceAnswer<never> {
    this.#silence = NO_POWER;
    return { kind: "silent", reached: true, reason: NO_POWER };
  }

  async #keep(record: DriveRecord): Promise<void> {
    const position = await this.#append(encodeRecord(record));
    this.#memory = remember(this.#memory, record);
    if (isDocument(record)) this.#positions.set(this.#memory.lastDocumentNumber, position);
  }

  /**
   * Appends the record. After a failure the storage may or may not have the record. So the device stops answering until the storage is
   * reopened.
   */
  async #append(record: Buffer): Promise<number> {
    try {
      return await this.#storage.append(record);
    } catch (error) {
      this.#silence = messageOf(error);
      this.#failed = true;
      throw error;
    }
  }

  /** Confirms documents as a slow data operator does: when the oldest unconfirmed document has waited long enough, all are confirmed. */
  async #collectConfirmations(): Promise<void> {
    const { unsent, lastDocumentNumber } = this.#memory;
    if (unsent.since === undefined) return;
    const waitedMs = wallAsUtcMs(this.#now()) - wallAsUtcMs(unsent.since);
    if (waitedMs >= this.#faults.operatorDelayMs()) await this.#keep({ kind: "confirmation", upTo: lastDocumentNumber });
  }

  #making(sent: SentRequisites | undefined): Making {
    const confirmed = this.#faults.operatorDelayMs() <= 0;
    return sent === undefined ? { confirmed } : { confirmed, sent };
  }

  async #read(documentNumber: number): Promise<StoredDocument | undefined> {
    const position = this.#positions.get(documentNumber);
    if (position === undefined) return undefined;
    const record = decodeRecord(await this.#storage.read(position));
    if (record.kind === "registration") {
      return { kind: "registration", time: record.time, fiscalSign: record.fiscalSign, tlv: Buffer.from(record.tlv, "base64") };
    }
    if (record.kind !== "fiscal" && record.kind !== "state-report") return undefined;
    const facts = fiscalFactsOf(record, this.#memory.identity);
    return { kind: "fiscal", facts, reference: record.reference ?? "", tlv: Buffer.from(record.tlv, "base64") };
  }

  #state(): RegisterState {
    const memory = this.#memory;
    const { shift, unsent } = memory;
    const conditions = this.#conditions();
    return {
      driveNumber: memory.identity.driveNumber,
      lastDocumentNumber: memory.lastDocumentNumber,
      lastDocumentTime: memory.lastTime,
      shift: shift.open
        ? {
            kind: "open",
            number: shift.number,
            openedAt: shift.openedAt,
            openReportNumber: shift.openReportNumber,
            expired: isShiftExpired(shift.openedAt, conditions),
          }
        : { kind: "closed", lastNumber: shift.number },
      drawerKopecks: memory.drawerKopecks,
      time: conditions.now,
      paper: this.#paperPresent ? "present" : "out",
      documentOpen: false,
      queue: unsent.since === undefined ? { unsent: unsent.count } : { unsent: unsent.count, since: unsent.since },
      drive: {
        phase: "fiscal",
        keysUntil: memory.keysUntil,
        documentsLeft: documentsLeft(memory, conditions),
        warnings: warningsOf(memory, conditions),
      },
    };
  }

  #conditions(): Conditions {
    const { keysUntil, lastDocumentNumber, capacity } = this.#memory;
    const now = this.#now();
    return {
      now,
      paperPresent: this.#paperPresent,
      keyDays: this.#faults.keyDays(daysUntil(keysUntil, now)),
      memoryUsed: this.#faults.memoryUsed(lastDocumentNumber / capacity),
      shiftExpired: this.#faults.shiftExpired,
      operatorMessage: this.#faults.operatorMessage(),
      checkMark: (mark, read) => checkedBy(this.#markRows, mark, read),
      readMark: markReader(),
    };
  }

  /** Returns the device's time: see `CLOCK_STEP_MS`. The wall times are compared as texts, which gives the order of the times. */
  #now(): WallTime {
    const now = wallTimeAt(this.#clock.nowMs() + this.#faults.clockOffsetMs(), this.#zone());
    const { lastTime } = this.#memory;
    return now < lastTime && wallAsUtcMs(lastTime) - wallAsUtcMs(now) < CLOCK_STEP_MS ? lastTime : now;
  }
}

const NO_POWER = "Касса обесточена";

function ignore(): void {}

function isDocument(record: DriveRecord): boolean {
  return record.kind === "registration" || record.kind === "fiscal" || record.kind === "state-report";
}

function zoneOf({ zone }: Pick<DeviceOptions, "zone">): () => string {
  return typeof zone === "string" ? () => zone : zone;
}
