import type { Deadline } from "../../../kernel/deadline.ts";

/** Carries one command to the device and its answer back, in either low-level protocol. Exchanges never overlap. */
export interface Exchanger {
  /**
   * Sends one command. `answered`: its answer has arrived. `undelivered`: the device has certainly not carried out the command.
   * `unknown`: the device may or may not have carried out the command. Device and cable errors never throw.
   * A `never` command is sent again in two cases only. In protocol 1.0 the device has refused the frame. In protocol 2.0 the number stays
   * the same, and the device carries out each number only once.
   */
  exchange(request: ExchangeRequest, deadline: Deadline): Promise<Exchanged>;
  /** Closes the link. A running exchange ends with its current result. */
  close(): Promise<void>;
}

export interface ExchangeRequest {
  /** Code and fields, without the frame. */
  data: Buffer;
  /** The command's code. An answer with a different code belongs to an earlier command. */
  code: readonly number[];
  /** How long the answer may take after the device has accepted the command, ms. */
  allowedMs: number;
  repeat: "safe" | "never";
  /** How long a device without a reaction counts as busy before the command is sent, ms. */
  reactionMs?: number;
}

export type Exchanged = ExchangedKind & {
  /** Answers to earlier commands in this exchange, oldest first. They settle the doubt about those commands. */
  stale: readonly Buffer[];
};

export type ExchangedKind =
  | { kind: "answered"; data: Buffer }
  /**
   * `bytesLeft`: true if the frame was sent and the device refused it each time; false if nothing of it was sent. `silent`: the link is
   * open, but the device has not reacted to the questions before the command.
   */
  | { kind: "undelivered"; reason: string; bytesLeft: boolean; silent?: true }
  | { kind: "unknown"; reason: string };
