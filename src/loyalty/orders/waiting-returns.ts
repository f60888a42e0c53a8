import type { InstallationKey } from "../../accounts/installation.ts";
import { nextTurn } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { OrderRow } from "../../store/loyalty-tables.ts";
import type { Tx } from "../ledger/ledger-queries.ts";
import type { Programme, ProgrammeInForce } from "../programme/programme.ts";
import type { Programmes } from "../programme-versions/programmes.ts";
import type { LoyaltyServices } from "../services.ts";
import { EarlierReturns } from "./earlier-returns.ts";
import { lockOrder, orderOf, updateOrder } from "./order-queries.ts";
import { bookReturn } from "./returns.ts";
import { isReturnedMore, observeTaken, type Taken, takenByReturn } from "./taken.ts";
import { oldestWaiting, salesWithWaiting, type WaitingCursor, waitingReturns } from "./waiting-queries.ts";
import { readWaiting } from "./waiting-schema.ts";

/**
 * The transaction of a sale also books returns that waited for this sale. It books at most `returns` of them, with at most `characters` of
 * stored lines together, and only if the sale has at most `saleLines` lines. In SQLite a transaction is one turn of the event loop, and any
 * number of returns may wait for one sale.
 */
const WITH_SALE = { returns: 4, characters: 10_000, saleLines: 100 };
/** How many waiting returns the upkeep looks at in one statement. */
const AT_ONCE = 500;

/** `programme`: the version of the programme that booked the sale. `current`: the programme in force. */
interface BookedBy {
  programme: Programme;
  current: ProgrammeInForce;
  zone: string;
}

type Booking = BookedBy & { waiting: OrderRow; sale: OrderRow; nowMs: number; returns: EarlierReturns };

/**
 * Books the returns that came before their sale. The transaction of the sale books the first few. The other returns are booked right after
 * its commit, the oldest first, each in a transaction of its own, and the sale is answered after them. If the process dies first, they are
 * booked when the till repeats the sale, before the next return of the sale, or by the upkeep. If the buyer has spent the earned points by
 * then, taking them back may make a debt, as after any return.
 */
export class WaitingReturns {
  readonly #services: Pick<LoyaltyServices, "store" | "clock" | "log" | "zoneOf" | "observe"> & { programmes: Programmes };

  readonly #returns: EarlierReturns;

  constructor(
    services: Pick<LoyaltyServices, "store" | "clock" | "log" | "zoneOf" | "observe"> & { programmes: Programmes },
    returns = new EarlierReturns(services.store),
  ) {
    this.#services = services;
    this.#returns = returns;
  }

  /** Books the first returns of a sale in its transaction. Returns true when other returns still wait: call `bookRest` after the commit. */
  async bookFirst(
    tx: Tx,
    key: InstallationKey,
    sale: { documentKey: string; lines: number },
    by: BookedBy,
    taken: Taken,
  ): Promise<boolean> {
    const returns = await waitingReturns(tx, key, sale.documentKey, WITH_SALE.returns + 1);
    if (returns.length === 0) return false;
    const stored = await orderOf(tx, key, "sale", sale.documentKey);
    if (stored === undefined) return false;
    let characters = 0;
    for (const [nth, waiting] of returns.entries()) {
      characters += waiting.content?.length ?? 0;
      if (nth === WITH_SALE.returns || characters > WITH_SALE.characters || sale.lines > WITH_SALE.saleLines) return true;
      const moved = await bookOne(tx, key, { waiting, sale: stored, nowMs: stored.received_at_ms, returns: this.#returns, ...by });
      taken.points.push(...moved.points);
      taken.anomalies.push(...moved.anomalies);
    }
    return false;
  }

  /**
   * Books the returns that still wait although their sale is stored. Safe to repeat, also in several processes at the same time. A failure
   * leaves the other returns to the upkeep, because the sale itself is booked.
   */
  async bookRest(key: InstallationKey, saleKey: string): Promise<void> {
    const { store, log, zoneOf, observe, programmes } = this.#services;
    try {
      const sale = await store.read((db) => orderOf(db, key, "sale", saleKey));
      if (sale === undefined) return;
      const zone = await zoneOf(key, sale.store_id);
      await programmes.prepare(key);
      let id = await store.read((db) => oldestWaiting(db, key, saleKey, 0));
      while (id !== undefined) {
        const returnId = id;
        await this.#returns.read(sale.id);
        const taken = await store.commit((tx) => this.#bookNext(tx, key, { saleId: sale.id, returnId, zone }));
        if (taken !== undefined) observeTaken(observe, taken);
        await nextTurn();
        id = await store.read((db) => oldestWaiting(db, key, saleKey, returnId));
      }
    } catch (error) {
      log.error({ sale: saleKey, error: messageOf(error) }, "returns that have waited for their sale could not be booked yet");
    }
  }

  /** Books all returns that still wait although their sale is stored. Ends early when `isClosing` returns true. */
  async takeUp(isClosing: () => boolean): Promise<void> {
    let after: WaitingCursor | undefined = { atMs: Number.MIN_SAFE_INTEGER, id: 0 };
    while (after !== undefined && !isClosing()) {
      const from: WaitingCursor = after;
      const page = await this.#services.store.read((db) => salesWithWaiting(db, from, AT_ONCE));
      for (const { key, saleKey } of page.sales) if (!isClosing()) await this.bookRest(key, saleKey);
      after = page.next;
    }
  }

  /** Undefined: the return no longer waits, for example because another process has booked it. */
  async #bookNext(
    tx: Tx,
    key: InstallationKey,
    { saleId, returnId, zone }: { saleId: number; returnId: number; zone: string },
  ): Promise<Taken | undefined> {
    const { clock, programmes } = this.#services;
    const sale = await lockOrder(tx, saleId);
    const waiting = await lockOrder(tx, returnId);
    if (waiting.state !== "waiting") return undefined;
    const current = await programmes.current(tx, key);
    const { programme } = await programmes.ofVersion(tx, key, sale.programme_version);
    const nowMs = Math.max(clock.nowMs(), sale.received_at_ms);
    return bookOne(tx, key, { waiting, sale, nowMs, programme, current, zone, returns: this.#returns });
  }
}

/** A return of more than was sold moves no points and no longer waits. */
async function bookOne(tx: Tx, key: InstallationKey, { waiting, sale, ...by }: Booking): Promise<Taken> {
  try {
    const lines = readWaiting(waiting);
    return takenByReturn(await bookReturn({ tx, key, ...by, returnId: waiting.id, saleId: sale.id, lines }));
  } catch (error) {
    if (!isReturnedMore(error)) throw error;
    await updateOrder(tx, waiting.id, { state: "nothing", anomalies: JSON.stringify([{ kind: "returned-more" }]) });
    return { note: {}, anomalies: ["returned-more"], points: [] };
  }
}
