import type { Doubt } from "../model/doubt.ts";
import type { DocumentFacts } from "../model/facts.ts";
import type { Operation } from "../model/operation.ts";
import type { Refusal } from "../model/refusal.ts";

/** An operation as a contract hands it over: proved, read and translated. */
export interface Submission {
  appId: string;
  accountId: string;
  operation: Operation;
  /** SHA-256, hex, of the request as read: key order, white space and unknown fields do not count. */
  contentHash: string;
  /** SHA-256, hex, of store, name, moment and totals. */
  twin: string;
  /** Turns facts into the bytes of the contract's answer. */
  answer(done: DoneOperation): Buffer;
}

export interface DoneOperation {
  facts: DocumentFacts;
  /** Zip with the PDF; absent when drawing failed: the operation is done all the same. */
  receipt?: Buffer;
}

/** What became of it. A contract must find an answer for each. */
export type Submitted =
  | { kind: "done"; answer: Buffer; replayed: boolean }
  /** Nothing was registered. */
  | { kind: "refused"; refusal: Refusal }
  /** The same key with other content, while running, in doubt or done. */
  | { kind: "content-differs" }
  /** The same document already came under the other id type. */
  | { kind: "twin" }
  | { kind: "running" }
  /** Unknown whether it was registered. */
  | { kind: "in-doubt"; doubt: Doubt };
