import { type Chance, pause } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/failure.ts";
import { CLOSE } from "../../registers/agent/wire/protocol.ts";
import type { WireSocket } from "../../registers/agent/wire/wire-socket.ts";
import { BackOff } from "./back-off.ts";
import { connectProblem } from "./problem.ts";
import { Session, type SessionParts } from "./session.ts";

/** A connection that has lived this long was in use. A shorter one may be ended again and again, so the pauses grow. */
const USED_MS = 1_000;
const NOT_ASKED = { askedMs: 0, isSentOn: false };

interface DialParts extends SessionParts {
  chance: Chance;
  url: string;
  /** Makes a connection, unless the signal is aborted before. Rejects with the error of the network. */
  connect(url: string, signal: AbortSignal): Promise<WireSocket>;
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

  constructor(parts: DialParts) {
    this.#parts = parts;
    this.#backOff = new BackOff(parts.chance);
  }

  start(): void {
    this.#running = this.#keep();
  }

  /** Ends the connection in order and tries no more. Call it when the service has ended its calls. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#session?.leave();
    await this.#running;
  }

  async #keep(): Promise<void> {
    const { clock } = this.#parts;
    while (!this.#stop.signal.aborted) {
      const { askedMs, isSentOn } = await this.#once();
      await pause(clock, isSentOn ? askedMs : this.#backOff.nextMs(askedMs), this.#stop.signal);
    }
  }

  /**
   * Connects once, and returns after the connection has ended. `askedMs`: the pause that the server has asked for. `isSentOn`: the server
   * ends, and has spread its agents over that pause itself.
   */
  async #once(): Promise<{ askedMs: number; isSentOn: boolean }> {
    const { url, lost } = this.#parts;
    let socket: WireSocket | undefined;
    try {
      socket = await this.#connect();
    } catch (error) {
      lost(connectProblem(error, url));
    }
    if (socket === undefined) return NOT_ASKED;
    const session = new Session(socket, this.#parts);
    this.#session = session;
    if (this.#stop.signal.aborted) void session.leave();
    const { code, problem, livedMs, retryAfterMs } = await session.ended;
    this.#session = undefined;
    this.#backOff.lived(livedMs);
    if (this.#stop.signal.aborted) return NOT_ASKED;
    if (code === CLOSE.forked) this.#noteFork();
    lost(problem);
    return { askedMs: retryAfterMs, isSentOn: code === CLOSE.leaving && livedMs >= USED_MS };
  }

  /** Returns undefined when the agent ends while the connection is being made. */
  async #connect(): Promise<WireSocket | undefined> {
    const { url, connect } = this.#parts;
    const { signal } = this.#stop;
    const made = connect(url, signal);
    const socket = await Promise.race([made, ended(signal)]);
    if (socket === undefined) made.then((late) => late.terminate(), ignored);
    return socket;
  }

  #noteFork(): void {
    const { record, log } = this.#parts;
    try {
      record.noteFork();
    } catch (error) {
      log.error({ reason: messageOf(error) }, "the record could not be written");
    }
  }
}

function ended(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/** Nobody needs the connection any more, so its failure is of no use either. */
function ignored(): void {}
