import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { NotificationReading } from "../acquirers/acquirer.ts";
import { nextTurn } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import { Rounds } from "../kernel/rounds.ts";
import { isLoopback } from "../kernel/web-address.ts";
import { inPieces } from "../kernel/work/in-pieces.ts";
import { Slots } from "../kernel/work/slots.ts";
import type { Clients } from "./clients.ts";
import {
  dropNotifications,
  dropUnmatched,
  insertNotification,
  type NotificationPlace,
  notificationsAfter,
} from "./notification-queries.ts";
import { AccountsByAddress, type NotifiedAccounts } from "./notified-accounts.ts";
import { paymentOf } from "./payment.ts";
import { hurryPayment, lockPayment, paymentOfBank } from "./payment-queries.ts";
import { isPerhapsMade, refreshStepMs } from "./refresh-times.ts";
import type { PaymentServices } from "./services.ts";
import { isOpen, isRejected } from "./states.ts";
import type { Turns } from "./turns/turns.ts";

/** How long a notification without a payment is kept. Such a notification may come before the answer to `create` (qr-acquirers 9). */
const UNMATCHED_MS = 24 * 3_600_000;
/**
 * How long a notification with a payment is kept, to recognize repeats. YooKassa repeats a notification for a day; T-Bank hourly for a day
 * and then daily (qr-acquirers 3.6 and 4.5).
 */
const KEPT_MS = 7 * 24 * 3_600_000;
const TIDY_MS = 10 * 60_000;
/** How many notifications are looked at in one turn of the event loop. The reading takes about 2 ms in SQLite. */
const LOOKED_AT_ONCE = 500;
/** The maximum number of notifications handled at the same time: as many as one commit of SQLite may store. */
const AT_ONCE = 32;
/**
 * The maximum number of notifications that wait for a slot. Their bodies take at most 32 MB. A notification behind more than these would
 * hardly be stored within the second in which a bank is answered (payments surface 4), and the bank repeats it.
 */
const MAX_WAITING = 512;

interface NotificationCall {
  acquirer: string;
  secret: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The caller's address; behind trusted proxies the address that they state. */
  source: string;
}

type NotificationEnd = { kind: "unknown-address" } | { kind: "busy" } | { kind: "answer"; status: number; body: string; outcome: string };

/**
 * Takes the banks' notifications and stores each notification that was read as one of a payment, proved or not. The answer waits for no
 * call to a bank. A notification decides nothing: it only makes the server read its payment earlier.
 */
export class BankNotifications {
  readonly #services: PaymentServices;
  readonly #clients: Pick<Clients, "mayRead">;
  readonly #turns: Turns;
  readonly #addresses: AccountsByAddress;
  /** If all notifications of a burst were handled together, every answer would be as late as the last answer. */
  readonly #slots = new Slots(AT_ONCE);
  #taken = 0;
  readonly #rounds: Rounds;

