import type { Account } from "../account/account.ts";
import type { Login } from "../account/users.ts";
import { GROUP } from "../types/parties/group.ts";
import { placeCompany } from "./company.ts";
import { placeDirectories } from "./directories.ts";
import { placeGoods } from "./goods.ts";
import { layOpeningStock } from "./opening-stock.ts";
import { DIRECTOR, placePeople } from "./people.ts";
import { ShopContents } from "./shop-contents.ts";
import { placeUnits } from "./units.ts";

interface ShopOptions {
  readonly administrator: Login;
  readonly employees: readonly Login[];
}

/**
 * Fills a new account (sandbox-surface): people with logins, an organization with two points of sale, units, goods, buyers, states. The
 * same seed gives the same objects, ids and times.
 */
export function addShop(account: Account, options: ShopOptions): Promise<unknown> {
  return account.commit(() => {
    const shop = new ShopContents(account, DIRECTOR);
    shop.place(GROUP, "main", { name: "Основной", index: 0 });
    const people = placePeople(shop, [options.administrator, ...options.employees]);
    placeUnits(shop);
    placeDirectories(shop);
    placeCompany(shop, people);
    placeGoods(shop);
    layOpeningStock(account);
  });
}
