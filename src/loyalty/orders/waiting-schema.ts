import { z } from "zod";
import { jsonIn } from "../../store/columns.ts";
import type { OrderRow } from "../../store/loyalty-tables.ts";
import type { ReturnedLine } from "../points/matching.ts";

const linesSchema = z.array(
  z.object({
    productId: z.string(),
    quantityMillionths: z.number(),
    unitKopecks: z.number(),
    paidKopecks: z.number(),
    grossKopecks: z.number(),
  }),
);

/** The lines of a return that has waited for its sale. Throws `loyalty-order-unreadable`. */
export function readWaiting({ id, content }: OrderRow): ReturnedLine[] {
  return jsonIn({ failure: "loyalty-order-unreadable", table: "loyalty_orders", row: String(id) }, "content", content ?? "", linesSchema);
}
