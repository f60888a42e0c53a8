import { type Payment, paymentOf, type Refund, refundOf } from "../../../src/payments/payment.ts";
import { EXPIRY_BOUND_MS } from "../../../src/payments/refresh-times.ts";
import { isRejected } from "../../../src/payments/states.ts";
import { type BankRecord, sumOf } from "./bank-payment.ts";
import { broken, type PaymentWorld } from "./world.ts";

interface Stored {
  payment: Payment;
  refunds: Refund[];
  unsoldTold: boolean;
}

/** A payment whose till was told DONE so long ago must have a sale, or be refunded, or be reported as unsold. */
const UNSOLD_AFTER_MS = 30 * 60_000;

/** What must hold of the stored payments and of the bank's payments at any moment. Each promise has a name. */
export class PaymentInvariants {
  readonly #world: PaymentWorld;
  readonly #told = new Map<string, string>();
  readonly #rejected = new Set<string>();
  readonly #linked = new Map<string, number>();

  constructor(world: PaymentWorld) {
    this.#world = world;
  }

  async checkAlways(): Promise<void> {
    for (const stored of await this.#stored()) {
      this.#toldStays(stored);
      this.#endStays(stored);
      this.#refundsWithinPaid(stored);
      this.#saleStays(stored);
    }
    for (const record of this.#world.bank.records) {
      const returned = sumOf(record, "done") + sumOf(record, "pending");
      if (returned > (record.paid ? record.orderedKopecks : 0))
        throw broken("refunds-within-paid", `${record.bankId} has returned ${returned}`);
    }
  }

  /** What must hold when the bank has worked well for long enough. */
  async checkAtTheEnd(): Promise<void> {
    await this.checkAlways();
    const all = await this.#stored();
    for (const stored of all) {
      this.#ends(stored);
      this.#isReported(stored);
    }
    for (const record of this.#world.bank.records) this.#moneyIsRight(record, all);
    for (const stored of all) this.#doneHasMoney(stored);
    await this.#salesAreRight(all);
  }

  #toldStays({ payment: { id, told } }: Stored): void {
    const before = this.#told.get(id);
    if (before !== undefined && told !== before)
      throw broken(before === "DONE" ? "done-stays" : "rejected-stays", `${id} was told ${before} and is ${told}`);
    if (told !== undefined) this.#told.set(id, told);
  }

  #endStays({ payment }: Stored): void {
    const { id, state } = payment;
    if (isRejected(state)) {
      if (!this.#rejected.has(id) && state === "expired") this.#wasReadAtExpiry(payment);
      this.#rejected.add(id);
    } else if (this.#rejected.has(id)) throw broken("rejected-stays", `${id} was over and is ${state}`);
  }

  /** A payment expires after a reading that found no money, or when the bank could not be read for its bound. */
  #wasReadAtExpiry({ id, bankId, expiresAtMs, movedAtMs }: Payment): void {
    if (bankId === undefined || this.#world.hasJumped || movedAtMs - expiresAtMs >= EXPIRY_BOUND_MS) return;
    const { readAtMs, endsAtMs, status } = this.#world.bank.record(bankId);
    const isOver = status === "expired" && readAtMs >= endsAtMs;
    if (readAtMs < expiresAtMs && !isOver)
      throw broken("expiry-is-read", `${id} expired, and the bank was asked ${expiresAtMs - readAtMs} ms before and not since`);
  }

  #refundsWithinPaid({ payment, refunds }: Stored): void {
    const ordered = refunds.filter(({ state }) => state !== "refused").reduce((sum, { amountKopecks }) => sum + amountKopecks, 0);
    if (ordered > payment.amountKopecks) throw broken("refunds-within-paid", `${payment.id} has refunds of ${ordered}`);
    if (payment.refundedKopecks > payment.amountKopecks)
      throw broken("refunds-within-paid", `${payment.id} counts ${payment.refundedKopecks} as returned`);
  }

