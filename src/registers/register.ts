import type { Deadline } from "../kernel/deadline.ts";
import type { WallTime } from "../kernel/moment.ts";
import type { RegisterDocument } from "../model/document.ts";
import type { Doubt } from "../model/doubt.ts";
import type { DocumentFacts, DriveWarnings, FiscalFacts, RegisterIdentity } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";

/**
 * A fiscal register behind any protocol. Calls on one register never overlap, because its lane serializes them. An unreachable device is
 * part of each result. Drivers throw only for bugs. A register of the rack also rejects when `DeviceOwners` rejects.
 */
export interface Register {
  /** Returns the register's identity. It is read again at least after each reconnection. Safe to repeat. */
  identity(deadline: Deadline): Promise<Reached<RegisterIdentity>>;

  /** Returns the register's state, with the number of its newest document. Safe to repeat. */
  inspect(deadline: Deadline): Promise<Reached<RegisterState>>;

  /**
   * Makes the document. Outcomes: `done`, `refused` (not made) or `in-doubt`. Before the first byte of the registering command is sent,
   * every problem is a refusal. A begun document is then cancelled, at the latest before the next document. After this first byte, a
   * problem is `in-doubt`, unless the device itself refuses the command. When the drive is not the drive of the last `inspect`, the outcome
   * is `refused`, because the server decided for the old drive. NOT safe to repeat unless the outcome was `refused`. `attempt`: absent when
   * no other process may use the register and no record of attempts exists.
   */
  perform(document: RegisterDocument, deadline: Deadline, attempt?: Attempt): Promise<Outcome>;

  /**
   * Returns the result of an attempt from a durable record beside the device. Safe to repeat. `never`: the attempt was not made and will
   * never be made. A register without such a record lacks this method, or answers `unknown`.
   */
  recall?(attempt: RecordedAttempt, deadline: Deadline): Promise<Recalled>;

  /** Reads a document of the drive by its number, to settle a doubt. Safe to repeat. */
  lookUp(documentNumber: number, deadline: Deadline): Promise<LookUp>;

  /** Cancels an open document, so that the next document can begin. Safe to repeat. */
  abandon(deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">>;

  /** Closes the register and its link. Do not use the register afterwards. */
  close(): Promise<void>;
}

/** One sending of a document to the register. */
export interface Attempt {
  /** A random id, stored before the document is sent. When the document is sent again, it gets a new id. */
  id: string;
  /**
   * Whether the document may be registered now. Each driver asks right before the first byte of the command that registers, prints a report
   * or moves cash. False: the driver cancels the begun document and refuses.
   */
  mayRegister(): Promise<boolean>;
}

/** An attempt, and the id of the record that has it: `RegisterState.record` of the inspection before the attempt. Absent: unknown. */
export interface RecordedAttempt {
  id: string;
  record?: string;
}

export type Recalled =
  | { kind: "outcome"; outcome: Outcome }
  | { kind: "running" }
  /** The attempt was begun, but the record has no outcome. The device must be asked. */
  | { kind: "unknown" }
  | { kind: "never" }
  | { kind: "unreachable"; reason: string };

/** For the cashier: the drive is not the drive of the last `inspect`. */
export const OTHER_DRIVE = "После проверки в кассе сменился фискальный накопитель";

/** `otherDevice`: a device answers, but it is not the expected device, and a person must accept it first. */
export type Reached<T> = { kind: "reached"; value: T } | { kind: "unreachable"; reason: string; otherDevice?: true };

export type Outcome = { kind: "done"; facts: DocumentFacts } | { kind: "refused"; refusal: Refusal } | { kind: "in-doubt"; doubt: Doubt };

export type LookUp =
  | { kind: "found"; facts: FiscalFacts; reference?: string }
  /** The document is of a kind that this server never makes (registration, confirmation…). So it settles no doubt. */
  | { kind: "foreign"; what: string }
  | { kind: "absent" }
  | { kind: "unreachable"; reason: string };

export interface RegisterState {
  driveNumber: string;
  /** Tag 1040 of the drive's newest document; 0 before registration. */
  lastDocumentNumber: number;
  /** Tag 1012 of the newest document. Absent: the register does not give it. */
  lastDocumentTime?: WallTime;
  shift: ShiftState;
  /** Cash in the drawer by the register's count. */
  drawerKopecks: number;
  /** The device's own clock. */
  time: WallTime;
  paper: "present" | "out" | "unknown";
  /** The paper ended while a document was printed. The document is registered. */
  paperEndedWithin?: true;
  /** The cover is open. Set only by a register that prints and reports its cover. */
  coverOpen?: true;
  /** A document was begun, and neither finished nor cancelled. */
  documentOpen: boolean;
  /** Documents that the data operator has not confirmed. */
  queue: { unsent: number; since?: WallTime };
  drive: {
    phase: "ready" | "fiscal" | "closed";
    keysUntil?: WallTime;
    /** How many documents still fit into the drive. Absent: the register does not give the number. */
    documentsLeft?: number;
    warnings: DriveWarnings;
  };
  /** The id of the durable record of attempts beside the device, if any. */
  record?: string;
}

export type ShiftState =
  | { kind: "closed"; lastNumber: number }
  /**
   * `openedAt` is empty when the device does not give it. `expired`: the device counts the shift as longer than 24 hours (fiscal-receipts
   * 6.2).
   */
  | { kind: "open"; number: number; openedAt: WallTime; openReportNumber?: number; expired: boolean };
