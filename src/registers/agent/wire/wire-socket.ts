/** One connection between a server and an agent, by whatever carries it. Frames arrive whole and in order. */
export interface WireSocket {
  /** Sends a text frame. False: the connection is closed or closing, and nothing was sent. */
  send(frame: string): boolean;
  /** Bytes that were given to `send` and not yet to the network. */
  readonly waitingBytes: number;
  /** Sends a ping. The other side answers it by itself. */
  ping(): void;
  /** Closes in order with a code and a reason of at most 120 bytes. Later frames are dropped. Safe to repeat. */
  close(code: number, reason?: string): void;
  /** Breaks the connection off without a farewell. */
  terminate(): void;
  /**
   * Sets the listener, which gets the frames and the end. Call it before the next turn of the event loop. A later call replaces the
   * listener, and the earlier one gets nothing more.
   */
  listen(listener: WireListener): void;
}

export interface WireListener {
  frame(text: string): void;
  /** Any sign of life: a frame, a ping or a pong. */
  alive(): void;
  /** Called once. After it no other method is called. Code 1006: broken off. */
  closed(code: number, reason: string): void;
}