  constructor(services: PaymentServices, clients: Pick<Clients, "mayRead">, turns: Turns) {
    this.#services = services;
    this.#clients = clients;
    this.#turns = turns;
    this.#addresses = new AccountsByAddress(services);
    this.#rounds = new Rounds(services.clock, TIDY_MS, () => this.#tidy());
  }

  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  /** `busy`: too many notifications wait, and this notification is not stored. The bank must repeat it. */
  async take(call: NotificationCall): Promise<NotificationEnd> {
    if (this.#taken >= AT_ONCE + MAX_WAITING) return { kind: "busy" };
    this.#taken += 1;
    try {
      return await this.#slots.run(() => this.#take(call));
    } finally {
      this.#taken -= 1;
    }
  }

  async #take({ acquirer, secret, headers, body, source }: NotificationCall): Promise<NotificationEnd> {
    const { acquirers, log } = this.#services;
    const kind = acquirers.kinds.find(({ name }) => name === acquirer);
    const known = kind === undefined ? undefined : await this.#addresses.of(acquirer, secret);
    if (kind === undefined || known === undefined) return { kind: "unknown-address" };
    const { holder } = known;
    const loopbackAllowed = isLoopback(acquirers.services.addresses[acquirer]);
    const read = ({ accounts }: NotifiedAccounts) => kind.readNotification({ headers, body, source, loopbackAllowed }, accounts);
    const first = read(known);
    const reading = first.kind === "not-genuine" ? read((await this.#addresses.of(acquirer, secret, { fresh: true })) ?? known) : first;
    if (reading.kind === "not-genuine")
      log.warn(
        { acquirer, accountId: holder.accountId, source, reason: reading.reason },
        "a notification is not from the acquirer; nothing changes",
      );
    if (reading.kind === "payment") await this.#store(holder, acquirer, reading, body);
    return { kind: "answer", ...kind.answerTo(reading), outcome: reading.kind };
  }

  /** Stores the notification and, in the same transaction, makes its payment due if the bank may have news. A repeat changes nothing. */
  async #store(
    key: { appId: string; accountId: string },
    acquirer: string,
    reading: NotificationReading & { kind: "payment" },
    body: Buffer,
  ): Promise<void> {
    const { store, clock } = this.#services;
    const nowMs = clock.nowMs();
    const hurried = await store.commit(async (tx) => {
      const named = await paymentOfBank(tx, key, { acquirer, ...reading });
      // The turn that makes the payment may just store the bank's id. The lock makes one of the two see what the other has stored.
      const row = named?.bank_id === null ? await lockPayment(tx, named.id) : named;
      const payment = row === undefined ? undefined : paymentOf(row);
      const isUnmade = payment !== undefined && payment.bankId === undefined && !isPerhapsMade(payment);
      const fresh = await insertNotification(tx, {
        app_id: key.appId,
        account_id: key.accountId,
        acquirer,
        bank_id: reading.bankId,
        status: reading.status,
        body_hash: createHash("sha256").update(body).digest("hex"),
        proved: reading.proved ? 1 : 0,
        received_at_ms: nowMs,
        // A notification without a payment is found when the bank's id is stored, and then causes a reading (`matchNotifications`).
        payment_id: payment === undefined || isUnmade ? null : payment.id,
      });
      if (!fresh || payment === undefined || isUnmade) return undefined;
      // An unproved notification causes at most one reading in a refresh step.
      const justRead = nowMs - (payment.readAtMs ?? 0) < refreshStepMs(nowMs - payment.createdAtMs);
      if (!reading.proved && justRead) return undefined;
      if (!isOpen(payment.state) && !isRejected(payment.state) && payment.nextReadAtMs === undefined) return undefined;
      const dueMs = reading.proved ? payment.createdAtMs : nowMs;
      await hurryPayment(tx, payment.id, Math.min(payment.nextReadAtMs ?? dueMs, dueMs));
      return payment;
    });
    // Many notifications may use up the account's allowance. Then the follower reads the payment when it is due. A proved notification
    // puts its payment before other due payments.
    if (hurried === undefined || !this.#clients.mayRead(hurried.merchant)) return;
    this.#turns
      .take(hurried.id, { read: true, mayAsk: true })
      .catch((error: unknown) => this.#services.log.error({ payment: hurried.id, error: messageOf(error) }, "a turn of a payment failed"));
  }

  /** Deletes the notifications from before the moment that have no payment, and returns their number. Other work runs in between. */
  async #dropUnmatched(beforeMs: number): Promise<number> {
    const { store } = this.#services;
    let dropped = 0;
    let place: NotificationPlace = { receivedAtMs: 0, id: 0 };
    for (;;) {
      const from = place;
      const looked = await store.read((db) => notificationsAfter(db, from, beforeMs, LOOKED_AT_ONCE));
      const ids = looked.filter(({ isMatched }) => !isMatched).map(({ id }) => id);
      if (ids.length > 0) dropped += await store.commit((tx) => dropUnmatched(tx, ids), "behind");
      const last = looked.at(-1);
      if (last === undefined || looked.length < LOOKED_AT_ONCE) return dropped;
      place = last;
      await nextTurn();
    }
  }

  async #tidy(): Promise<void> {
    const { store, clock, log } = this.#services;
    try {
      const nowMs = clock.nowMs();
      const dropped = await this.#dropUnmatched(nowMs - UNMATCHED_MS);
      await inPieces((limit) => store.commit((tx) => dropNotifications(tx, nowMs - KEPT_MS, limit), "behind"));
      if (dropped > 0) log.warn({ dropped }, "notifications of unknown payments were dropped after a day");
    } catch (error) {
      log.error({ error: messageOf(error) }, "old notifications of banks could not be dropped");
    }
  }
}
