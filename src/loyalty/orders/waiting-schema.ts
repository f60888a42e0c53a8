import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { jsonIn } from "../../store/columns.ts";
import type { OrderRow } from "../../store/loyalty-tables.ts";
import type { ReturnedLine } from "../points/matching.ts";

/** The largest number of positions on a receipt, as in the contract. */
const MAX_LINES = 1_000;

const linesSchema = boundedList(
  z.object({
    productId: z.string(),
    quantityMillionths: z.number(),
    unitKopecks: z.number(),
    paidKopecks: z.number(),
    grossKopecks: z.number(),
  }),
  { max: MAX_LINES },
);

/** Reads the lines of a return that waited for its sale. Throws `loyalty-order-unreadable`. */
export function readWaiting({ id, content }: OrderRow): ReturnedLine[] {
  return jsonIn({ failure: "loyalty-order-unreadable", table: "loyalty_orders", row: String(id) }, "content", content ?? "", linesSchema);
}
