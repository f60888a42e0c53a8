import type { WallTime } from "../kernel/moment.ts";
import type { RegisterDocument } from "../model/document.ts";
import type { Doubt } from "../model/doubt.ts";
import type { DocumentFacts } from "../model/facts.ts";
import { OPERATION_KINDS, type Operation, type PlatformId } from "../model/operation.ts";
import type { Paper } from "../model/paper.ts";
import type { Reason } from "../model/reason.ts";
import type { Refusal } from "../model/refusal.ts";
import type { EntryState } from "./states.ts";

/** Operations of the journal. The server itself makes the last two, automatic shift reports, when the point of sale allows them. */
export const JOURNAL_OPERATIONS = [...OPERATION_KINDS, "auto-open-shift", "auto-close-shift"] as const;

export type JournalOperation = (typeof JOURNAL_OPERATIONS)[number];

/** The key of one operation, for ever. A document is never registered twice under one key. */
export interface EntryKey {
  appId: string;
  accountId: string;
  operation: JournalOperation;
  documentId: string;
}

/** The content of an entry before a register is asked. The commit before sending freezes it. */
export interface EntryContent {
  key: EntryKey;
  /** Hash of the parsed request (interface 5, Idempotency). */
  contentHash: string;
  /** Hash of store, name, moment and totals. It is the same for the same document under another id type. */
  twinHash: string;
  idType: PlatformId["idType"];
  /** Canonical address of the register, which names its lane. */
  register: string;
  operation: Operation;
  document: RegisterDocument;
  paper: Paper;
}

/**
 * The register's state before sending: drive, last document, shift, cash in the drawer, clock. It is committed before anything is sent,
 * with the id of the attempt.
 */
export interface Checkpoint {
  driveNumber: string;
  lastDocumentNumber: number;
  shiftNumber: number;
  shiftOpen: boolean;
  drawerKopecks: number;
  deviceTime: WallTime;
  /** The id of the attempt (`Attempt.id`). Absent when nothing was sent, and in entries of older versions. */
  attemptId?: string;
  /** The device's durable record of the attempt (`RegisterState.record`). */
  record?: string;
}

export interface Entry extends EntryContent {
  id: number;
  state: EntryState;
  /** Starts at 1. A new attempt after a refusal adds one. A person's statement that replaces an earlier statement adds one too. */
  attempt: number;
  acceptedAtMs: number;
  movedAtMs: number;
  /** Checkpoint of the newest sent attempt. An attempt that only waited keeps the earlier checkpoint. */
  checkpoint?: Checkpoint;
  facts?: DocumentFacts;
  refusal?: Refusal;
  doubt?: Doubt;
}

/** What is read of an entry that may be the same document under another id type. */
export type Twin = Pick<Entry, "id" | "key" | "idType" | "state">;

/** The source of a move: a contract's caller, the register's answer, a look-up in the register, a start after a crash, or a person. */
export const FOUND_OUT_BY = ["caller", "register", "look-up", "restart", "person"] as const;

/** One step of an entry between two states. Moves never change. */
export interface Move {
  entryId: number;
  attempt: number;
  atMs: number;
  from?: EntryState;
  to: EntryState;
  by: (typeof FOUND_OUT_BY)[number];
  /** Why the entry moved. Absent when the states explain it. */
  reasons?: readonly Reason[];
}
