/** The first and the last version of the agent's wire that this program speaks. Two neighbouring versions run side by side. */
export const PROTOCOLS: readonly [from: number, to: number] = [1, 1];
/**
 * The highest epoch. Epochs grow by one with each connection, so a higher one is no epoch: the next one could not be written as a whole
 * number any more, and the agent could never connect again.
 */
export const MAX_EPOCH = 2 ** 40;
export const SUBPROTOCOL = "fiscal-agent.v1";
/** Both sides refuse longer frames. A receipt of 2,000 lines takes well under half of it. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** A connection without a hello after this time is closed. */
export const HELLO_LIMIT_MS = 5_000;
/** How long the server waits for `accepted`, and the agent for `go`. */
export const STEP_LIMIT_MS = 5_000;

/** Close codes of the wire. */
export const CLOSE = {
  /** The side that closes has ended in order. */
  normal: 1000,
  malformed: 4400,
  unknown: 4401,
  revoked: 4403,
  silent: 4408,
  /** The epoch or the folder of another copy of this agent. */
  forked: 4409,
  /** The other side is not the server that the agent was enrolled at. */
  otherServer: 4410,
  protocol: 4426,
  tooMany: 4429,
  leaving: 4503,
} as const;

/** Codes with which an agent answers a call that it has not carried out. */
export const FAILED_CODES = [
  "no-go",
  "void",
  "attempt-differs",
  "fenced",
  "agent-too-old",
  "unknown-call",
  "unknown-register",
  /** Another call of this register is running. */
  "busy",
  /** The record could not be written, for example because the disk is full. Nothing was sent to the device. */
  "record-failed",
  "leaving",
] as const;

export type FailedCode = (typeof FAILED_CODES)[number];

/** What a document can need of an agent beyond protocol 1. An agent refuses a need that it does not know. */
export const NEEDS = ["correction", "marks", "state-report", "x-report"] as const;

/** What an agent signs in its hello to prove its key. */
export interface SignedHello {
  nonce: string;
  server: string;
  agent: string;
  epoch: number;
  folder: string;
  boot: string;
}

/** Returns the signed text of a hello: its parts, joined by line feeds. */
export function helloText({ nonce, server, agent, epoch, folder, boot }: SignedHello): string {
  return [SUBPROTOCOL, nonce, server, agent, epoch, folder, boot].join("\n");
}
