import type { Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import { type WallTime, wallTimeAt } from "../kernel/moment.ts";
import type { RegisterDocument } from "../model/document.ts";
import type { DocumentFacts, RegisterIdentity } from "../model/facts.ts";
import { parseAddress, REGISTER_PROTOCOLS } from "./catalogue.ts";
import { type Claimant, DeviceClaims } from "./device-claims.ts";
import { registerFailure } from "./failures.ts";
import type { ParsedAddress, RegisterProtocol, RegisterServices } from "./protocol.ts";
import type { LookUp, Outcome, Reached, Register, RegisterState } from "./register.ts";

/** What a register last said of itself, and when; told from memory, without asking it. */
export interface Seen {
  address: string;
  emulated: boolean;
  identity?: { value: RegisterIdentity; atMs: number };
  state?: { value: RegisterState; atMs: number };
  /** What its clock and that of its point of sale showed when it was last inspected. */
  clock?: { device: WallTime; ours: WallTime; atMs: number };
  /** Set while the last question was not answered. */
  unreachable?: { reason: string; atMs: number };
}

export type RackServices = Omit<RegisterServices, "zone">;

/**
 * The registers in use: one object per canonical address, made at its first use and closed with the rack. Of two
 * addresses that lead to one device the second is refused, in words that name both.
 */
export class Rack {
  readonly #services: RackServices;
  readonly #protocols: readonly RegisterProtocol[];
  readonly #registers = new Map<string, WatchedRegister>();
  readonly #claims: DeviceClaims;
  #closed = false;

  constructor(services: RackServices, protocols: readonly RegisterProtocol[] = REGISTER_PROTOCOLS) {
    this.#services = services;
    this.#protocols = protocols;
    this.#claims = new DeviceClaims(services);
  }

  /** Reads an address without touching a device. */
  parse(address: string): ParsedAddress {
    return parseAddress(address, this.#protocols);
  }

  /**
   * The register at an address; the same object each time. Passwords and options of the first address hold
   * until the rack is closed. `zone` is that of the point of sale and decides
   * an emulator's clock at its first use. Throws a Failure of kind `fault` for an address that `parse` refuses.
   */
  at(address: string, zone: string): Register {
    if (this.#closed) throw registerFailure("rack-closed", "fault", "the rack is closed");
    const parsed = this.parse(address);
    if (parsed.kind === "invalid") throw registerFailure("register-address", "fault", parsed.problem);
    const { canonical, emulated, ambiguous, open } = parsed.address;
    const known = this.#registers.get(canonical);
    if (known !== undefined) return known;
    const { clock } = this.#services;
    const around = { clock, zone, ...(ambiguous ? { claims: this.#claims } : {}) };
    const made = new WatchedRegister(open({ ...this.#services, zone }), around, { address: canonical, emulated });
    this.#registers.set(canonical, made);
    return made;
  }

  /** What every register in use last said, in the order of first use. */
  seen(): Seen[] {
    return [...this.#registers.values()].map((register) => register.seen);
  }

  /** Registers that did not answer when they were last asked; one that answers at another address is not one of them. */
  silent(): { address: string; register: Register }[] {
    const silent = [...this.#registers].filter(([, { seen, isElsewhere }]) => seen.unreachable !== undefined && !isElsewhere);
    return silent.map(([address, register]) => ({ address, register }));
  }

  /** Gives every device back; waits for what they are doing. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#registers.values()].map((register) => register.close()));
    this.#registers.clear();
    await this.#claims.close();
  }
}

interface Around {
  clock: Clock;
  zone: string;
  /** Where its device has to be claimed before it is asked anything or told to make a document. */
  claims?: DeviceClaims;
}

/** Passes every call on and keeps what it said of the register. */
class WatchedRegister implements Register, Claimant {
  readonly #register: Register;
  readonly #around: Around;
  readonly address: string;
  #seen: Seen;
  #calls = 0;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  #elsewhere = false;

  constructor(register: Register, around: Around, seen: Seen) {
    this.#register = register;
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

  usedAtMs(): number | "now" {
    return this.#calls > 0 ? "now" : this.#usedAtMs;
  }

  async identity(deadline: Deadline): Promise<Reached<RegisterIdentity>> {
    const asked = this.#note(await this.#ask(deadline, () => this.#register.identity(deadline)));
    if (asked.kind === "reached") this.#seen = { ...this.#seen, identity: { value: asked.value, atMs: this.#around.clock.nowMs() } };
    return asked;
  }

  async inspect(deadline: Deadline): Promise<Reached<RegisterState>> {
    const asked = this.#note(await this.#ask(deadline, () => this.#register.inspect(deadline)));
    if (asked.kind === "unreachable") return asked;
    const atMs = this.#around.clock.nowMs();
    const clock = { device: asked.value.time, ours: wallTimeAt(atMs, this.#around.zone), atMs };
    this.#seen = { ...this.#seen, state: { value: asked.value, atMs }, clock };
    return asked;
  }

  async perform(document: RegisterDocument, deadline: Deadline): Promise<Outcome> {
    const outcome = await this.#ask(deadline, () => this.#register.perform(document, deadline));
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

  async lookUp(documentNumber: number, deadline: Deadline): Promise<LookUp> {
    return this.#note(await this.#ask(deadline, () => this.#register.lookUp(documentNumber, deadline)));
  }

  async abandon(deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">> {
    return this.#note(await this.#ask(deadline, () => this.#register.abandon(deadline)));
  }

  close(): Promise<void> {
    return this.#register.close();
  }

  /** The call, unless the device at the address is another address's; who it is, the register knows once it was asked. */
  async #ask<T extends { kind: string }>(deadline: Deadline, call: () => Promise<T>): Promise<T | Unreachable> {
    const { claims, clock } = this.#around;
    if (claims === undefined) return call();
    this.#calls += 1;
    try {
      const known = await this.#register.identity(deadline);
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

/** What a document that was made tells of the register, until it is asked again. */
function stateAfter(state: RegisterState, facts: DocumentFacts): RegisterState {
  if (facts.kind === "cash") return { ...state, drawerKopecks: facts.drawerKopecks };
  if (facts.kind === "interim") return state;
  const { document, documentNumber, shiftNumber, time } = facts;
  const made = { ...state, lastDocumentNumber: documentNumber };
  if (document === "close-shift") return { ...made, shift: { kind: "closed", lastNumber: shiftNumber } };
  if (document !== "open-shift") return made;
  return { ...made, shift: { kind: "open", number: shiftNumber, openedAt: time, openReportNumber: documentNumber, expired: false } };
}
