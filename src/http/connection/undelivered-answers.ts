import type { Socket } from "node:net";
import { type Clock, nextTurn } from "../../kernel/clock.ts";
import { OrderedObjects } from "../ordered-objects.ts";
import type { ProvedNetworks } from "../proved-networks.ts";
import { networkOf } from "../source.ts";
import { firstToLose, sumOf } from "./first-to-lose.ts";
import type { SendQueues } from "./send-queues.ts";

/**
 * A stranger's connection (no request on it was ever proved) with more undelivered bytes gets no further answer until its caller has taken
 * some of them.
 */
export const MAX_UNDELIVERED_BYTES = 256 * 1024;
/**
 * Up to this many undelivered bytes of all strangers together, the system is asked only when an answer waits, or when a connection has
 * ended or has too many bytes: asking costs milliseconds on a large machine.
 */
const ASKED_FROM_BYTES = 4 * 1024 * 1024;
/**
 * With more undelivered bytes of all strangers together, further answers wait and connections are reset. The system takes about twice as
 * much memory for the bytes.
 */
const MAX_ALL_BYTES = 32 * 1024 * 1024;
/** An answer of at most this size does not wait because of other connections: a proxy asks for /ready, and may not wait for strangers. */
const SMALL_ANSWER_BYTES = 2 * 1024;
/** A stranger's connection is reset when it has taken nothing of its answers, or its answer has waited for room, for this long. */
const DELIVERY_LIMIT_MS = 20_000;
/**
 * A closed connection with at most this many bytes is left to the system, which holds them in little more than the connection itself takes.
 */
const LEFT_TO_SYSTEM_BYTES = 2 * 1024;
/**
 * The pause before the system is asked for the sake of a waiting answer: ten times as long as the last question took, within these bounds.
 */
const PAUSE_MS = { least: 20, times: 10, most: 500 } as const;

/** Noting what twelve thousand connections have taken takes 30 ms. Other work runs between two steps of this many connections. */
const SETTLED_A_STEP = 500;

/** What waits for room. `afterAll`: it waits until the caller has taken all earlier answers, except for a little. */
interface Waiting {
  bytes: number;
  give: () => void;
  afterAll: boolean;
}

/** The answers of one stranger's connection that the system may still hold, and the answer that waits until the system may take it. */
export class Delivery {
  readonly socket: Socket;
  readonly network: string;
  readonly #onSend: (delivery: Delivery) => void;
  #isCounted = true;
  #sentBytes = 0;
  #deliveredBytes = 0;
  #waiting: Waiting | undefined;
  /**
   * When the caller last took bytes or may have taken some, or when the first bytes that the caller has not taken were given or began to
   * wait.
   */
  sinceMs = 0;
  /** The server has ended the connection. It is closed when its answers are delivered. */
  isEnded = false;

  constructor(socket: Socket, onSend: (delivery: Delivery) => void) {
    this.socket = socket;
    this.network = networkOf(socket.remoteAddress);
    this.#onSend = onSend;
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

  /** The bytes of the answer that waits. */
  get waitingBytes(): number {
    return this.#waiting?.bytes ?? 0;
  }

  get waits(): boolean {
    return this.#waiting !== undefined;
  }

  /** True when what waits must wait on because of this connection's own answers. */
  get isHeldUp(): boolean {
    return this.#waiting?.afterAll === true ? this.isPending : this.isFull;
  }

  get isCounted(): boolean {
    return this.#isCounted;
  }

  /** True when closing the connection now would leave more than a little to the system. */
  get isPending(): boolean {
    return this.bytes > LEFT_TO_SYSTEM_BYTES && !this.socket.destroyed;
  }

  /** Calls `give`, which gives these bytes to the system: immediately, or when there is room. Bytes that wait are dropped after a close. */
  send(bytes: number, give: () => void): void {
    this.#wait({ bytes, give, afterAll: false });
  }

  /**
   * Calls `then`, which gives the socket away: immediately, or when the caller has taken its answers. From then on nobody counts what the
   * system holds. Never calls it after a close.
   */
  leaveTo(then: () => void): void {
    this.#wait({ bytes: 0, give: then, afterAll: true });
  }

  #wait(waiting: Waiting): void {
    if (!this.#isCounted) {
      waiting.give();
      return;
    }
    this.#waiting = waiting;
    this.#onSend(this);
  }