  #saleStays({ payment: { id, saleEntryId, told } }: Stored): void {
    const before = this.#linked.get(id);
    if (before !== undefined && before !== saleEntryId) throw broken("sale-stays", `${id} has lost sale ${before}`);
    if (saleEntryId === undefined) return;
    if (told !== "DONE") throw broken("sale-after-done", `${id} has a sale and was never DONE`);
    this.#linked.set(id, saleEntryId);
  }

  #ends({ payment, refunds }: Stored): void {
    const { id, state, doubt, nextReadAtMs } = payment;
    const waits = state === "unknown" && (doubt === "unlisted" || doubt === "mismatch");
    if (waits) return;
    const open = ["creating", "waiting", "cancelling", "unknown", "refunding"].includes(state);
    if (open) throw broken("payments-end", `${id} is still ${state} ${doubt ?? ""}`);
    if (nextReadAtMs !== undefined) throw broken("payments-end", `${id} is ${state} and still followed`);
    const underWay = refunds.find((refund) => !["done", "refused", "person"].includes(refund.state));
    if (underWay !== undefined) throw broken("payments-end", `refund ${underWay.number} of ${id} is still ${underWay.state}`);
  }

  /** A payment that waits for a person must be in the log. Only a process that dies between its commit and the line writes no line. */
  #isReported(stored: Stored): void {
    const { id } = stored.payment;
    const world = this.#world;
    if (world.deaths.count > 0 || !waitsForPerson(stored)) return;
    if (!world.alerts.some(({ payment }) => payment === id)) throw broken("person-is-told", `${id} waits for a person and nobody was told`);
  }

  /** Money at the bank must belong to one operation that is DONE, or be returned. */
  #moneyIsRight(record: BankRecord, all: readonly Stored[]): void {
    const { bankId, orderId, orderedKopecks, paid } = record;
    const stored = all.find(({ payment }) => payment.id === orderId);
    if (stored === undefined) throw broken("bank-and-books", `${bankId} belongs to no payment`);
    if (!paid) return;
    const { payment } = stored;
    if (payment.bankId !== bankId) throw broken("one-charge", `${bankId} was paid, and ${payment.id} stands for ${payment.bankId}`);
    const kept = orderedKopecks - sumOf(record, "done");
    if (waitsForPerson(stored) || this.#isHidden(record)) return;
    const books = payment.told === "DONE" || payment.late !== undefined ? payment.amountKopecks - payment.refundedKopecks : 0;
    if (payment.told !== "DONE" && kept > 0)
      throw broken("rejected-keeps-nothing", `${payment.id} (${payment.state}) was never DONE and ${kept} stay at the bank`);
    if (kept !== books) throw broken("bank-and-books", `${payment.id} (${payment.state}): ${kept} are at the bank, the books say ${books}`);
  }

  /** Whether the bank always shows the payment wrongly, and a person was told. A process that has died may have told nobody. */
  #isHidden({ orderId, shows }: BankRecord): boolean {
    if (!shows.strange && !shows.wrong) return false;
    return this.#world.deaths.count > 0 || this.#world.alerts.some(({ payment }) => payment === orderId);
  }

  #doneHasMoney({ payment }: Stored): void {
    if (payment.told !== "DONE") return;
    if (payment.bankId === undefined || !this.#world.bank.record(payment.bankId).paid)
      throw broken("done-has-money", `${payment.id} is DONE and nobody has paid`);
    if (payment.freed) throw broken("done-stays", `${payment.id} is DONE and its operation is free`);
  }

  async #salesAreRight(all: readonly Stored[]): Promise<void> {
    const sales = await this.#world.storage.store.db.selectFrom("entries").selectAll().execute();
    const seen = new Set<number>();
    for (const { payment, unsoldTold } of all) {
      const { id, saleEntryId, storeId, amountKopecks, toldAtMs = 0, toldEntryId, told, state } = payment;
      if (saleEntryId === undefined) {
        const isDue = told === "DONE" && state !== "refunded" && this.#world.wallMs - toldAtMs > UNSOLD_AFTER_MS;
        if (isDue && !unsoldTold) throw broken("unsold-is-reported", `${id} is paid, has no sale, and nobody was told`);
        continue;
      }
      const sale = sales.find((each) => each.id === saleEntryId);
      if (sale?.store_id !== storeId || sale.qr_kopecks !== amountKopecks)
        throw broken("sale-fits", `${id} has a sale of another store or sum`);
      // The order of the journal is compared, because wall clocks are set back in these runs.
      const isRepeat = sale.attempt > 1 && sale.moved_at_ms >= toldAtMs;
      if (saleEntryId <= (toldEntryId ?? 0) && !isRepeat) throw broken("sale-after-done", `${id} has a sale from before it was DONE`);
      if (seen.has(saleEntryId)) throw broken("sale-once", `sale ${saleEntryId} has two payments`);
      seen.add(saleEntryId);
    }
  }

  async #stored(): Promise<Stored[]> {
    const { db } = this.#world.storage.store;
    const refunds = await db.selectFrom("payment_refunds").selectAll().orderBy("number").execute();
    const rows = await db.selectFrom("payments").selectAll().execute();
    return rows.map((row) => ({
      payment: paymentOf(row),
      refunds: refunds.filter((each) => each.payment_id === row.id).map(refundOf),
      unsoldTold: row.unsold_told === 1,
    }));
  }
}

/** Whether the stored state says that a person must look. */
function waitsForPerson({ payment, refunds }: Stored): boolean {
  if (payment.state === "unknown" || payment.late?.state === "person") return true;
  return refunds.some(({ state }) => state === "refused" || state === "person");
}
