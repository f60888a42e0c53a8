import { type Chance, pause } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/failure.ts";
import { CLOSE } from "../../registers/agent/wire/protocol.ts";
import type { WireSocket } from "../../registers/agent/wire/wire-socket.ts";
import { BackOff } from "./back-off.ts";
import { connectProblem } from "./problem.ts";
import { Session, type SessionParts } from "./session.ts";

interface DialParts extends SessionParts {
  chance: Chance;
  url: string;
  /** Makes a connection. Rejects with the error of the network. */
  connect(url: string): Promise<WireSocket>;
  /** Called when a connection could not be made, or has ended. */
  lost(problem: string): void;
}

/** Keeps a connection to the server, for ever: whatever ends it, the next try comes after a pause. */
export class Dial {
  readonly #parts: DialParts;
  readonly #backOff: BackOff;
  readonly #stop = new AbortController();
  #session: Session | undefined;
  #running: Promise<void> = Promise.resolve();
  /** True when this folder has taken a new id since the last welcome. */
  #renewed = false;

  constructor(parts: DialParts) {
    this.#parts = { ...parts, ready: (epoch) => this.#ready(epoch) };
    this.#onReady = parts.ready;
    this.#backOff = new BackOff(parts.chance);
  }

  readonly #onReady: (epoch: number) => void;

  start(): void {
    this.#running = this.#keep();
  }

  /** Ends the connection in order and tries no more. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#session?.leave();
    await this.#running;
  }

  async #keep(): Promise<void> {
    const { clock } = this.#parts;
    while (!this.#stop.signal.aborted) {
      const askedMs = await this.#once();
      await pause(clock, this.#backOff.nextMs(askedMs), this.#stop.signal);
    }
  }

  /** Connects once, and returns after the connection has ended. The result is the pause that the server has asked for. */
  async #once(): Promise<number> {
    const { url, connect, lost } = this.#parts;
    let socket: WireSocket;
    try {
      socket = await connect(url);
    } catch (error) {
      lost(connectProblem(error, url));
      return 0;
    }
    const session = new Session(socket, this.#parts);
    this.#session = session;
    if (this.#stop.signal.aborted) session.leave();
    const { code, problem, livedMs, retryAfterMs } = await session.ended;
    this.#session = undefined;
    this.#backOff.lived(livedMs);
    if (this.#stop.signal.aborted) return 0;
    if (code === CLOSE.forked) this.#renewFolder();
    lost(problem);
    return retryAfterMs;
  }

  #ready(epoch: number): void {
    this.#renewed = false;
    this.#onReady(epoch);
  }

  /**
   * The server has worked with another copy of this folder. This copy may lack attempts of the other. After `agents accept` it must not say
   * `never` about them, so it becomes another folder.
   */
  #renewFolder(): void {
    if (this.#renewed) return;
    try {
      this.#parts.record.renewFolder();
      this.#renewed = true;
    } catch (error) {
      this.#parts.log.error({ reason: messageOf(error) }, "the folder's new id could not be stored");
    }
  }
}
