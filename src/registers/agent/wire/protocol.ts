/** The first and last supported version of the agent's wire. */
export const PROTOCOLS: readonly [from: number, to: number] = [1, 1];
/**
 * The highest epoch. Epochs grow by one per connection, so no agent reaches it. Without this limit an agent could send an epoch beyond the
 * safe integers and never connect again.
 */
export const MAX_EPOCH = 2 ** 40;
export const SUBPROTOCOL = "fiscal-agent.v1";
/** Both sides refuse longer frames. A receipt of 1,000 lines with 128-letter names takes less than half of this length. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** How long each side waits in the handshake: the server for the hello, the agent for the server's next frame. */
export const HELLO_LIMIT_MS = 5_000;
/** How long the server waits for `accepted`, and the agent for `go`. */
export const STEP_LIMIT_MS = 5_000;

export const CLOSE = {
  /** An orderly end. */
  normal: 1000,
  malformed: 4400,
  unknown: 4401,
  revoked: 4403,
  silent: 4408,
  /**
   * This copy of the agent is refused: its epoch or folder is unknown, or another copy was accepted. Also: the agent has a newer
   * connection.
   */
  forked: 4409,
  /** The agent was enrolled at a different server. */
  otherServer: 4410,
  protocol: 4426,
  tooMany: 4429,
  leaving: 4503,
} as const;

/** The agent's reasons for not carrying out a call. */
export const FAILED_CODES = [
  "no-go",
  "void",
  "attempt-differs",
  "fenced",
  "agent-too-old",
  "unknown-call",
  "unknown-register",
  "busy",
  /** The record of attempts could not be written, for example because the disk is full. Nothing was sent to the device for this call. */
  "record-failed",
  "leaving",
] as const;

export type FailedCode = (typeof FAILED_CODES)[number];

/** What a document can need beyond protocol 1. An agent refuses a document with an unknown need. */
export const NEEDS = ["correction", "marks", "state-report", "x-report"] as const;

/** What the agent signs in its hello. The signature proves that the agent has its key. */
export interface SignedHello {
  nonce: string;
  server: string;
  agent: string;
  epoch: number;
  folder: string;
  boot: string;
}

/** Returns the text that the agent signs: the subprotocol and the parts of the hello, joined by line feeds. */
export function helloText({ nonce, server, agent, epoch, folder, boot }: SignedHello): string {
  return [SUBPROTOCOL, nonce, server, agent, epoch, folder, boot].join("\n");
}