  /** Gives the answer that waits to the system. */
  giveWaiting(nowMs: number): void {
    if (this.#waiting === undefined) return;
    const { bytes, give } = this.#waiting;
    this.#waiting = undefined;
    if (this.socket.destroyed) return;
    if (this.bytes === 0) this.sinceMs = nowMs;
    this.#sentBytes += bytes;
    give();
  }

  /**
   * Counts nothing from now on: a request of this connection was proved, or the connection has another protocol. The system's count would
   * include bytes that are not answers to strangers.
   */
  stopCounting(): void {
    this.#isCounted = false;
    this.#deliveredBytes = this.#sentBytes;
  }

  /** Notes that all but `leftBytes` of the first `sentBytes` are delivered. */
  noteDelivered(sentBytes: number, leftBytes: number, nowMs: number): void {
    // If bytes were sent while the system was asked, they may be among `leftBytes`. So `leftBytes` does not show that nothing was taken.
    if (this.#sentBytes !== sentBytes) this.sinceMs = nowMs;
    const deliveredBytes = sentBytes - leftBytes;
    if (deliveredBytes <= this.#deliveredBytes) return;
    this.#deliveredBytes = deliveredBytes;
    this.sinceMs = nowMs;
  }
}

/**
 * The answers to strangers that the system has taken and the callers have not. The system holds up to 4 MiB for a connection whose caller
 * does not read, and with too many such bytes it slows down every connection of the machine. Node does not know these bytes, so the system
 * is asked, where it tells (Linux).
 *
 * The server goes on reading a connection with too many such bytes, because its next request may be proved: a proxy uses one connection for
 * many callers. A proxy has mostly taken its answers long before the system is asked. Only the next answer to a stranger waits.
 */
export class UndeliveredAnswers {
  readonly #clock: Clock;
  readonly #networks: Pick<ProvedNetworks, "has">;
  readonly #readQueues: () => Promise<SendQueues | undefined>;
  readonly #onWaiting: () => void;
  readonly #deliveries = new OrderedObjects<Delivery>();
  #looking = false;
  #lastLookMs = 0;
  /** The bytes of all strangers that the system may hold: what the last look has found, and all that was given to the system since. */
  #givenBytes = 0;

  /** `onWaiting`: called when an answer has to wait until `look` or `lookForRoom` finds room for it. */
  constructor(services: {
    clock: Clock;
    provedNetworks: Pick<ProvedNetworks, "has">;
    readQueues: () => Promise<SendQueues | undefined>;
    onWaiting?: () => void;
  }) {
    this.#clock = services.clock;
    this.#networks = services.provedNetworks;
    this.#readQueues = services.readQueues;
    this.#onWaiting = services.onWaiting ?? (() => {});
  }

  /** How long to wait before `lookForRoom` is called for a waiting answer. */
  get pauseMs(): number {
    return Math.min(Math.max(PAUSE_MS.least, PAUSE_MS.times * this.#lastLookMs), PAUSE_MS.most);
  }

  /** Returns the account of a connection. It counts while bytes are undelivered or wait, until a close or `stopCounting`. */
  open(socket: Socket): Delivery {
    return new Delivery(socket, (delivery) => {
      if (!this.#deliveries.has(delivery)) {
        delivery.sinceMs = this.#clock.monotonicMs();
        this.#deliveries.add(delivery);
      }
      if (!this.#give(delivery)) this.#onWaiting();
    });
  }

  /** Gives the answer of a connection to the system, if there is room. */
  #give(delivery: Delivery): boolean {
    const { waitingBytes, isHeldUp } = delivery;
    if (isHeldUp || (waitingBytes > SMALL_ANSWER_BYTES && this.#givenBytes > MAX_ALL_BYTES)) return false;
    this.#givenBytes += waitingBytes;
    delivery.giveWaiting(this.#clock.monotonicMs());
    return true;
  }

  /** Forgets a connection that is closed or not counted any more. */
  forget(delivery: Delivery): void {
    if (delivery.socket.destroyed || !delivery.isCounted) this.#deliveries.delete(delivery);
  }

  /**
   * Asks the system, if there may be too many bytes, an answer waits, or a connection has ended. Then closes ended connections whose
   * answers are delivered, resets connections whose callers take their answers too slowly or hold too many, and gives waiting answers to
   * the system where there is room. Returns how many connections were reset. Undefined: the system is still being asked for another call.
   */
  async look(): Promise<number | undefined> {
    if (this.#looking) return undefined;
    return (await this.#ask()) ? this.#resetExcess() : 0;
  }

  /** Does the same as `look`, but resets nothing: a caller whose connection is reset immediately opens another. */
  async lookForRoom(): Promise<void> {
    if (await this.#ask()) this.#giveAll();
  }

  /** Returns false when the system was not asked: there was no cause, or it is still being asked for another call. */
  async #ask(): Promise<boolean> {
    if (this.#looking) return false;
    const all = this.#counted();
    const isDue = all.some(({ waits, isFull, isEnded }) => waits || isFull || isEnded);
    if (!isDue && this.#givenBytes <= ASKED_FROM_BYTES) return false;
    this.#looking = true;
    const begunMs = this.#clock.monotonicMs();
    try {
      const asked = all.map((delivery) => ({ delivery, sentBytes: delivery.sentBytes, wasEnded: delivery.isEnded }));
      const queues = await this.#readQueues();
      for (const [at, { delivery, sentBytes, wasEnded }] of asked.entries()) {
        if (at % SETTLED_A_STEP === SETTLED_A_STEP - 1) await nextTurn();
        this.#settle(delivery, { sentBytes, wasEnded, leftBytes: queues?.bytesOf(delivery.socket) ?? 0 });
      }
      return true;
    } finally {
      this.#looking = false;
      this.#lastLookMs = this.#clock.monotonicMs() - begunMs;
    }
  }

  #giveAll(): void {
    for (const delivery of this.#counted()) if (delivery.waits) this.#give(delivery);
  }

  #counted(): Delivery[] {
    for (const delivery of this.#deliveries) this.forget(delivery);
    const all = [...this.#deliveries];
    this.#givenBytes = sumOf(all, ({ bytes }) => bytes);
    return all;
  }

  #settle(delivery: Delivery, { sentBytes, wasEnded, leftBytes }: { sentBytes: number; wasEnded: boolean; leftBytes: number }): void {
    delivery.noteDelivered(sentBytes, leftBytes, this.#clock.monotonicMs());
    // The system counts the end that the server sends as one byte.
    if (wasEnded && leftBytes <= 1) delivery.socket.destroy();
    if (delivery.bytes === 0 && !delivery.waits) this.#deliveries.delete(delivery);
  }

  #resetExcess(): number {
    const nowMs = this.#clock.monotonicMs();
    const all = this.#counted().map((delivery) => ({ delivery, networkProved: this.#networks.has(delivery.network) }));
    const taken = ({ delivery }: (typeof all)[number]) => delivery.bytes;
    const perNetwork = new Map<string, number>();
    for (const { delivery } of all) perNetwork.set(delivery.network, (perNetwork.get(delivery.network) ?? 0) + delivery.bytes);
    const ofNetwork = ({ delivery }: (typeof all)[number]) => perNetwork.get(delivery.network) ?? 0;
    const inOrder = firstToLose(all, taken).toSorted((a, b) => ofNetwork(b) - ofNetwork(a) || a.delivery.sinceMs - b.delivery.sinceMs);
    // Waiting answers get half of the room at most. Otherwise callers that read nothing would lose all their connections, and open them
    // again.
    const wanted = sumOf(all, ({ delivery }) => (delivery.isFull ? 0 : delivery.waitingBytes));
    const mostBytes = MAX_ALL_BYTES - Math.min(wanted, MAX_ALL_BYTES / 2);
    let left = sumOf(all, taken);
    let reset = 0;
    for (const { delivery } of [...inOrder, ...all]) {
      const isLate = delivery.sinceMs + DELIVERY_LIMIT_MS <= nowMs;
      const isExcess = left > mostBytes && delivery.bytes > 0;
      if (delivery.socket.destroyed || !(isExcess || isLate)) continue;
      left -= delivery.bytes;
      delivery.socket.resetAndDestroy();
      reset += 1;
    }
    this.#giveAll();
    return reset;
  }
}
