import type { Deadline } from "../kernel/deadline.ts";
import type { WallTime } from "../kernel/moment.ts";
import type { RegisterDocument } from "../model/document.ts";
import type { Doubt } from "../model/doubt.ts";
import type { DocumentFacts, DriveWarnings, FiscalFacts, RegisterIdentity } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";

/**
 * A fiscal register behind any protocol. Calls on one register never overlap, because its lane takes turns. A method
 * that cannot reach the device says so in its result. Methods throw a `Failure` of kind `fault` only for mistakes of
 * this program.
 */
export interface Register {
  /** Reads the identity of the register from its own tables, and reads it again after every reconnection. Safe to repeat. */
  identity(deadline: Deadline): Promise<Reached<RegisterIdentity>>;

  /** Returns the state that decides what may be done next, and the newest document. Safe to repeat. */
  inspect(deadline: Deadline): Promise<Reached<RegisterState>>;

  /**
   * Makes the document. The outcome says that the document is made (`done`), is not made (`refused`), or that this is unknown (`in-doubt`).
   * Until the first byte of the registering command was sent, every problem is a refusal, and an opened document has been cancelled. From
   * then on a problem is `in-doubt`. The document is also refused when the drive is not the drive of the last `inspect`, because decisions
   * made with the old drive's number do not apply. NOT safe to repeat unless the outcome was `refused`. `attempt`: absent when nobody else
   * may use the register and no record of attempts is kept.
   */
  perform(document: RegisterDocument, deadline: Deadline, attempt?: Attempt): Promise<Outcome>;

  /**
   * Returns what became of an attempt, from a durable record beside the device. Only a register with such a record has this member. Safe to
   * repeat. After `never` the attempt will never be made.
   */
  recall?(attempt: RecordedAttempt, deadline: Deadline): Promise<Recalled>;

  /** Reads a document of the drive by its number, to settle a doubt. Safe to repeat. */
  lookUp(documentNumber: number, deadline: Deadline): Promise<LookUp>;

  /** Cancels an open document, so that the next one can begin. Safe to repeat. */
  abandon(deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">>;

  /** Closes the register and its link. The register is not used afterwards. */
  close(): Promise<void>;
}

/** One sending of a document to the register. */
export interface Attempt {
  /** Drawn and stored before the sending. Another sending of the same document has another id. */
  id: string;
  /**
   * Whether the document may be registered now. Every driver asks right before the first byte of the command that registers, prints a
   * report or moves cash. False: the driver cancels what it has begun and refuses.
   */
  mayRegister(): Promise<boolean>;
}

/** An attempt, and the record that keeps it: `RegisterState.record` of the inspection before the attempt. */
export interface RecordedAttempt {
  id: string;
  record?: string;
}

export type Recalled =
  | { kind: "outcome"; outcome: Outcome }
  /** The document is being made now. */
  | { kind: "running" }
  /** It was begun, and the record has no outcome: the device must be asked. */
  | { kind: "unknown" }
  | { kind: "never" }
  | { kind: "unreachable"; reason: string };

/** `otherDevice`: a register answers, but it is not the device that may be used here. A person must accept it first. */
export type Reached<T> = { kind: "reached"; value: T } | { kind: "unreachable"; reason: string; otherDevice?: true };

export type Outcome = { kind: "done"; facts: DocumentFacts } | { kind: "refused"; refusal: Refusal } | { kind: "in-doubt"; doubt: Doubt };

export type LookUp =
  | { kind: "found"; facts: FiscalFacts; reference?: string }
  /** A document of a kind that this server never makes (registration, confirmation…). It settles no doubt. */
  | { kind: "foreign"; what: string }
  | { kind: "absent" }
  | { kind: "unreachable"; reason: string };

export interface RegisterState {
  driveNumber: string;
  /** Tag 1040 of the newest document in the drive; 0 before registration. */
  lastDocumentNumber: number;
  /** Tag 1012 of the newest document, when the register gives it. */
  lastDocumentTime?: WallTime;
  shift: ShiftState;
  /** Cash in the drawer, as the register counts it. */
  drawerKopecks: number;
  /** The device's own clock. */
  time: WallTime;
  paper: "present" | "out" | "unknown";
  /** The paper ended in the middle of a document; the document is registered. */
  paperEndedWithin?: true;
  /** Only for a register that prints and reports its cover. */
  coverOpen?: true;
  /** A document was begun and is neither finished nor cancelled. */
  documentOpen: boolean;
  /** Documents that the data operator has not confirmed. */
  queue: { unsent: number; since?: WallTime };
  drive: {
    phase: "ready" | "fiscal" | "closed";
    keysUntil?: WallTime;
    /** Documents for which the drive has room; absent when the register does not give the number. */
    documentsLeft?: number;
    warnings: DriveWarnings;
  };
  /** The id of the durable record of attempts beside the device, if there is one. */
  record?: string;
}

export type ShiftState =
  | { kind: "closed"; lastNumber: number }
  /**
   * `openedAt` is empty when the device does not give it. `expired`: 24 hours have passed on the device's own clock
   * (fiscal-receipts 6.2).
   */
  | { kind: "open"; number: number; openedAt: WallTime; openReportNumber?: number; expired: boolean };
