import type { Doubt } from "../model/doubt.ts";
import type { DocumentFacts } from "../model/facts.ts";
import type { Operation } from "../model/operation.ts";
import type { Refusal } from "../model/refusal.ts";

/** An operation for a register: from a contract, after its proof and translation, or from a person, as a correction or a report. */
export interface Submission {
  appId: string;
  accountId: string;
  operation: Operation;
  /** SHA-256, hex, of the parsed request. Key order, white space and unknown fields do not change it. */
  contentHash: string;
  /** SHA-256, hex, of store, name, moment and totals. */
  twinHash: string;
  /** Turns facts into the bytes of the contract's answer. */
  answer(done: DoneOperation): Buffer;
}

export interface DoneOperation {
  facts: DocumentFacts;
  /** Zip with the PDF. Absent when drawing failed; the operation is done nevertheless. */
  receipt?: Buffer;
}

/** Another process may have the register, and must find out the result. This process may have sent the document before. */
export interface Elsewhere {
  kind: "elsewhere";
  register: string;
}

/** The result of a submission. A contract has an answer for each. */
export type Submitted =
  | { kind: "done"; answer: Buffer; replayed: boolean }
  | { kind: "refused"; refusal: Refusal }
  /** An operation with this key is running, in doubt or done with other content. */
  | { kind: "content-differs" }
  | { kind: "running" }
  /** It is unknown whether the operation was registered. */
  | { kind: "in-doubt"; doubt: Doubt };
