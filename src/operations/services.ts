import type { Journal } from "../journal/journal.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import type { Log } from "../kernel/log.ts";
import type { RegisterDocument } from "../model/document.ts";
import type { DocumentFacts } from "../model/facts.ts";
import type { Known, ScaleEvidence } from "../model/known.ts";
import type { Operation } from "../model/operation.ts";
import type { Paper } from "../model/paper.ts";
import type { Excess } from "../model/returned.ts";
import type { StoreProfile } from "../model/store-profile.ts";
import type { ParsedAddress } from "../registers/protocol.ts";
import type { Register } from "../registers/register.ts";
import type { RefusalBound } from "./refusal-bound.ts";
import type { Submission, Submitted } from "./submission.ts";

/** Reading a register's state takes milliseconds. A register that is still printing answers within a few seconds. */
export const INSPECT_LIMIT_MS = 5_000;

/** The services of a turn at a register. */
export interface TurnServices {
  journal: Journal;
  clock: Clock;
  /** Draws the ids of attempts. */
  chance: Pick<Chance, "uuid">;
  log: Log;
  /** Counts, for the metrics, each way in which a registered return gives back more than was sold. */
  returnedMore(how: Excess["kind"]): void;
  refusals: RefusalBound;
  /**
   * Returns a function that tells whether the document of the work that begins now may be registered. The work calls it right before the
   * command that registers. Absent: this process has all registers.
   */
  permission?(register: string): () => Promise<boolean>;
  /** Keeps the commands that a register and its driver exchange during an attempt. Absent: nothing is kept. */
  exchanges?: Exchanges;
}

/** Keeps exchanges with devices, for people to read. An exchange is written after the answer and may be lost. */
interface Exchanges {
  /** From now on the commands of this register belong to the attempt, until the returned function is called. */
  begin(register: string, attempt: { id: number; attempt: number }): () => void;
}

/** The registers by address: the part of the rack that operations use. */
export interface Registers {
  parse(address: string): ParsedAddress;
  /** The register at an address with passwords and options. Changed passwords and options apply from the next call on. */
  at(address: string, zone: string, zoneKnown: boolean): Register;
  /**
   * The register of a lane, with the passwords and options used last. For operations whose point of sale now has
   * another register.
   */
  again(canonical: string, zone: string): Register;
}

/** The settings of a point of sale that operations read. */
export interface StoreRules extends StoreProfile {
  /** The register bound to this point of sale. Absent: the default register. */
  register?: string;
  timeZone: string;
  /**
   * True when the zone was set for this point of sale or its account. Then it is surely the register's zone and not a
   * default.
   */
  timeZoneIsSet?: boolean;
  paper: Paper;
  shiftOpening: "platform" | "automatic";
}

/** The data of the platform's JSON API about an operation (interface 6, Money unit). */
interface LookedUp {
  /** Absent when nothing is known: then the settings decide. */
  known?: Known;
  /**
   * How the amounts compare with the document's own sum. `pinned`: the scale is settled already, or there is nothing to
   * compare.
   */
  scale: ScaleEvidence | "pinned";
}

/** The registers that this process holds, when several processes share the database. */
interface HeldRegisters {
  /** Takes the register when nobody holds it. Undefined: another process holds it. */
  enter(register: string): Promise<HeldRegister | undefined>;
  /** Resolves when the agent of the register is not on its way from one process to another, within seconds. */
  arrived?(register: string): Promise<void>;
  /**
   * Takes the register over from its holder, after the holder's running work, because a person asks this process about it. False: the
   * holder keeps it.
   */
  pull(register: string): Promise<boolean>;
  /** Passes a submission on to the holder. `here`: this process has to try itself. Safe to repeat; never rejects. */
  forward(register: string, submission: Submission, deadline: Deadline): Promise<Submitted | { kind: "here" }>;
}

export interface HeldRegister {
  /** False once another process may have the register. What was found at the register meanwhile may be out of date. */
  stands(): boolean;
}

/** The services of `Operations`. */
export interface OperationServices extends TurnServices {
  registers: Registers;
  /** Absent: this process has all registers. */
  held?: HeldRegisters;
  /** Address with `{store}`, for points of sale without a register of their own. */
  defaultRegister?: string;
  rulesOf(appId: string, accountId: string, storeId: string): Promise<StoreRules>;
  /**
   * Returns why an account may not use the register at a canonical address, for the cashier. Absent: every account may use every register.
   */
  unusable?(party: { appId: string; accountId: string }, canonical: string): Promise<string | undefined>;
  /** Answers within 300 ms, whatever the platform does. Never rejects. */
  lookUp(party: { appId: string; accountId: string }, operation: Operation): Promise<LookedUp>;
  /** Drives that the installation may use (interface 6, Test and live). */
  drivesOf(appId: string): "test" | "live";
  /** Draws the receipt. Rejects when it cannot be drawn, which never changes the outcome of an operation. */
  draw(printed: { document: RegisterDocument; facts: DocumentFacts; paper: Paper }): Promise<Buffer>;
  /** Counts the end of each submission for the metrics. */
  observe(kind: string, outcome: string, durationMs: number): void;
}
