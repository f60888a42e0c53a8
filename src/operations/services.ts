import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";
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

/** Asking a register for its state takes milliseconds; a few seconds allow for one that is still printing. */
export const INSPECT_LIMIT_MS = 5_000;

/** What a turn at a register works with. */
export interface TurnServices {
  journal: Journal;
  clock: Clock;
  log: Log;
  /** Told of each way in which a registered return gives back more than was sold, for the metrics. */
  returnedMore(how: Excess["kind"]): void;
  refusals: RefusalBound;
}

/** The registers that exist, by address: the rack, as far as operations know it. */
export interface Registers {
  parse(address: string): ParsedAddress;
  /** The register at an address, passwords and options included; what has changed of them counts from the first call on it. */
  at(address: string, zone: string, zoneKnown: boolean): Register;
  /** The register of a lane as it was asked for last: the point of sale that it belonged to has another by now. */
  again(canonical: string, zone: string): Register;
}

/** A point of sale's settings, as far as operations read them. */
export interface StoreRules extends StoreProfile {
  /** Binding of its own; absent: the default register. */
  register?: string;
  timeZone: string;
  /** The zone was set for this point of sale or its account: it is the register's for certain, and no default. */
  timeZoneIsSet?: boolean;
  paper: Paper;
  shiftOpening: "platform" | "automatic";
}

/** What the platform's JSON API says about an operation (interface 6, Money unit). */
interface LookedUp {
  /** Absent: nothing is known, the settings decide. */
  known?: Known;
  /** How the amounts stand to the document's own sum; `pinned` once that is settled, or where there is nothing to compare. */
  scale: ScaleEvidence | "pinned";
}

/** What the service of operations is made of. */
export interface OperationServices extends TurnServices {
  registers: Registers;
  /** Address with `{store}`, for points of sale without a binding. */
  defaultRegister?: string;
  rulesOf(appId: string, accountId: string, storeId: string): Promise<StoreRules>;
  /** Within 300 ms, whatever the platform does; never rejects. */
  lookUp(party: { appId: string; accountId: string }, operation: Operation): Promise<LookedUp>;
  /** Drives that the installation may use (interface 6, Test and live). */
  drivesOf(appId: string): "test" | "live";
  /** Draws the receipt; rejects when it cannot be drawn, which never changes the outcome of an operation. */
  draw(printed: { document: RegisterDocument; facts: DocumentFacts; paper: Paper }): Promise<Buffer>;
  /** Told of each submission's end, for the metrics. */
  observe(kind: string, outcome: string, durationMs: number): void;
}
