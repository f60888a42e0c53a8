import type { Deadline } from "../../../kernel/deadline.ts";

/** Carries one command to the device and its answer back, in either version of the low level. Exchanges never overlap. */
export interface Exchanger {
  /**
   * Sends one command. On return its answer has arrived (`answered`), the device has certainly not carried it out
   * (`undelivered`), or that is unknown (`unknown`). A command that is `never` repeated is sent again only after the
   * device has refused the frame (protocol 1.0), or under the same number, which the device carries out only once
   * (2.0). Never throws because of a device or a cable.
   */
  exchange(request: ExchangeRequest, deadline: Deadline): Promise<Exchanged>;
  /** Closes the link. A running exchange ends with the result that is known at that moment. */
  close(): Promise<void>;
}

export interface ExchangeRequest {
  /** Code and fields, without the frame. */
  data: Buffer;
  /** Code of the command. An answer with another code belongs to an earlier command. */
  code: readonly number[];
  /** Longest wait for the answer once the device has taken the command, ms. */
  allowedMs: number;
  repeat: "safe" | "never";
  /** How long a device that does not react counts as busy before the command is sent, ms. */
  reactionMs?: number;
}

export type Exchanged = ExchangedKind & {
  /** Answers to earlier commands that came in this exchange, oldest first: they settle the doubt about those commands. */
  stale: readonly Buffer[];
};

export type ExchangedKind =
  | { kind: "answered"; data: Buffer }
  /**
   * `bytesLeft`: true when the frame was sent and the device refused it each time, false when nothing of it was sent.
   * `silent`: the link is open, but the device has not reacted to the questions before the command.
   */
  | { kind: "undelivered"; reason: string; bytesLeft: boolean; silent?: true }
  | { kind: "unknown"; reason: string };
