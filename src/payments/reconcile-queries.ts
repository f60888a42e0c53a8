import type { PaymentRow } from "../store/payment-tables.ts";
import type { Db } from "./payment-queries.ts";

/** The last payment before a page. */
export interface PageStart {
  createdAtMs: number;
  id: string;
}

/**
 * Payments for a person's comparison with the banks, oldest first: all payments created since `sinceMs`. Followed payments, and payments
 * with a refund that waits for a person, are included however old they are.
 */
export function paymentsToCompare(db: Db, sinceMs: number, after: PageStart | undefined, limit: number): Promise<PaymentRow[]> {
  let query = db
    .selectFrom("payments")
    .selectAll()
    .where((row) =>
      row.or([
        row("next_read_at_ms", "is not", null),
        row("created_at_ms", ">=", sinceMs),
        row("id", "in", row.selectFrom("payment_refunds").select("payment_id").where("state", "=", "person")),
      ]),
    )
    .orderBy("created_at_ms")
    .orderBy("id")
    .limit(limit);
  if (after !== undefined) {
    query = query.where((row) =>
      row.or([
        row("created_at_ms", ">", after.createdAtMs),
        row.and([row("created_at_ms", "=", after.createdAtMs), row("id", ">", after.id)]),
      ]),
    );
  }
  return query.execute();
}
