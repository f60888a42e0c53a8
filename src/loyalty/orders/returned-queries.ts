import { sql } from "kysely";
import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import type { Db } from "../ledger/ledger-queries.ts";
import type { ReturnedLine } from "../points/matching.ts";

/** The product id for all goods that the sale did not have. No stored product has this id, because PostgreSQL takes no such text. */
const STRANGE_PRODUCT = "\u0000";
/** The price of goods of the sale that came back at a price that the sale does not have. */
const OTHER_PRICE = -1;

/**
 * Returns what the booked returns of a sale have brought back, as at most one line for each product and price of the sale, one for each
 * product at any other price, and one for all goods that the sale did not have. A sale may have any number of returns of a thousand lines,
 * so the database adds them up. Only these sums are compared with the sale.
 *
 * The goods that the sale did not have are one piece. Its price is the money that the tills have stated for all these goods, each line
 * rounded half up to the kopeck. The price of a line is divided by a million first, because price × quantity may exceed 64 bits.
 */
export async function returnedLinesOf(db: Db, saleId: number): Promise<ReturnedLine[]> {
  const { rows } = await sql<Sums>`
    select
      p.product_id as product_id,
      u.unit_kopecks as unit_kopecks,
      sum(l.quantity_millionths * 1.0) as quantity_millionths,
      sum(l.paid_kopecks * 1.0) as paid_kopecks,
      sum(l.gross_kopecks * 1.0) as gross_kopecks,
      sum((l.unit_kopecks / 1000000 * l.quantity_millionths
        + (l.unit_kopecks % 1000000 * l.quantity_millionths + 500000) / 1000000) * 1.0) as stated_kopecks
    from loyalty_orders o
    join loyalty_order_lines l on l.order_id = o.id
    left join (select distinct product_id from loyalty_order_lines where order_id = ${saleId}) p on p.product_id = l.product_id
    left join (select distinct product_id, unit_kopecks from loyalty_order_lines where order_id = ${saleId}) u
      on u.product_id = l.product_id and u.unit_kopecks = l.unit_kopecks
    where o.sale_id = ${saleId} and o.state = 'booked'
    group by 1, 2
    order by 1, 2`.execute(db);
  return rows.map((row) => {
    const money = { paidKopecks: Number(row.paid_kopecks), grossKopecks: Number(row.gross_kopecks) };
    const { product_id: productId, unit_kopecks } = row;
    return productId === null
      ? { productId: STRANGE_PRODUCT, quantityMillionths: ONE_MILLIONTHS, unitKopecks: Number(row.stated_kopecks), ...money }
      : {
          productId,
          quantityMillionths: Number(row.quantity_millionths),
          unitKopecks: unit_kopecks === null ? OTHER_PRICE : Number(unit_kopecks),
          ...money,
        };
  });
}

/** PostgreSQL gives sums as texts. */
interface Sums {
  /** Null: the sale did not have the goods. */
  product_id: string | null;
  /** Null: another price than the sale's. */
  unit_kopecks: number | string | null;
  quantity_millionths: number | string;
  paid_kopecks: number | string;
  gross_kopecks: number | string;
  stated_kopecks: number | string;
}
