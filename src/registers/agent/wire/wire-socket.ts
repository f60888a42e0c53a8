/** A connection between a server and an agent, over any transport. Frames arrive whole and in order. */
export interface WireSocket {
  /** Sends a text frame. False: the connection is closed or closing, and nothing was sent. */
  send(frame: string): boolean;
  /** Bytes that `send` has queued and the network has not taken. */
  readonly waitingBytes: number;
  /** Sends a ping. The peer's transport answers it. */
  ping(): void;
  /** Sends a close frame with a code and a reason of at most 120 bytes, and closes. Later calls of `send` return false. Safe to repeat. */
  close(code: number, reason?: string): void;
  /** Ends the connection without a close frame. */
  terminate(): void;
  /**
   * Sets the listener. Call it in the same turn of the event loop in which you got the socket. Otherwise frames may be lost. A later call
   * replaces the listener.
   */
  listen(listener: WireListener): void;
}

export interface WireListener {
  frame(text: string): void;
  /** Any sign of life: a frame, a ping or a pong. */
  alive(): void;
  /** Called once, when the connection has ended. Code 1006: it ended without a close frame of the peer. */
  closed(code: number, reason: string): void;
}
