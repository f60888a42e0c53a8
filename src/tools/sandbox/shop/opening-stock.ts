import type { Account } from "../account/account.ts";
import { OPENING_STOCK, STOCKED_TYPES } from "../stock/stock.ts";
import type { Stored } from "../values/stored.ts";
import { SHOP_BEGAN_MS } from "./shop-contents.ts";

/** The quantity of each kind of stocked goods in a new shop, in pieces or kilograms. */
const PIECES = 40;
/** Every fifth of the goods is sold out, so clients see that the stock report leaves them out by default (json-api 14.1). */
const SOLD_OUT_EVERY = 5;

/** Puts the goods into the shop's first warehouse, because no document of the sandbox brings new goods. */
export function layOpeningStock(account: Account): void {
  const [store] = account.objects.all("store").values();
  if (store === undefined) throw new Error("the shop has no warehouse");
  const goods = STOCKED_TYPES.flatMap((type) => [...account.objects.all(type).values()]);
  for (const [at, each] of goods.entries()) if ((at + 1) % SOLD_OUT_EVERY !== 0) lay(account, each, store);
}

function lay(account: Account, goods: Stored, store: Stored): void {
  account.put({
    type: OPENING_STOCK,
    id: account.namedId(`${OPENING_STOCK}/${goods.id}`),
    values: {
      assortment: { type: goods.type, id: goods.id },
      store: { type: store.type, id: store.id },
      quantity: PIECES,
      moment: SHOP_BEGAN_MS,
      updated: goods.values.updated,
    },
  });
}
