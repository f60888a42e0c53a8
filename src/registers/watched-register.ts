import type { Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { type WallTime, wallTimeAt } from "../kernel/moment.ts";
import type { RegisterDocument } from "../model/document.ts";
import type { DocumentFacts, RegisterIdentity } from "../model/facts.ts";
import { notUsable } from "../model/unreachable.ts";
import type { Claimant, DeviceClaims } from "./device-claims.ts";
import type { RegisterServices } from "./protocol.ts";
import type { Attempt, LookUp, Outcome, Reached, Recalled, RecordedAttempt, Register, RegisterState } from "./register.ts";

/** A register's last answers and their times. Reading them sends nothing to the register. */
export interface Seen {
  address: string;
  emulated: boolean;
  identity?: { value: RegisterIdentity; atMs: number };
  state?: { value: RegisterState; atMs: number };
  /** The device's clock, the time at the point of sale, and the newest document's time, all at the last inspection. */
  clock?: { device: WallTime; ours: WallTime; zoneKnown: boolean; last?: WallTime; atMs: number };
  /** Set when a call did not reach the register. The next answered question removes it. */
  unreachable?: { reason: string; atMs: number };
}

interface Around {
  clock: Clock;
  note: RegisterServices["note"];
  drivenElsewhere: boolean;
  /** Claims the device before each call except `recall` and `close`. Absent: no claim is needed. */
  claims?: DeviceClaims;
}

interface Wanted {
  /** Passwords and options. A changed text means that the register must be opened again. */
  settings: string;
  zone: string;
  /** False: the zone is a default. */
  zoneKnown: boolean;
  open(): Register;
}

/** One request for the register. A later request has a higher number. */
interface SettingsRequest {
  number: number;
  wanted: Wanted;
  register: Register;
}

/**
 * One register of a rack across all changes of its settings. Forwards calls and keeps the last answers. New settings take effect with the
 * first call on the register that was returned for them. The old link and lock are released before the device is opened with new settings,
 * to avoid a second connection.
 */
export class WatchedRegister implements Claimant {
  readonly #around: Around;
  readonly address: string;
  #newest: SettingsRequest | undefined;
  #current: { number: number; wanted: Wanted; opened: Register } | undefined;
  #seen: Seen;
  #calls = 0;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  #elsewhere = false;

  constructor(around: Around, seen: Seen) {
    this.#around = around;
    this.address = seen.address;
    this.#seen = seen;
  }

  get seen(): Seen {
    return this.#seen;
  }

  get drivenElsewhere(): boolean {
    return this.#around.drivenElsewhere;
  }

  /** Whether the last claim of the device was refused. */
  get isElsewhere(): boolean {
    return this.#elsewhere;
  }

  get zone(): string {
    return (this.#current ?? this.#newest)?.wanted.zone ?? "UTC";
  }

  usedAtMs(): number | "now" {
    return this.#calls > 0 ? "now" : this.#usedAtMs;
  }

  /** Returns the register with the newest settings. Undefined: no register was requested yet. */
  get newest(): Register | undefined {
    return this.#newest?.register;
  }

  /** Returns the zone of the newest settings. Undefined: none were requested yet. */
  get newestZone(): Pick<Wanted, "zone" | "zoneKnown"> | undefined {
    return this.#newest?.wanted;
  }

  /** Returns the register with the newest settings in this zone. Undefined: none were requested yet. */
  inZone(zone: string, zoneKnown: boolean): Register | undefined {
    return this.#newest === undefined ? undefined : this.as({ ...this.#newest.wanted, zone, zoneKnown });
  }

  /** Returns the register with these settings. Returns the same object while they do not change. */
  as(wanted: Wanted): Register {
    const { number = 0, wanted: before, register } = this.#newest ?? {};
    if (before !== undefined && register !== undefined && isSame(before, wanted)) return register;
    const next = this.#registerOf(number + 1, wanted);
    this.#newest = { number: number + 1, wanted, register: next };
    return next;
  }

  async close(): Promise<void> {
    await this.#current?.opened.close();
  }

  #registerOf(number: number, wanted: Wanted): Register {
    const on = () => this.#opened(number, wanted);
    return {
      identity: async (deadline) => this.#identity(await on(), deadline),
      inspect: async (deadline) => this.#inspect(await on(), deadline),
      perform: async (document, deadline, attempt) => this.#perform(await on(), document, deadline, attempt),
      recall: async (attempt, deadline) => this.#recall(await on(), attempt, deadline),
      lookUp: async (documentNumber, deadline) => this.#lookUp(await on(), documentNumber, deadline),
      abandon: async (deadline) => this.#abandon(await on(), deadline),
      close: () => this.close(),
    };
  }

  /** Returns the opened register. A `Register` with older settings uses newer settings once they are in effect. */
  async #opened(number: number, wanted: Wanted): Promise<Register> {
    const current = this.#current;
    if (current !== undefined && number <= current.number) return current.opened;
    if (current !== undefined && current.wanted.settings === wanted.settings) {
      this.#current = { number, wanted, opened: current.opened };
      return current.opened;
    }
    if (current !== undefined) await this.#giveBack(current.opened);
    const opened = wanted.open();
    this.#current = { number, wanted, opened };
    return opened;
  }

  async #giveBack(opened: Register): Promise<void> {
    try {
      await opened.close();
    } catch (error) {
      this.#around.note("warn", "a register that was set anew could not be closed", { register: this.address, reason: messageOf(error) });
    }
  }

  async #identity(register: Register, deadline: Deadline): Promise<Reached<RegisterIdentity>> {
    const reply = this.#note(await this.#ask(register, deadline, () => register.identity(deadline)));
    if (reply.kind === "reached") this.#seen = { ...this.#seen, identity: { value: reply.value, atMs: this.#around.clock.nowMs() } };
    return reply;
  }

  async #inspect(register: Register, deadline: Deadline): Promise<Reached<RegisterState>> {
    const reply = this.#note(await this.#ask(register, deadline, () => register.inspect(deadline)));
    if (reply.kind === "unreachable") return reply;
    const { time, lastDocumentTime } = reply.value;
    const atMs = this.#around.clock.nowMs();
    const { zone, zoneKnown = false } = this.#current?.wanted ?? { zone: this.zone };
    const last = lastDocumentTime === undefined ? {} : { last: lastDocumentTime };
    const clock = { device: time, ours: wallTimeAt(atMs, zone), zoneKnown, ...last, atMs };
    this.#seen = { ...this.#seen, state: { value: reply.value, atMs }, clock };
    return reply;
  }

  async #perform(register: Register, document: RegisterDocument, deadline: Deadline, attempt?: Attempt): Promise<Outcome> {
    const outcome = await this.#ask(register, deadline, () => register.perform(document, deadline, attempt));
    if (outcome.kind === "unreachable") {
      this.#note(outcome);
      return { kind: "refused", refusal: notUsable(outcome) };
    }
    if (outcome.kind === "refused" && outcome.refusal.code === "register-unreachable") {
      this.#note({ kind: "unreachable", reason: outcome.refusal.details?.reason ?? "" });
    }
    const { state } = this.#seen;
    if (outcome.kind === "done" && state !== undefined) {
      this.#seen = { ...this.#seen, state: { value: stateAfter(state.value, outcome.facts), atMs: this.#around.clock.nowMs() } };
    }
    return outcome;
  }

  /** A register without a record of attempts answers `unknown`, because only the device can show the outcome. */
  async #recall(register: Register, attempt: RecordedAttempt, deadline: Deadline): Promise<Recalled> {
    if (register.recall === undefined) return { kind: "unknown" };
    return this.#note(await register.recall(attempt, deadline));
  }

  async #lookUp(register: Register, documentNumber: number, deadline: Deadline): Promise<LookUp> {
    return this.#note(await this.#ask(register, deadline, () => register.lookUp(documentNumber, deadline)));
  }

  async #abandon(register: Register, deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">> {
    return this.#note(await this.#ask(register, deadline, () => register.abandon(deadline)));
  }

  /**
   * Makes the call unless the identity cannot be read or the claim is refused. Reads the identity before the claim, because the claim needs
   * the device's numbers.
   */
  async #ask<T extends { kind: string }>(register: Register, deadline: Deadline, call: () => Promise<T>): Promise<T | Unreachable> {
    const { claims, clock } = this.#around;
    if (claims === undefined) return call();
    this.#calls += 1;
    try {
      const known = await register.identity(deadline);
      if (known.kind === "unreachable") return known;
      const reason = await claims.claim(this, known.value);
      this.#elsewhere = reason !== undefined;
      if (reason !== undefined) return { kind: "unreachable", reason };
      this.#usedAtMs = clock.monotonicMs();
      const answer = await call();
      this.#usedAtMs = clock.monotonicMs();
      return answer;
    } finally {
      this.#calls -= 1;
    }
  }

  #note<T extends { kind: string } | { kind: "unreachable"; reason: string }>(reply: T): T {
    const { unreachable: _, ...seen } = this.#seen;
    this.#seen =
      reply.kind === "unreachable" && "reason" in reply
        ? { ...seen, unreachable: { reason: reply.reason, atMs: this.#around.clock.nowMs() } }
        : seen;
    return reply;
  }
}

type Unreachable = Extract<Reached<unknown>, { kind: "unreachable" }>;

function isSame(one: Wanted, other: Wanted): boolean {
  return one.settings === other.settings && one.zone === other.zone && one.zoneKnown === other.zoneKnown;
}

function stateAfter(state: RegisterState, facts: DocumentFacts): RegisterState {
  if (facts.kind === "cash") return { ...state, drawerKopecks: facts.drawerKopecks };
  if (facts.kind === "interim") return state;
  const { document, documentNumber, shiftNumber, time } = facts;
  const made = { ...state, lastDocumentNumber: documentNumber, lastDocumentTime: time };
  if (document === "close-shift") return { ...made, shift: { kind: "closed", lastNumber: shiftNumber } };
  if (document !== "open-shift") return made;
  return { ...made, shift: { kind: "open", number: shiftNumber, openedAt: time, openReportNumber: documentNumber, expired: false } };
}
