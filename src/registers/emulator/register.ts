import type { Clock } from "../../kernel/clock.ts";
import { type Deadline, waitUntil } from "../../kernel/deadline.ts";
import { Failure } from "../../kernel/failure.ts";
import { isTrade, type RegisterDocument } from "../../model/document.ts";
import type { DocumentFacts, RegisterIdentity } from "../../model/facts.ts";
import { unreadRefusal } from "../../model/unread-marks.ts";
import type { LookUp, Outcome, Reached, Register, RegisterState } from "../register.ts";
import type { DeviceAnswer, StoredDocument, VirtualDevice } from "../virtual/device.ts";
import { refusalFrom } from "./refusals.ts";

/** A virtual device in hand, and how it is given back with everything that holds it. */
export interface OpenDevice {
  device: VirtualDevice;
  /** Whether its memory is still where it was opened; one that is nowhere but in hand always is. */
  inPlace?(): boolean;
  close(): Promise<void>;
}

/** What became of a command within its deadline; `late`: the device may still carry it out. */
type Asked<T> = DeviceAnswer<T> | { kind: "late" } | { kind: "unopened"; reason: string };

type Opened = ({ kind: "opened" } & OpenDevice) | { kind: "unopened"; reason: string };

const OTHER_DRIVE = "После проверки в кассе сменился фискальный накопитель";
const LATE = "Касса не ответила вовремя";

/** The Register that sits on the virtual device itself: no bytes, no link, the same outcomes. */
export class EmulatorRegister implements Register {
  readonly #clock: Clock;
  readonly #openDevice: () => Promise<OpenDevice>;
  #opening: Promise<OpenDevice> | undefined;
  /** The drive that `inspect` last told of: nothing is registered in another. */
  #toldDrive: string | undefined;

  constructor(clock: Clock, openDevice: () => Promise<OpenDevice>) {
    this.#clock = clock;
    this.#openDevice = openDevice;
  }

  async identity(deadline: Deadline): Promise<Reached<RegisterIdentity>> {
    return reached(await this.#ask(deadline, (device) => device.identify()));
  }

  async inspect(deadline: Deadline): Promise<Reached<RegisterState>> {
    const seen = reached(await this.#ask(deadline, (device) => device.state()));
    if (seen.kind === "reached") this.#toldDrive = seen.value.driveNumber;
    return seen;
  }

  async perform(document: RegisterDocument, deadline: Deadline): Promise<Outcome> {
    const unread = isTrade(document) ? unreadRefusal(document) : undefined;
    if (unread !== undefined) return { kind: "refused", refusal: unread };
    const asked = await this.#ask(deadline, (device) => this.#make(device, document));
    switch (asked.kind) {
      case "answer":
        return { kind: "done", facts: asked.value };
      case "refused":
        return { kind: "refused", refusal: refusalFrom(asked.refusal) };
      case "late":
        return { kind: "in-doubt", doubt: { code: "answer-late" } };
      case "silent":
        return asked.reached ? { kind: "in-doubt", doubt: { code: "no-answer", reason: asked.reason } } : unreachable(asked.reason);
      case "unopened":
        return unreachable(asked.reason);
    }
  }

  async lookUp(documentNumber: number, deadline: Deadline): Promise<LookUp> {
    const asked = reached(await this.#ask(deadline, (device) => device.stored(documentNumber)));
    return asked.kind === "reached" ? lookUpOf(asked.value) : asked;
  }

  /** The device takes whole documents: none ever stands open. */
  async abandon(deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">> {
    const asked = reached(await this.#ask(deadline, (device) => device.state()));
    return asked.kind === "reached" ? { kind: "reached", value: "nothing-open" } : asked;
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    await opening?.then((open) => open.close(), closedAlready);
  }

  /** A memory that was read anew may be another drive's. */
  async #make(device: VirtualDevice, document: RegisterDocument): Promise<DeviceAnswer<DocumentFacts>> {
    const { driveNumber } = device.look().memory.identity;
    if (driveNumber !== (this.#toldDrive ?? driveNumber)) return { kind: "silent", reached: false, reason: OTHER_DRIVE };
    return device.make(document);
  }

  async #ask<T>(deadline: Deadline, command: (device: VirtualDevice) => Promise<DeviceAnswer<T>>): Promise<Asked<T>> {
    const waited = await waitUntil(this.#clock, deadline, this.#carryOut(command));
    return waited.kind === "late" ? waited : waited.value;
  }

  async #carryOut<T>(command: (device: VirtualDevice) => Promise<DeviceAnswer<T>>): Promise<Asked<T>> {
    const opened = await this.#openedInPlace();
    if (opened.kind === "unopened") return opened;
    const answer = await command(opened.device);
    // A storage that failed is read anew before the next command: what it really holds decides then.
    if (opened.device.failed) await this.close();
    return answer;
  }

  /** A memory put in the other's place is the register from then on, and whoever asks for its state sees what it has lost. */
  async #openedInPlace(): Promise<Opened> {
    const opened = await this.#opened();
    if (opened.kind === "unopened" || (opened.inPlace?.() ?? true)) return opened;
    await this.close();
    return this.#opened();
  }

  /** Opens the device at its first use, and again after an opening that failed. */
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

function reached<T>(asked: Asked<T>): Reached<T> {
  switch (asked.kind) {
    case "answer":
      return { kind: "reached", value: asked.value };
    case "refused":
      return { kind: "unreachable", reason: refusalFrom(asked.refusal).device?.words ?? "" };
    case "late":
      return { kind: "unreachable", reason: LATE };
    case "silent":
    case "unopened":
      return { kind: "unreachable", reason: asked.reason };
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

/** What a cashier may be told; where the memory lies and what is wrong with it stands in the log. */
function wordsFor(error: unknown): string {
  const locked = error instanceof Failure && error.code === "register-locked";
  return locked ? "память эмулятора занята другой программой" : "память эмулятора повреждена или недоступна";
}

/** The opening had failed: there is nothing to close, and its caller has been told. */
function closedAlready(): void {}
