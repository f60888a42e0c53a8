import type { Deadline } from "../../kernel/deadline.ts";

/**
 * Carries bytes to a device and back, and knows nothing of what they mean: a driver cannot tell a serial
 * line, a TCP connection and memory apart. Nothing throws for trouble that a cable can make: every call
 * answers by its result. Calls of one kind never overlap.
 */
export interface Link {
  /** What it leads to, in an operator's words: `tcp://192.168.137.111:7778`, `/dev/ttyUSB0`. */
  readonly name: string;

  /**
   * False before the first opening, after `close`, once a loss has been noticed, and between two questions when the
   * first was met with silence and the connection may be gone. What has begun on it goes on all the same.
   */
  readonly isOpen: boolean;

  /** Opens it, or opens it again after a loss; at once when it is open. Bytes of an earlier opening are gone. */
  open(deadline: Deadline): Promise<Opened>;

  /** Hands the bytes over for sending. They may still be on their way when this returns: see `drain`. */
  write(bytes: Uint8Array, deadline: Deadline): Promise<Sent>;

  /** Returns when everything written has left this machine, as far as it can tell. */
  drain(deadline: Deadline): Promise<Sent>;

  /**
   * Bytes that have come, at least one, as soon as there are any; `silence` when none came by the deadline.
   * Bytes that came before a loss are given out before the loss is told.
   */
  read(deadline: Deadline): Promise<Received>;

  /** Gives the port or connection back; safe to call at any time. May be opened again afterwards. */
  close(): Promise<void>;
}

export type Opened = { kind: "open" } | { kind: "shut"; reason: string };

/** `lost`: `left` tells whether bytes of this call can have left this machine. */
export type Sent = { kind: "sent" } | { kind: "lost"; reason: string; left: boolean };

export type Received = { kind: "bytes"; bytes: Buffer } | { kind: "silence" } | { kind: "lost"; reason: string };
