import type { Socket } from "node:net";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { Inlet, type Use } from "./inlet.ts";
import type { Turnstile } from "./turnstile.ts";

/** One process serves a few hundred tills; the platform's proxies use far fewer connections than tills. */
export const MAX_CONNECTIONS = 1_024;
/** The longest answer, a receipt of 300 KiB, at the speed of a modem. A reader that takes nothing has no more time. */
const SEND_LIMIT_MS = 20_000;
/** What is on its way to all callers together: a hundred receipts of the longest kind. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024;
/** What has come in and was not looked at yet, of all connections together. What callers send in earnest is parsed in a moment. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
/** How often it is looked for readers that take nothing. */
const SWEEP_MS = 500;
/** As many connections of least use are closed at once where there are so many: to find them takes longer than to close them. */
const PARTED_AT_ONCE = 32;

/** Whom to part with first. A proved request under way is never given up. */
const PARTING: Record<Use, number> = {
  closing: 0,
  "idle-unproved": 1,
  unproved: 2,
  "idle-proved": 3,
  proved: Number.POSITIVE_INFINITY,
};

/** The open connections of a server, and who of them has to go. */
export class Connections {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #turnstile: Turnstile;
  readonly #limit: number;
  readonly #inlets = new Set<Inlet>();
  #cancelSweep: (() => void) | undefined;
  /** It is said once that all places are taken, until one is free. */
  #full = false;
  /** The same of callers that do not take their answers. */
  #slow = false;
  #unreadBytes = 0;

  constructor(services: { clock: Clock; log: Log; turnstile: Turnstile; limit?: number }) {
    this.#clock = services.clock;
    this.#log = services.log;
    this.#turnstile = services.turnstile;
    this.#limit = services.limit ?? MAX_CONNECTIONS;
  }

  get all(): Inlet[] {
    return [...this.#inlets];
  }

  /** What was received and not looked at, and what waits to be sent. */
  get bytes(): { unread: number; unsent: number } {
    const unsent = this.all.reduce((sum, { writing }) => sum + (writing?.bytes ?? 0), 0);
    return { unread: this.#unreadBytes, unsent };
  }

  /** Undefined when every place is taken by somebody who is worth more; the connection is closed then. */
  admit(socket: Socket): Inlet | undefined {
    if (this.#inlets.size >= this.#limit && !this.#makeRoom()) {
      socket.resetAndDestroy();
      return undefined;
    }
    const noteUnread = (moreBytes: number) => this.#noteUnread(moreBytes);
    const inlet = new Inlet(socket, { turnstile: this.#turnstile, clock: this.#clock, noteUnread });
    this.#inlets.add(inlet);
    inlet.once("close", () => this.#forget(inlet));
    this.#cancelSweep ??= this.#clock.after(SWEEP_MS, () => this.#sweep());
    return inlet;
  }

  #forget(inlet: Inlet): void {
    this.#inlets.delete(inlet);
    if (this.#inlets.size < this.#limit / 2) this.#full = false;
    if (this.#inlets.size > 0) return;
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
  }

  #makeRoom(): boolean {
    if (!this.#full) {
      this.#full = true;
      this.#log.warn({ limit: this.#limit }, "as many connections as the server takes are open: those of least use are closed");
    }
    const [least, ...next] = this.#byUse();
    if (least === undefined) return false;
    const alike = next.slice(0, PARTED_AT_ONCE - 1).filter((inlet) => PARTING[inlet.use] === PARTING[least.use]);
    const parted = PARTING[least.use] < PARTING.unproved ? [least, ...alike] : [least];
    for (const inlet of parted) {
      this.#forget(inlet);
      inlet.reset();
    }
    return true;
  }

  /** Those that may go, of least use first: of the address that has most of them, then by what they are used for, then by age. */
  #byUse(): Inlet[] {
    const perAddress = new Map<string, number>();
    for (const { remoteAddress = "" } of this.#inlets) perAddress.set(remoteAddress, (perAddress.get(remoteAddress) ?? 0) + 1);
    const most = Math.max(...perAddress.values());
    const ranked = this.all.map((inlet) => {
      const crowded = perAddress.get(inlet.remoteAddress ?? "") === most;
      return { inlet, parting: PARTING[inlet.use], crowded, activeMs: inlet.activeMs };
    });
    return ranked
      .filter(({ parting }) => Number.isFinite(parting))
      .sort((a, b) => Number(b.crowded) - Number(a.crowded) || a.parting - b.parting || a.activeMs - b.activeMs)
      .map(({ inlet }) => inlet);
  }

  #sweep(): void {
    this.#cancelSweep = this.#inlets.size > 0 ? this.#clock.after(SWEEP_MS, () => this.#sweep()) : undefined;
    const nowMs = this.#clock.monotonicMs();
    const sending = this.all.filter(({ writing }) => writing !== undefined).sort((a, b) => sinceOf(a) - sinceOf(b));
    let { unsent } = this.bytes;
    let closed = 0;
    for (const inlet of sending) {
      if (sinceOf(inlet) + SEND_LIMIT_MS > nowMs && unsent <= MAX_UNSENT_BYTES) break;
      unsent -= inlet.writing?.bytes ?? 0;
      inlet.reset();
      closed += 1;
    }
    if (closed > 0 && !this.#slow) this.#log.warn({ closed }, "connections were closed: their callers do not take their answers");
    this.#slow = closed > 0;
  }

  #noteUnread(moreBytes: number): void {
    this.#unreadBytes += moreBytes;
    if (moreBytes <= 0 || this.#unreadBytes <= MAX_UNREAD_BYTES) return;
    let most: Inlet | undefined;
    for (const inlet of this.#inlets) {
      if (inlet.unreadBytes > (most?.unreadBytes ?? 0) && inlet.use !== "proved") most = inlet;
    }
    most?.reset();
  }
}

function sinceOf({ writing }: Inlet): number {
  return writing?.sinceMs ?? Number.POSITIVE_INFINITY;
}
