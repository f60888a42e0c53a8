import type { Deadline } from "../../kernel/deadline.ts";

/**
 * Carries bytes to a device and back without knowing their meaning. A driver works with a serial line, a TCP connection and memory in the
 * same way. No call throws because of an error of the connection; the result says so. Calls of one kind never overlap.
 */
export interface Link {
  /** The far end of the link, in words for an operator: `tcp://192.168.137.111:7778`, `/dev/ttyUSB0`. */
  readonly name: string;

  /**
   * False before the first opening, after `close`, and after a noticed loss. Also false between two questions when the
   * first question got no answer, because the connection may be lost. Calls that are already running continue.
   */
  readonly isOpen: boolean;

  /** Opens the link, or opens it again after a loss; returns at once when it is open. Bytes of an earlier opening are dropped. */
  open(deadline: Deadline): Promise<Opened>;

  /** Gives the bytes to the system for sending. They may not have been sent when this returns: see `drain`. */
  write(bytes: Uint8Array, deadline: Deadline): Promise<Sent>;

  /** Returns when all written bytes have left this machine, as far as the link can tell. */
  drain(deadline: Deadline): Promise<Sent>;

  /**
   * Returns some of the received bytes, as soon as there is at least one. It returns at most `MAX_PIECE_BYTES` (inbox) at
   * once, so that no reader works on them for long: the event loop runs before the next piece. `silence`: no byte came by the
   * deadline. Bytes that came before a loss are returned before the loss.
   */
  read(deadline: Deadline): Promise<Received>;

  /** Closes the port or connection. Safe to call at any time. The link may be opened again afterwards. */
  close(): Promise<void>;
}

export type Opened = { kind: "open" } | { kind: "shut"; reason: string };

/** `lost`: `left` tells whether bytes of this call may have left this machine. */
export type Sent = { kind: "sent" } | { kind: "lost"; reason: string; left: boolean };

export type Received = { kind: "bytes"; bytes: Buffer } | { kind: "silence" } | { kind: "lost"; reason: string };
