import type { Socket } from "node:net";
import type { Clock } from "../../kernel/clock.ts";
import { type Deadline, waitUntil } from "../../kernel/deadline.ts";
import { Inbox } from "./inbox.ts";
import type { Link, Opened, Received, Sent } from "./link.ts";

/**
 * When a read got no byte for this time, the connection may be half open: a device that lost its power or cable cannot report the loss. TCP
 * retransmits at growing intervals, so on this connection it may take minutes until TCP notices that the device is back.
 */
const DEAF_MS = 1_000;

/**
 * The idle time before a TCP keep-alive probe; the system's default is two hours. A restarted device rejects the probe, so the connection
 * counts as lost before the next sale, and the sale need not wait for an answer that never comes.
 */
const KEEP_ALIVE_MS = 2_000;

/** An established connection, at either side. A lost connection cannot be used again. */
export class SocketEnd implements Link {
  readonly name: string;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #inbox: Inbox;
  #deaf = false;

  constructor(name: string, socket: Socket, clock: Clock) {
    this.name = name;
    this.#socket = socket;
    this.#clock = clock;
    this.#inbox = new Inbox(clock);
    this.#inbox.fedBy(socket);
    // Commands are small, and each waits for its answer. So the system must not collect bytes before it sends them.
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on("data", (bytes) => {
      this.#deaf = false;
      if (!this.#inbox.put(bytes)) this.#lose("касса шлёт данные без конца");
    });
    socket.on("end", () => this.#lose("касса закрыла соединение"));
    socket.on("error", (error: NodeJS.ErrnoException) => this.#lose(wordsOfSocket(error)));
    socket.on("close", () => this.#lose("соединение закрыто"));
  }

  get isOpen(): boolean {
    return this.#inbox.lost === undefined;
  }

  /** True: a read got no byte for at least `DEAF_MS`, and no byte has arrived since. */
  get isDeaf(): boolean {
    return this.#deaf;
  }

  async open(): Promise<Opened> {
    return this.#inbox.lost === undefined ? { kind: "open" } : { kind: "shut", reason: this.#inbox.lost };
  }

  async write(bytes: Uint8Array, deadline: Deadline): Promise<Sent> {
    if (this.#inbox.lost !== undefined) return { kind: "lost", reason: this.#inbox.lost, left: false };
    const written = new Promise<Error | undefined>((resolve) => {
      this.#socket.write(bytes, (error) => resolve(error ?? undefined));
    });
    const waited = await waitUntil(this.#clock, deadline, written);
    if (waited.kind === "late") {
      this.#lose("касса не принимает данные");
      return { kind: "lost", reason: "касса не принимает данные", left: true };
    }
    if (waited.value === undefined) return { kind: "sent" };
    return { kind: "lost", reason: wordsOfSocket(waited.value), left: true };
  }

  /** Does not wait: the operating system has the bytes, and does not tell when it has sent them. */
  async drain(): Promise<Sent> {
    return this.#inbox.lost === undefined ? { kind: "sent" } : { kind: "lost", reason: this.#inbox.lost, left: true };
  }

  async read(deadline: Deadline): Promise<Received> {
    const sinceMs = this.#clock.monotonicMs();
    const received = await this.#inbox.take(deadline);
    if (received.kind === "silence" && this.#clock.monotonicMs() - sinceMs >= DEAF_MS) this.#deaf = true;
    return received;
  }

  async close(): Promise<void> {
    this.#lose("соединение закрыто");
  }

  #lose(reason: string): void {
    this.#inbox.end(reason);
    this.#socket.destroy();
  }
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: "касса не принимает соединений: выключена, или порт указан неверно",
  ECONNRESET: "касса оборвала соединение",
  EPIPE: "касса оборвала соединение",
  EHOSTUNREACH: "касса не найдена в сети",
  ENETUNREACH: "сеть недоступна",
  ETIMEDOUT: "касса не отвечает в сети",
  ENOTFOUND: "имя кассы в сети неизвестно",
  EAI_AGAIN: "имя кассы в сети сейчас не узнать",
};

/** Returns a system error in words for an operator, with its code; for an unknown code, with the error's own message. */
export function wordsOfSocket(error: NodeJS.ErrnoException): string {
  const { code = "" } = error;
  const words = WORDS[code];
  return words === undefined ? `ошибка связи: ${error.message}` : `${words} (${code})`;
}
