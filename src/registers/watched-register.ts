import type { Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { type WallTime, wallTimeAt } from "../kernel/moment.ts";
import type { RegisterDocument } from "../model/document.ts";
import type { DocumentFacts, RegisterIdentity } from "../model/facts.ts";
import type { Claimant, DeviceClaims } from "./device-claims.ts";
import type { RegisterServices } from "./protocol.ts";
import type { LookUp, Outcome, Reached, Register, RegisterState } from "./register.ts";

/** What a register last said of itself, and when; told from memory, without asking it. */
export interface Seen {
  address: string;
  emulated: boolean;
  identity?: { value: RegisterIdentity; atMs: number };
  state?: { value: RegisterState; atMs: number };
  /** What its clock and that of its point of sale showed when it was last inspected, and the time of its newest document then. */
  clock?: { device: WallTime; ours: WallTime; zoneKnown: boolean; last?: WallTime; atMs: number };
  /** Set while the last question was not answered. */
  unreachable?: { reason: string; atMs: number };
}

interface Around {
  clock: Clock;
  note: RegisterServices["note"];
  /** Where its device has to be claimed before it is asked anything or told to make a document. */
  claims?: DeviceClaims;
}

/** How a register is asked for: what it is opened with, and where it stands. */
interface Wanted {
  /** Passwords and options: with another text the register has to be opened anew. */
  settings: string;
  zone: string;
  /** Whether the zone is the register's for certain, and no default. */
  zoneKnown: boolean;
  open(): Register;
}

/** A way in which it was asked for; the later has the higher number. */
interface Asked {
  number: number;
  wanted: Wanted;
  register: Register;
}

/**
 * One register of a rack, however often it is set to something else: passes every call on and keeps what was said. What
 * was asked for last counts from its first call on. Its lane lets one turn end before the next begins, so the device is
 * given back in between, link and lock with it, and never has two connections.
 */
export class WatchedRegister implements Claimant {
  readonly #around: Around;
  readonly address: string;
  #newest: Asked | undefined;
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

  /** Whether its device was last found to be another address's. */
  get isElsewhere(): boolean {
    return this.#elsewhere;
  }

  /** Where it stands, by what counts now. */
  get zone(): string {
    return (this.#current ?? this.#newest)?.wanted.zone ?? "UTC";
  }

  usedAtMs(): number | "now" {
    return this.#calls > 0 ? "now" : this.#usedAtMs;
  }

  /** As it was asked for last. */
  get newest(): Register | undefined {
    return this.#newest?.register;
  }

  /** The register so set; the same object as long as nothing is changed. */
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
      perform: async (document, deadline) => this.#perform(await on(), document, deadline),
      lookUp: async (documentNumber, deadline) => this.#lookUp(await on(), documentNumber, deadline),
      abandon: async (deadline) => this.#abandon(await on(), deadline),
      close: () => this.close(),
    };
  }

  /** What was asked for before something newer has counted takes what counts. */
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
    const asked = this.#note(await this.#ask(register, deadline, () => register.identity(deadline)));
    if (asked.kind === "reached") this.#seen = { ...this.#seen, identity: { value: asked.value, atMs: this.#around.clock.nowMs() } };
    return asked;
  }

  async #inspect(register: Register, deadline: Deadline): Promise<Reached<RegisterState>> {
    const asked = this.#note(await this.#ask(register, deadline, () => register.inspect(deadline)));
    if (asked.kind === "unreachable") return asked;
    const { time, lastDocumentTime } = asked.value;
    const atMs = this.#around.clock.nowMs();
    const { zone, zoneKnown = false } = this.#current?.wanted ?? { zone: this.zone };
    const last = lastDocumentTime === undefined ? {} : { last: lastDocumentTime };
    const clock = { device: time, ours: wallTimeAt(atMs, zone), zoneKnown, ...last, atMs };
    this.#seen = { ...this.#seen, state: { value: asked.value, atMs }, clock };
    return asked;
  }

  async #perform(register: Register, document: RegisterDocument, deadline: Deadline): Promise<Outcome> {
    const outcome = await this.#ask(register, deadline, () => register.perform(document, deadline));
    if (outcome.kind === "unreachable") {
      this.#note(outcome);
      return { kind: "refused", refusal: { code: "register-unreachable", details: { reason: outcome.reason } } };
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

  async #lookUp(register: Register, documentNumber: number, deadline: Deadline): Promise<LookUp> {
    return this.#note(await this.#ask(register, deadline, () => register.lookUp(documentNumber, deadline)));
  }

  async #abandon(register: Register, deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">> {
    return this.#note(await this.#ask(register, deadline, () => register.abandon(deadline)));
  }

  /** The call, unless the device at the address is another address's; who it is, the register knows once it was asked. */
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

  #note<T extends { kind: string } | { kind: "unreachable"; reason: string }>(asked: T): T {
    const { unreachable: _, ...seen } = this.#seen;
    this.#seen =
      asked.kind === "unreachable" && "reason" in asked
        ? { ...seen, unreachable: { reason: asked.reason, atMs: this.#around.clock.nowMs() } }
        : seen;
    return asked;
  }
}

type Unreachable = { kind: "unreachable"; reason: string };

function isSame(one: Wanted, other: Wanted): boolean {
  return one.settings === other.settings && one.zone === other.zone && one.zoneKnown === other.zoneKnown;
}

/** What a document that was made tells of the register, until it is asked again. */
function stateAfter(state: RegisterState, facts: DocumentFacts): RegisterState {
  if (facts.kind === "cash") return { ...state, drawerKopecks: facts.drawerKopecks };
  if (facts.kind === "interim") return state;
  const { document, documentNumber, shiftNumber, time } = facts;
  const made = { ...state, lastDocumentNumber: documentNumber, lastDocumentTime: time };
  if (document === "close-shift") return { ...made, shift: { kind: "closed", lastNumber: shiftNumber } };
  if (document !== "open-shift") return made;
  return { ...made, shift: { kind: "open", number: shiftNumber, openedAt: time, openReportNumber: documentNumber, expired: false } };
}
