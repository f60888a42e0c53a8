import { sql } from "kysely";
import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import { type Placeholders, statement } from "../../store/statement.ts";
import type { Db } from "../ledger/ledger-queries.ts";
import type { ReturnedLine } from "../points/matching.ts";

/** The product id for all goods that the sale did not have. No stored product has this id, because PostgreSQL takes no such text. */
export const STRANGE_PRODUCT = "\u0000";
/** Stands for all prices at which the sale does not have the product. */
const OTHER_PRICE = -1;

/** Returns the ids of the booked returns of a sale, in order. */
export async function bookedReturns(db: Db, saleId: number): Promise<number[]> {
  const { rows } = await bookedSelect(db, { saleId });
  return rows.map(({ id }) => id);
}

const bookedSelect = statement((db, { saleId }: Placeholders<{ saleId: number }>) =>
  db.selectFrom("loyalty_orders").select("id").where("sale_id", "=", saleId).where("state", "=", "booked").orderBy("id"),
);

/**
 * Returns what these returns of a sale have brought back. There is at most one line for each product and price of the sale, one line for
 * each product of the sale at all other prices together, and one line for all goods that the sale did not have. A return may have a
 * thousand lines, so the database adds them up. Only these sums are compared with the sale.
 *
 * All goods that the sale did not have count as one piece. The price of this piece is the money that the tills have stated for all these
 * goods, each line rounded half up to the kopeck. The price of a line is divided by a million first, because price × quantity may exceed 64
 * bits.
 *
 * The goods of the sale are looked up with `in`, for which SQLite makes an index. For a join it would read all lines of the sale for each
 * line of a return.
 */
export async function sumsOfReturns(db: Db, saleId: number, returnIds: readonly number[]): Promise<ReturnedLine[]> {
  if (returnIds.length === 0) return [];
  const { rows } = await sql<Sums>`
    select
      product_id,
      unit_kopecks,
      sum(quantity_millionths * 1.0) as quantity_millionths,
      sum(paid_kopecks * 1.0) as paid_kopecks,
      sum(gross_kopecks * 1.0) as gross_kopecks,
      sum(stated_kopecks * 1.0) as stated_kopecks
    from (
      select
        case when product_id in (select product_id from loyalty_order_lines where order_id = ${saleId}) then product_id end as product_id,
        case when (product_id, unit_kopecks) in (select product_id, unit_kopecks from loyalty_order_lines where order_id = ${saleId})
          then unit_kopecks end as unit_kopecks,
        quantity_millionths,
        paid_kopecks,
        gross_kopecks,
        unit_kopecks / 1000000 * quantity_millionths + (unit_kopecks % 1000000 * quantity_millionths + 500000) / 1000000 as stated_kopecks
      from loyalty_order_lines
      where order_id in (${sql.join(returnIds)})
    ) lines
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
