import { type Chance, pause } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/failure.ts";
import { CLOSE } from "../../registers/agent/wire/protocol.ts";
import type { WireSocket } from "../../registers/agent/wire/wire-socket.ts";
import { BackOff } from "./back-off.ts";
import { connectProblem } from "./problem.ts";
import { Session, type SessionParts } from "./session.ts";

/**
 * A connection that was ready for at least this long counts as used (`isSentOn`). A shorter connection may end again and again, so its end
 * always makes the back-off grow.
 */
const USED_MS = 1_000;
const NOT_ASKED = { askedMs: 0, isSentOn: false };

interface DialParts extends SessionParts {
  chance: Chance;
  url: string;
  /** Opens a connection. An abort of the signal ends the attempt. Rejects with the error of the network, of TLS or of the handshake. */
  connect(url: string, signal: AbortSignal): Promise<WireSocket>;
  /** Called when an attempt to connect failed, or when a connection ended before `close` was called. */
  lost(problem: string): void;
}

/** Keeps the agent connected: after every failed attempt and every end of a connection it pauses and connects again. */
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

  /** Closes the connection and stops. Call this after the service has ended its calls. */
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
   * Connects once. Returns when the attempt has failed or the connection has ended. `askedMs`: the pause that the server asks for.
   * `isSentOn`: a server that stops or moves its agents has ended a used connection. That server gives each agent a random pause, so no
   * back-off is needed.
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

  /** Returns undefined when the agent ends before the connection is open. If the connection opens later, it is terminated. */
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

/** The agent has ended, so a failed attempt to connect does not matter any more. */
function ignored(): void {}
