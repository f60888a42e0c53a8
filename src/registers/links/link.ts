import type { Deadline } from "../../kernel/deadline.ts";

/**
 * Carries bytes to a device and back. A serial line, a TCP connection and memory look the same to a driver. Connection errors are results,
 * never exceptions. The caller never overlaps two calls of the same method.
 */
export interface Link {
  /** The far end in words for an operator: `tcp://192.168.137.111:7778`, `/dev/ttyUSB0`. */
  readonly name: string;

  /**
   * False before the first opening, after `close`, and after a noticed loss. Over TCP also false after a `read` that got no byte for a
   * second, because the connection may be lost: the next `open` makes a new connection.
   */
  readonly isOpen: boolean;

  /** Opens the link. Returns immediately when the link is already open. Bytes of an earlier opening are dropped. */
  open(deadline: Deadline): Promise<Opened>;

  /** Hands the bytes to the operating system. When the call returns, the bytes may still be on this machine: see `drain`. */
  write(bytes: Uint8Array, deadline: Deadline): Promise<Sent>;

  /** Returns when all written bytes have left this machine, as far as the link can tell. */
  drain(deadline: Deadline): Promise<Sent>;

  /**
   * Returns received bytes as soon as one byte has come: at most `MAX_PIECE_BYTES` (inbox), so that the event loop runs between pieces.
   * `silence`: no byte came by the deadline. Bytes that came before a loss are returned before the loss.
   */
  read(deadline: Deadline): Promise<Received>;

  /** Closes the port or connection. Safe at any time. The link may be opened again. */
  close(): Promise<void>;
}

export type Opened = { kind: "open" } | { kind: "shut"; reason: string };

/** `left`: whether the bytes of this `write`, or those written before this `drain`, may have left this machine. */
export type Sent = { kind: "sent" } | { kind: "lost"; reason: string; left: boolean };

export type Received = { kind: "bytes"; bytes: Buffer } | { kind: "silence" } | { kind: "lost"; reason: string };
