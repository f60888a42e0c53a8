import { type Stored, shapeIn, type Value, type Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";

const SUM = "ALL_WAREHOUSE_SUM";

/**
 * Applies a body's minimum stock and returns the result. `minimumBalance` and the quantity of the kind ALL_WAREHOUSE_SUM are one value, and
 * a body may send either. ALL_WAREHOUSE_SAME is read-only and ignored (json-api 13.1).
 */
export function settleMinimumStock(draft: Values, before: Stored | undefined, { given }: Writing): Values {
  if (given.has("minimumStock")) {
    const sent = shapeIn(draft.minimumStock);
    if (sent === undefined) return { minimumStock: undefined, minimumBalance: undefined };
    if (sent.type === "ALL_WAREHOUSE_SAME") return kept(before);
    const stock = { type: sent.type ?? SUM, quantity: sent.quantity ?? 0 };
    return { minimumStock: stock, minimumBalance: stock.type === SUM ? stock.quantity : undefined };
  }
  if (!given.has("minimumBalance")) return {};
  return { minimumStock: { type: SUM, quantity: draft.minimumBalance ?? 0 } };
}

/** Returns the value for `fields=minimumStock`, zero by default. */
export function minimumStockOf({ values }: Stored): Value {
  return values.minimumStock ?? { type: SUM, quantity: values.minimumBalance ?? 0 };
}

function kept(before: Stored | undefined): Values {
  return { minimumStock: before?.values.minimumStock, minimumBalance: before?.values.minimumBalance };
}
