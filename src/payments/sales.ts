import { doneQrSales, repeatedQrSales, type WantedSale } from "../journal/qr-sale-queries.ts";
import { messageOf } from "../kernel/failure.ts";
import { Rounds } from "../kernel/rounds.ts";
import { isReadable, listedPaymentOf, type UnreadablePayment } from "./listed-payment.ts";
import type { Payment } from "./payment.ts";
import { linkedSales, linkSale, noteUnsold, unsoldPayments } from "./sale-queries.ts";
import type { PaymentServices } from "./services.ts";

const LOOK_MS = 15_000;
/** A paid payment without a sale is reported after this time (qr-acquirers 7.3). */
const UNSOLD_AFTER_MS = 30 * 60_000;
/** How long a sale is sought after the payment. A later sale is never linked. */
const LOOKED_FOR_MS = 3 * 24 * 3_600_000;
const PAGE_ROWS = 200;

type Sale = Awaited<ReturnType<typeof doneQrSales>>[number];
type SaleServices = Pick<PaymentServices, "store" | "clock" | "log" | "onlyHere">;

/** Finds the sale of each paid payment, and reports payments without a sale. */
export class PaymentSales {
  readonly #services: SaleServices;
  readonly #rounds: Rounds;
  /** The payments that could not be read at the last look. Each is reported once. */
  #unreadable: ReadonlySet<string> = new Set();

  constructor(services: SaleServices) {
    this.#services = services;
    this.#rounds = new Rounds(services.clock, LOOK_MS, () => this.#guarded(), services.onlyHere);
  }

  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  /**
   * Looks for the sale of each paid payment without one. Of payments with the same sum, the first paid gets the oldest sale. A payment that
   * cannot be read is reported once, and stops no other.
   */
  async look(): Promise<void> {
    const { store, clock } = this.#services;
    const unreadable: UnreadablePayment[] = [];
    let after = { paidAtMs: clock.nowMs() - LOOKED_FOR_MS, id: "" };
    for (;;) {
      const rows = await store.read((db) => unsoldPayments(db, PAGE_ROWS, after));
      for (const row of rows) {
        const payment = listedPaymentOf(row);
        if (isReadable(payment)) await this.#lookAt(payment, row.unsold_told === 1);
        else unreadable.push(payment);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS) break;
      after = { paidAtMs: last.paid_at_ms ?? 0, id: last.id };
    }
    this.#report(unreadable);
  }

  #report(unreadable: readonly UnreadablePayment[]): void {
    for (const { id, problem } of unreadable) {
      if (this.#unreadable.has(id)) continue;
      this.#services.log.error({ payment: id, problem }, "a paid payment cannot be read and is left as it is; a person must look");
    }
    this.#unreadable = new Set(unreadable.map(({ id }) => id));
  }

  async #lookAt(payment: Payment, wasReported: boolean): Promise<void> {
    const { store, clock, log } = this.#services;
    const { appId, accountId, storeId, told, paidAtMs = 0, toldAtMs = 0 } = payment;
    // A till sells after it was told DONE. An earlier sale belongs to another payment.
    if (told === "DONE" && payment.state !== "refunded") {
      const after = { afterEntryId: payment.toldEntryId ?? 0, afterMs: toldAtMs };
      const wanted = { appId, accountId, storeId, qrKopecks: payment.amountKopecks, ...after };
      const found = await this.#saleFor(wanted);
      if (found !== undefined && (await store.commit((tx) => linkSale(tx, payment.id, found)))) return;
    }
    // A payment whose money is or was returned needs no sale.
    const isReturned = payment.cancelled || payment.state === "refunded";
    if (wasReported || isReturned || clock.nowMs() - paidAtMs < UNSOLD_AFTER_MS) return;
    await store.commit((tx) => noteUnsold(tx, payment.id));
    log.error(
      { payment: payment.id, operationId: payment.operationId, accountId, storeId, amountKopecks: payment.amountKopecks },
      "a QR payment is paid and no sale of its sum was seen; a person must look",
    );
  }

  async #saleFor(wanted: WantedSale): Promise<number | undefined> {
    const repeated = await this.#firstFree(await this.#services.store.read((db) => repeatedQrSales(db, wanted)));
    const later = await this.#laterSaleFor(wanted);
    if (repeated === undefined || later === undefined) return (repeated ?? later)?.id;
    return repeated.movedAtMs < later.movedAtMs ? repeated.id : later.id;
  }

  async #laterSaleFor(wanted: WantedSale): Promise<Sale | undefined> {
    for (let afterId = 0; ; ) {
      const page = { afterId, limit: PAGE_ROWS };
      const sales = await this.#services.store.read((db) => doneQrSales(db, wanted, page));
      const free = await this.#firstFree(sales);
      if (free !== undefined || sales.length < PAGE_ROWS) return free;
      afterId = sales.at(-1)?.id ?? afterId;
    }
  }

  async #firstFree(sales: readonly Sale[]): Promise<Sale | undefined> {
    const ids = sales.map(({ id }) => id);
    const taken = await this.#services.store.read((db) => linkedSales(db, ids));
    return sales.find(({ id }) => !taken.has(id));
  }

  async #guarded(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      this.#services.log.error({ error: messageOf(error) }, "the sales of payments could not be looked for");
    }
  }
}
