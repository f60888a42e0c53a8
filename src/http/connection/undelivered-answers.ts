import type { Socket } from "node:net";
import type { Clock } from "../../kernel/clock.ts";
import { OrderedObjects } from "../ordered-objects.ts";
import type { ProvedNetworks } from "../proved-networks.ts";
import { networkOf } from "../source.ts";
import { firstToLose, sumOf } from "./first-to-lose.ts";
import type { SendQueues } from "./send-queues.ts";

/** A stranger's connection with more undelivered bytes is not read. The largest page that strangers get is smaller. */
export const MAX_UNDELIVERED_BYTES = 256 * 1024;
/** Below this many bytes of all strangers together nobody asks the system, because asking costs milliseconds on a large machine. */
const ASKED_FROM_BYTES = 4 * 1024 * 1024;
/** The most undelivered bytes of all strangers together. The system takes about twice as much memory for them. */
const MAX_ALL_BYTES = 32 * 1024 * 1024;
/** A stranger that takes nothing of its answers for this long loses its connection. */
const DELIVERY_LIMIT_MS = 20_000;
/** A closed connection with at most this many bytes is left to the system, which holds them in little more than the connection itself takes. */
const LEFT_TO_SYSTEM_BYTES = 2 * 1024;

/** The answers of one stranger's connection that the system may still hold. */
export class Delivery {
  readonly socket: Socket;
  readonly network: string;
  readonly #onSent: (delivery: Delivery) => void;
  #sentBytes = 0;
  #deliveredBytes = 0;
  /** When the caller last took bytes, or got the first bytes that it has not taken. */
  sinceMs = 0;
  /** The server has ended the connection. It is closed when its answers are delivered. */
  isEnded = false;
  /** Called when the connection may be read again. */
  onRoom: () => void = () => {};

  constructor(socket: Socket, onSent: (delivery: Delivery) => void) {
    this.socket = socket;
    this.network = networkOf(socket.remoteAddress);
    this.#onSent = onSent;
  }

  /** The most that the system may hold. */
  get bytes(): number {
    return this.#sentBytes - this.#deliveredBytes;
  }

  get sentBytes(): number {
    return this.#sentBytes;
  }

  get isFull(): boolean {
    return this.bytes > MAX_UNDELIVERED_BYTES;
  }

  /** True when closing the connection now would leave more than a little to the system. */
  get isPending(): boolean {
    return this.bytes > LEFT_TO_SYSTEM_BYTES && !this.socket.destroyed;
  }

  /** Counts bytes that were given to the system. */
  send(bytes: number): void {
    this.#sentBytes += bytes;
    this.#onSent(this);
  }

  /** Notes that all but `leftBytes` of the first `sentBytes` are delivered. */
  noteDelivered(sentBytes: number, leftBytes: number, nowMs: number): void {
    const wasFull = this.isFull;
    const deliveredBytes = sentBytes - leftBytes;
    if (deliveredBytes <= this.#deliveredBytes) return;
    this.#deliveredBytes = deliveredBytes;
    this.sinceMs = nowMs;
    if (wasFull && !this.isFull) this.onRoom();
  }
}

/**
 * The answers to strangers that the system has taken and the callers have not. The system holds up to 4 MiB for a connection whose caller
 * does not read, and with too many such bytes it slows down every connection of the machine. Node does not know these bytes, so the system
 * is asked, where it tells (Linux).
 */
export class UndeliveredAnswers {
  readonly #clock: Clock;
  readonly #networks: Pick<ProvedNetworks, "has">;
  readonly #readQueues: () => Promise<SendQueues | undefined>;
  readonly #deliveries = new OrderedObjects<Delivery>();
  #looking = false;

  constructor(services: { clock: Clock; provedNetworks: Pick<ProvedNetworks, "has">; readQueues: () => Promise<SendQueues | undefined> }) {
    this.#clock = services.clock;
    this.#networks = services.provedNetworks;
    this.#readQueues = services.readQueues;
  }

  /** The account of a connection. It is counted from its first answer until it is closed. */
  open(socket: Socket): Delivery {
    return new Delivery(socket, (delivery) => {
      if (this.#deliveries.has(delivery)) return;
      delivery.sinceMs = this.#clock.monotonicMs();
      this.#deliveries.add(delivery);
    });
  }

  /** Stops counting a connection that is closed. */
  forget(delivery: Delivery): void {
    if (delivery.socket.destroyed) this.#deliveries.delete(delivery);
  }

  /**
   * Asks the system, if there may be too many bytes. Then closes ended connections whose answers are delivered, and resets connections whose
   * callers take their answers too slowly or hold too many. Returns how many were reset. Undefined: an earlier call is not over.
   */
  async look(): Promise<number | undefined> {
    if (this.#looking) return undefined;
    const all = this.#counted();
    const isDue = all.some(({ isFull, isEnded }) => isFull || isEnded) || sumOf(all, bytesOf) > ASKED_FROM_BYTES;
    if (!isDue) return 0;
    this.#looking = true;
    try {
      const asked = all.map((delivery) => ({ delivery, sentBytes: delivery.sentBytes }));
      const queues = await this.#readQueues();
      for (const { delivery, sentBytes } of asked) this.#settle(delivery, sentBytes, queues?.bytesOf(delivery.socket) ?? 0);
      return this.#resetExcess();
    } finally {
      this.#looking = false;
    }
  }

  #counted(): Delivery[] {
    for (const delivery of this.#deliveries) this.forget(delivery);
    return [...this.#deliveries];
  }

  #settle(delivery: Delivery, sentBytes: number, leftBytes: number): void {
    delivery.noteDelivered(sentBytes, leftBytes, this.#clock.monotonicMs());
    // The system counts the end of a connection as one byte.
    if (delivery.isEnded && leftBytes <= 1) delivery.socket.destroy();
    if (delivery.bytes === 0) this.#deliveries.delete(delivery);
  }

  #resetExcess(): number {
    const nowMs = this.#clock.monotonicMs();
    const all = this.#counted().map((delivery) => ({ delivery, networkProved: this.#networks.has(delivery.network) }));
    const taken = ({ delivery }: (typeof all)[number]) => delivery.bytes;
    const perNetwork = new Map<string, number>();
    for (const { delivery } of all) perNetwork.set(delivery.network, (perNetwork.get(delivery.network) ?? 0) + delivery.bytes);
    const ofNetwork = ({ delivery }: (typeof all)[number]) => perNetwork.get(delivery.network) ?? 0;
    const inOrder = firstToLose(all, taken).toSorted((a, b) => ofNetwork(b) - ofNetwork(a) || a.delivery.sinceMs - b.delivery.sinceMs);
    let left = sumOf(all, taken);
    let reset = 0;
    for (const { delivery } of [...inOrder, ...all]) {
      const isLate = delivery.sinceMs + DELIVERY_LIMIT_MS <= nowMs;
      if (delivery.socket.destroyed || (left <= MAX_ALL_BYTES && !isLate)) continue;
      left -= delivery.bytes;
      delivery.socket.resetAndDestroy();
      reset += 1;
    }
    return reset;
  }
}

function bytesOf({ bytes }: Delivery): number {
  return bytes;
}
