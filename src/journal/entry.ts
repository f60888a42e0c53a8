import type { WallTime } from "../kernel/moment.ts";
import type { RegisterDocument } from "../model/document.ts";
import type { Doubt } from "../model/doubt.ts";
import type { DocumentFacts } from "../model/facts.ts";
import { OPERATION_KINDS, type Operation, type PlatformId } from "../model/operation.ts";
import type { Paper } from "../model/paper.ts";
import type { Reason } from "../model/reason.ts";
import type { Refusal } from "../model/refusal.ts";
import type { EntryState } from "./states.ts";

/** Shift reports that the server makes on its own, when the point of sale's setting allows it. */
export const JOURNAL_OPERATIONS = [...OPERATION_KINDS, "auto-open-shift", "auto-close-shift"] as const;

export type JournalOperation = (typeof JOURNAL_OPERATIONS)[number];

/** One operation, for ever: the same document is never registered twice under one key. */
export interface EntryKey {
  appId: string;
  accountId: string;
  operation: JournalOperation;
  documentId: string;
}

/** What is known before a register is touched. All of it is frozen by the commit that precedes sending. */
export interface EntryContent {
  key: EntryKey;
  /** Hash of the request as read (interface 5, Idempotency). */
  contentHash: string;
  /** Hash of store, name, moment and totals: the same document under the other id type has the same. */
  twin: string;
  idType: PlatformId["idType"];
  /** Canonical address of the register: the lane. */
  register: string;
  operation: Operation;
  document: RegisterDocument;
  /** Paper the receipt is drawn for. */
  paper: Paper;
}

/** What the register had printed last, committed before anything is sent. */
export interface Checkpoint {
  driveNumber: string;
  lastDocumentNumber: number;
  shiftNumber: number;
  shiftOpen: boolean;
  drawerKopecks: number;
  deviceTime: WallTime;
}

export interface Entry extends EntryContent {
  id: number;
  state: EntryState;
  /** 1 for the first; each new attempt after a refusal counts one more, and so does a person's word that replaces another. */
  attempt: number;
  acceptedAtMs: number;
  movedAtMs: number;
  /** Of the newest attempt that was sent: one that only waited leaves the one before it. */
  checkpoint?: Checkpoint;
  facts?: DocumentFacts;
  refusal?: Refusal;
  /** Why the outcome is unknown. */
  doubt?: Doubt;
}

/** Who found out: a contract's caller, the register by its answer, a look-up in it, the start after a crash, or a person. */
export const FOUND_OUT_BY = ["caller", "register", "look-up", "restart", "person"] as const;

/** How an entry came to where it is: append-only, one row a move. */
export interface Move {
  entryId: number;
  attempt: number;
  atMs: number;
  from?: EntryState;
  to: EntryState;
  by: (typeof FOUND_OUT_BY)[number];
  /** Why it moved so; absent where the states say all. */
  reasons?: readonly Reason[];
}
