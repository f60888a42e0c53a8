import type { Deadline } from "../kernel/deadline.ts";
import type { WallTime } from "../kernel/moment.ts";
import type { RegisterDocument } from "../model/document.ts";
import type { Doubt } from "../model/doubt.ts";
import type { DocumentFacts, DriveWarnings, FiscalFacts, RegisterIdentity } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";

/**
 * A fiscal register behind whatever protocol it speaks. Calls on one register never overlap: its lane
 * takes turns. A method that cannot reach the device answers so by its result; it throws a `Failure`
 * of kind `fault` only for our own mistakes.
 */
export interface Register {
  /** Who the register is, from its own tables. Asked anew after every reconnection. Safe to repeat. */
  identity(deadline: Deadline): Promise<Reached<RegisterIdentity>>;

  /** The state that decides what may be done next, and what was printed last. Safe to repeat. */
  inspect(deadline: Deadline): Promise<Reached<RegisterState>>;

  /**
   * Makes the document. On return it is known to be made (`done`), known not to be (`refused`), or
   * unknown (`in-doubt`). Until the first byte of the registering command has left, every trouble is
   * a refusal and whatever was opened has been cancelled; from then on it is `in-doubt`. Refused, too, when the
   * drive is not the one that `inspect` last told of: what was decided by that one's number does not hold for it.
   * NOT safe to repeat unless the outcome was `refused`.
   */
  perform(document: RegisterDocument, deadline: Deadline): Promise<Outcome>;

  /** A document of the drive by its number, for settling doubt. Safe to repeat. */
  lookUp(documentNumber: number, deadline: Deadline): Promise<LookUp>;

  /** Cancels a document that stands open, so that the next one can begin. Safe to repeat. */
  abandon(deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">>;

  /** Gives the device and its link back. The register is not used afterwards. */
  close(): Promise<void>;
}

export type Reached<T> = { kind: "reached"; value: T } | { kind: "unreachable"; reason: string };

export type Outcome = { kind: "done"; facts: DocumentFacts } | { kind: "refused"; refusal: Refusal } | { kind: "in-doubt"; doubt: Doubt };

export type LookUp =
  | { kind: "found"; facts: FiscalFacts; reference?: string }
  /** A document of a kind that we never make (registration, confirmation…): it settles nothing. */
  | { kind: "foreign"; what: string }
  | { kind: "absent" }
  | { kind: "unreachable"; reason: string };

export interface RegisterState {
  driveNumber: string;
  /** Tag 1040 of the newest document in the drive; 0 before registration. */
  lastDocumentNumber: number;
  /** Tag 1012 of it, where the register tells that. */
  lastDocumentTime?: WallTime;
  shift: ShiftState;
  /** Cash in the drawer by the register's own counter. */
  drawerKopecks: number;
  /** The device's own clock. */
  time: WallTime;
  paper: "present" | "out" | "unknown";
  /** The paper ended in the middle of a document, which is registered. */
  paperEndedWithin?: true;
  /** Of a register that prints and tells it. */
  coverOpen?: true;
  /** A document that was begun and not finished stands open. */
  documentOpen: boolean;
  /** Documents that the data operator has not confirmed. */
  queue: { unsent: number; since?: WallTime };
  drive: {
    phase: "ready" | "fiscal" | "closed";
    keysUntil?: WallTime;
    /** Documents for which the drive has room; absent where the register does not tell. */
    documentsLeft?: number;
    warnings: DriveWarnings;
  };
}

export type ShiftState =
  | { kind: "closed"; lastNumber: number }
  /** `expired`: 24 hours have passed on the device's own clock (fiscal-receipts 6.2). */
  | { kind: "open"; number: number; openedAt: WallTime; openReportNumber?: number; expired: boolean };
