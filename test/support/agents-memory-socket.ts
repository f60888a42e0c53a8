import { type Clock, pause } from "../../src/kernel/clock.ts";
import type { WireListener, WireSocket } from "../../src/registers/agent/wire/wire-socket.ts";

export type WireEnd = "server" | "agent";

/** A frame on its way. Each end numbers its frames from 1. */
export interface WireFrame {
  from: WireEnd;
  number: number;
  text: string;
}

/** What happens to a frame. */
export type WireFault =
  /** The connection breaks before the frame arrives. Both ends notice it. */
  | { kind: "cut" }
  /** The frame arrives, then the connection breaks. */
  | { kind: "cut-after" }
  /** The frame, and everything that this end sends after it, arrives so much later. */
  | { kind: "stall"; ms: number }
  /** The frame arrives twice. */
  | { kind: "double" };

type Item = WireFrame | "ping" | { code: number; reason: string };

const BROKEN_OFF = 1006;

/**
 * A connection between a server and an agent, in memory. Frames arrive as microtasks, in order. `faultOf` is called once for each
 * frame.
 */
export class MemoryWire {
  /** Every frame that an end has sent, in order. */
  readonly sent: WireFrame[] = [];
  readonly server: WireSocket;
  readonly agent: WireSocket;
  readonly #ends: Record<WireEnd, MemoryEnd>;

  constructor(clock: Clock, faultOf: (frame: WireFrame) => WireFault | undefined = () => undefined) {
    const end = (from: WireEnd) => {
      const place = {
        from,
        clock,
        faultOf,
        sent: this.sent,
        peer: () => this.#ends[from === "server" ? "agent" : "server"],
        cut: () => this.cut(),
      };
      return new MemoryEnd(place);
    };
    this.#ends = { server: end("server"), agent: end("agent") };
    this.server = this.#ends.server;
    this.agent = this.#ends.agent;
  }

  /** Breaks the connection. Frames on their way are lost. Both ends notice it. */
  cut(): void {
    for (const end of Object.values(this.#ends)) end.broken();
  }

  /** Loses everything in both directions that is on its way or sent from now on, as a pulled cable does. Neither end is told. */
  pull(): void {
    for (const end of Object.values(this.#ends)) end.pulled = true;
  }

  /** The frames of an end that have this member, such as `hello` or `call`. */
  sentWith(from: WireEnd, member: string): WireFrame[] {
    return this.sent.filter((frame) => frame.from === from && member in JSON.parse(frame.text));
  }
}

interface Place {
  from: WireEnd;
  clock: Clock;
  sent: WireFrame[];
  faultOf(frame: WireFrame): WireFault | undefined;
  peer(): MemoryEnd;
  cut(): void;
}

class MemoryEnd implements WireSocket {
  readonly #place: Place;
  #listener: WireListener | undefined;
  #listening: () => void = () => {};
  readonly #heard = new Promise<void>((resolve) => {
    this.#listening = resolve;
  });
  #queue: Item[] = [];
  #passing = false;
  #open = true;
  #ended = false;
  #count = 0;
  pulled = false;

  constructor(place: Place) {
    this.#place = place;
  }

  get waitingBytes(): number {
    return this.#queue.reduce((sum, item) => sum + (typeof item === "object" && "text" in item ? item.text.length : 0), 0);
  }

  send(text: string): boolean {
    if (!this.#open) return false;
    const frame = { from: this.#place.from, number: ++this.#count, text };
    this.#place.sent.push(frame);
    this.#put(frame);
    return true;
  }

  ping(): void {
    if (this.#open) this.#put("ping");
  }

  close(code: number, reason = ""): void {
    if (!this.#open) return;
    this.#open = false;
    this.#put({ code, reason });
  }

  terminate(): void {
    if (this.#ended) return;
    this.#put({ code: BROKEN_OFF, reason: "" });
    this.end(BROKEN_OFF, "");
  }

  listen(listener: WireListener): void {
    this.#listener = listener;
    this.#listening();
  }

  /** The connection broke. */
  broken(): void {
    this.#queue = [];
    this.end(BROKEN_OFF, "");
  }

  /** Tells the listener once that the connection has ended. */
  end(code: number, reason: string): void {
    this.#open = false;
    if (this.#ended) return;
    this.#ended = true;
    void this.#heard.then(() => this.#listener?.closed(code, reason));
  }

  #put(item: Item): void {
    if (this.pulled) return;
    this.#queue.push(item);
    void this.#pass();
  }

  async #pass(): Promise<void> {
    if (this.#passing) return;
    this.#passing = true;
    const peer = this.#place.peer();
    await peer.#heard;
    for (let item = this.#queue[0]; item !== undefined; item = this.#queue[0]) {
      await this.#carry(item, peer);
      if (this.#queue[0] === item) this.#queue.shift();
    }
    this.#passing = false;
  }

  async #carry(item: Item, peer: MemoryEnd): Promise<void> {
    const fault = typeof item === "object" && "text" in item ? this.#place.faultOf(item) : undefined;
    if (fault?.kind === "stall") await pause(this.#place.clock, fault.ms);
    if (fault?.kind === "cut") this.#place.cut();
    if (this.#queue[0] !== item || this.pulled || peer.#ended) return;
    peer.#take(item);
    if (fault?.kind === "double") peer.#take(item);
    if (fault?.kind === "cut-after") this.#place.cut();
    await undefined;
  }

  /** Something arrives at this end. */
  #take(item: Item): void {
    if (this.#ended) return;
    if (item === "ping") {
      this.#listener?.alive();
      // The other side answers a ping without its program.
      if (!this.pulled) this.#place.peer().#pong();
      return;
    }
    if ("text" in item) {
      this.#listener?.alive();
      // An end that is closing drops what arrives, and still answers pings.
      if (this.#open) this.#listener?.frame(item.text);
      return;
    }
    this.end(item.code, item.reason);
    this.#place.peer().end(item.code, item.reason);
  }

  #pong(): void {
    if (!this.#ended && !this.pulled) this.#listener?.alive();
  }
}
