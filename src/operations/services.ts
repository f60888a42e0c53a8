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

/** The time for reading a register's state, or one document. Both take milliseconds; a printing register answers within a few seconds. */
export const INSPECT_LIMIT_MS = 5_000;

export interface TurnServices {
  journal: Journal;
  clock: Clock;
  chance: Pick<Chance, "uuid">;
  log: Log;
  /** Counts, for the metrics, each excess of a registered return over its sale. */
  returnedMore(how: Excess["kind"]): void;
  refusals: RefusalBound;
  /**
   * Returns a function for the work that begins now. Call that function directly before the registering command: it checks whether the
   * document may be registered. Absent: this process has all registers.
   */
  permission?(register: string): () => Promise<boolean>;
  /** Aborted when the server stops: turns then read no further documents of drives. Absent: nothing signals a stop. */
  stopping?: AbortSignal;
  /** Stores the commands that a register and its driver exchange during an attempt. Absent: nothing is stored. */
  exchanges?: Exchanges;
}

/** Stores exchanges with devices, for people. An exchange is written after the answer and may be lost. */
interface Exchanges {
  /** Assigns the register's commands to the attempt, until the returned function is called. */
  begin(register: string, attempt: { id: number; attempt: number }): () => void;
}

/** The registers by address: the part of `registers/rack.ts` that operations use. */
export interface Registers {
  parse(address: string): ParsedAddress;
  /** Returns the register at an address with passwords and options. Changed passwords and options apply from the next call on. */
  at(address: string, zone: string, zoneKnown: boolean): Register;
  /**
   * Returns the register of a lane, with the last used passwords and options. For operations whose point of sale now has another
   * register.
   */
  again(canonical: string, zone: string): Register;
}

/** The settings of a point of sale for operations. */
export interface StoreRules extends StoreProfile {
  /** The register of this point of sale. Absent: the default register. */
  register?: string;
  timeZone: string;
  /** True when somebody set the zone for this point of sale or its account, so it certainly is the register's zone. */
  timeZoneIsSet?: boolean;
  paper: Paper;
  shiftOpening: "platform" | "automatic";
}

/** Data of the platform's JSON API about an operation (interface 6, Money unit). */
interface LookedUp {
  /** Absent when nothing is known: the settings decide. */
  known?: Known;
  /**
   * How the amounts compare with the document's sum at the platform. `pinned`: the money scale is settled already, or there is nothing to
   * compare.
   */
  scale: ScaleEvidence | "pinned";
}

/** The registers of this process, when several processes share the database. */
interface HeldRegisters {
  /** Takes a free register. Undefined: this process did not get the register. */
  enter(register: string): Promise<HeldRegister | undefined>;
  /** Resolves when the register's agent is not moving between processes. A move takes at most a few seconds. */
  arrived?(register: string): Promise<void>;
  /**
   * Takes the register over after its holder's running work, because a person asks this process about the register. False: this process did
   * not get the register.
   */
  pull(register: string): Promise<boolean>;
  /** Forwards a submission to the holder. `here`: this process must try itself. Safe to repeat; never rejects. */
  forward(register: string, submission: Submission, deadline: Deadline): Promise<Submitted | { kind: "here" }>;
}

export interface HeldRegister {
  /** False once another process may have the register. Results from the register may then be out of date. */
  stands(): boolean;
}

export interface OperationServices extends TurnServices {
  registers: Registers;
  /** Absent: this process has all registers. */
  held?: HeldRegisters;
  /** Address with `{store}`, for points of sale without their own register. */
  defaultRegister?: string;
  rulesOf(appId: string, accountId: string, storeId: string): Promise<StoreRules>;
  /**
   * Returns why an account may not use the register at a canonical address, for the cashier. Absent: every account may use every
   * register.
   */
  unusable?(party: { appId: string; accountId: string }, canonical: string): Promise<string | undefined>;
  /** Answers within 300 ms, even if the platform is silent. Never rejects. */
  lookUp(party: { appId: string; accountId: string }, operation: Operation): Promise<LookedUp>;
  /** Drives that the installation may use (interface 6, Test and live). */
  drivesOf(appId: string): "test" | "live";
  /** Draws the receipt. A rejection never changes the outcome of an operation. */
  draw(printed: { document: RegisterDocument; facts: DocumentFacts; paper: Paper }): Promise<Buffer>;
  /** Counts the end of each submission for the metrics. */
  observe(kind: string, outcome: string, durationMs: number): void;
}
