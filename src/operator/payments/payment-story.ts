import type { Payment, Refund } from "../../payments/payment.ts";
import { paymentMoves } from "../../payments/payment-queries.ts";
import { paymentWithRefunds } from "../../payments/payment-with-refunds.ts";
import type { OperatorPayments } from "./services.ts";

export interface PaymentStory {
  payment: Payment;
  refunds: readonly Refund[];
  moves: readonly PaymentMove[];
  /** The id of the document of the sale that this payment paid. */
  saleDocumentId?: string;
}

/** `from` is absent in the first move. Equal `from` and `to`: the move records a person's words. */
interface PaymentMove {
  atMs: number;
  from?: string;
  to: string;
  why: string;
}

/** Returns a payment with its refunds, moves and sale. Throws when the payment does not exist. */
export async function paymentStory(
  { services, journal }: Pick<OperatorPayments, "services" | "journal">,
  id: string,
): Promise<PaymentStory> {
  const { stored, rows } = await services.store.read(async (db) => ({
    stored: await paymentWithRefunds(db, id),
    rows: await paymentMoves(db, id),
  }));
  if (stored === undefined) throw new Error(`payment ${id} is gone, and payments are never deleted`);
  const { saleEntryId } = stored.payment;
  const sale = saleEntryId === undefined ? undefined : await journal.get(saleEntryId);
  const moves = rows.map(({ at_ms, from_state, to_state, why }) => ({
    atMs: at_ms,
    ...(from_state === null ? {} : { from: from_state }),
    to: to_state,
    why,
  }));
  return { ...stored, moves, ...(sale === undefined ? {} : { saleDocumentId: sale.key.documentId }) };
}
