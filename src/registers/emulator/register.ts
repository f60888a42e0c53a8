import { type Clock, nextTurn } from "../../kernel/clock.ts";
import { type Deadline, waitUntil } from "../../kernel/deadline.ts";
import { Failure } from "../../kernel/failure.ts";
import { isTrade, type RegisterDocument } from "../../model/document.ts";
import type { DocumentFacts, RegisterIdentity } from "../../model/facts.ts";
import { unreadRefusal } from "../../model/unread-marks.ts";
import { NOT_PERMITTED } from "../not-permitted.ts";
import { type Attempt, type LookUp, OTHER_DRIVE, type Outcome, type Reached, type Register, type RegisterState } from "../register.ts";
import type { DeviceAnswer, StoredDocument, VirtualDevice } from "../virtual/device.ts";
import { refusalFrom } from "./refusals.ts";

export interface OpenDevice {
  device: VirtualDevice;
  /** Whether the opened file is still in its place. Absent for a device in memory. */
  inPlace?(): boolean;
  close(): Promise<void>;
}

/** The result of a command. `late`: the deadline passed, and the device may still carry it out. `unopened`: no device was opened. */
type DeviceReply<T> = DeviceAnswer<T> | { kind: "late" } | { kind: "unopened"; reason: string };

type Opened = ({ kind: "opened" } & OpenDevice) | { kind: "unopened"; reason: string };

const LATE = "Касса не ответила вовремя";

/**
 * `perform` reads all marks of a document to check them, and the device reads them again. When the document has more lines than this, the
 * event loop does other work between the two readings.
 */
const LINES_A_STEP = 100;

/** A `Register` on a virtual device. There are no bytes and no link, but the outcomes equal those of a protocol. */
export class EmulatorRegister implements Register {
  readonly #clock: Clock;
  readonly #openDevice: () => Promise<OpenDevice>;
  #opening: Promise<OpenDevice> | undefined;
  /**
   * The drive of the last `inspect`. Documents are registered only in this drive. Undefined before the first `inspect`: then documents are
   * registered in any drive.
   */
  #inspectedDrive: string | undefined;

  constructor(clock: Clock, openDevice: () => Promise<OpenDevice>) {
    this.#clock = clock;
    this.#openDevice = openDevice;
  }

  async identity(deadline: Deadline): Promise<Reached<RegisterIdentity>> {
    return reached(await this.#ask(deadline, (device) => device.identify()));
  }

  async inspect(deadline: Deadline): Promise<Reached<RegisterState>> {
    const seen = reached(await this.#ask(deadline, (device) => device.state()));
    if (seen.kind === "reached") this.#inspectedDrive = seen.value.driveNumber;
    return seen;
  }

  async perform(document: RegisterDocument, deadline: Deadline, attempt?: Attempt): Promise<Outcome> {
    const unread = isTrade(document) ? unreadRefusal(document) : undefined;
    if (unread !== undefined) return { kind: "refused", refusal: unread };
    if (isTrade(document) && document.lines.length > LINES_A_STEP) await nextTurn();
    const reply = await this.#ask(deadline, (device) => this.#make(device, document, attempt));
    switch (reply.kind) {
      case "answer":
        return { kind: "done", facts: reply.value };
      case "refused":
        return { kind: "refused", refusal: refusalFrom(reply.refusal) };
      case "late":
        return { kind: "in-doubt", doubt: { code: "answer-late" } };
      case "silent":
        return reply.reached ? { kind: "in-doubt", doubt: { code: "no-answer", reason: reply.reason } } : unreachable(reply.reason);
      case "unopened":
        return unreachable(reply.reason);
    }
  }

  async lookUp(documentNumber: number, deadline: Deadline): Promise<LookUp> {
    const reply = reached(await this.#ask(deadline, (device) => device.stored(documentNumber)));
    return reply.kind === "reached" ? lookUpOf(reply.value) : reply;
  }

  /** Never cancels anything, because the device accepts only whole documents. */
  async abandon(deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">> {
    const reply = reached(await this.#ask(deadline, (device) => device.state()));
    return reply.kind === "reached" ? { kind: "reached", value: "nothing-open" } : reply;
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    await opening?.then((open) => open.close(), closedAlready);
  }

  /** Makes the document, unless it is not permitted or the drive has changed: a reopened memory may belong to a different drive. */
  async #make(device: VirtualDevice, document: RegisterDocument, attempt: Attempt | undefined): Promise<DeviceAnswer<DocumentFacts>> {
    const { driveNumber } = device.look().memory.identity;
    if (driveNumber !== (this.#inspectedDrive ?? driveNumber)) return { kind: "silent", reached: false, reason: OTHER_DRIVE };
    if (attempt !== undefined && !(await attempt.mayRegister())) return { kind: "silent", reached: false, reason: NOT_PERMITTED };
    return device.make(document);
  }

  async #ask<T>(deadline: Deadline, command: (device: VirtualDevice) => Promise<DeviceAnswer<T>>): Promise<DeviceReply<T>> {
    const waited = await waitUntil(this.#clock, deadline, this.#carryOut(command));
    return waited.kind === "late" ? waited : waited.value;
  }

  async #carryOut<T>(command: (device: VirtualDevice) => Promise<DeviceAnswer<T>>): Promise<DeviceReply<T>> {
    const opened = await this.#openedInPlace();
    if (opened.kind === "unopened") return opened;
    const answer = await command(opened.device);
    // After a storage failure only the storage shows what was stored. So the device is closed, and the next command opens it again.
    if (opened.device.failed) await this.close();
    return answer;
  }

  /** Returns the open device. Reopens it when its file was removed or replaced. The next `inspect` then shows the state of the new file. */
  async #openedInPlace(): Promise<Opened> {
    const opened = await this.#opened();
    if (opened.kind === "unopened" || (opened.inPlace?.() ?? true)) return opened;
    await this.close();
    return this.#opened();
  }

  /** Opens the device unless it is open. The next call tries again after a failure. */
  async #opened(): Promise<Opened> {
    this.#opening ??= this.#openDevice();
    try {
      return { kind: "opened", ...(await this.#opening) };
    } catch (error) {
      this.#opening = undefined;
      return { kind: "unopened", reason: wordsFor(error) };
    }
  }
}

function reached<T>(reply: DeviceReply<T>): Reached<T> {
  switch (reply.kind) {
    case "answer":
      return { kind: "reached", value: reply.value };
    case "refused":
      return { kind: "unreachable", reason: refusalFrom(reply.refusal).device?.words ?? "" };
    case "late":
      return { kind: "unreachable", reason: LATE };
    case "silent":
    case "unopened":
      return { kind: "unreachable", reason: reply.reason };
  }
}

function unreachable(reason: string): Outcome {
  return { kind: "refused", refusal: { code: "register-unreachable", details: { reason } } };
}

function lookUpOf(stored: StoredDocument | undefined): LookUp {
  if (stored === undefined) return { kind: "absent" };
  if (stored.kind === "registration") return { kind: "foreign", what: "registration" };
  return { kind: "found", facts: stored.facts, reference: stored.reference };
}

/** Returns the words for the cashier. The path of the memory and the error are not shown to the cashier: the log has them. */
function wordsFor(error: unknown): string {
  const locked = error instanceof Failure && error.code === "register-locked";
  return locked ? "память эмулятора занята другой программой" : "память эмулятора повреждена или недоступна";
}

/** After a failed opening there is no device to close. The command that caused the opening got the error. */
function closedAlready(): void {}
