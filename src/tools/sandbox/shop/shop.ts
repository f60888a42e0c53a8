import type { Account } from "../account/account.ts";
import type { Login } from "../account/users.ts";
import { GROUP } from "../types/parties/group.ts";
import { placeCompany } from "./company.ts";
import { placeDirectories } from "./directories.ts";
import { Furniture } from "./furniture.ts";
import { placeGoods } from "./goods.ts";
import { layOpeningStock } from "./opening-stock.ts";
import { DIRECTOR, placePeople } from "./people.ts";
import { placeUnits } from "./units.ts";

/** Who may log in from the start. */
interface ShopOptions {
  readonly administrator: Login;
  readonly employees: readonly Login[];
}

/**
 * Furnishes a new account (sandbox-surface): the people with their logins, one organization with two points of sale,
 * units, goods, buyers, states. The same seed gives the same objects, ids and times.
 */
export function furnish(account: Account, options: ShopOptions): Promise<unknown> {
  return account.commit(() => {
    const shop = new Furniture(account, DIRECTOR);
    shop.place(GROUP, "main", { name: "Основной", index: 0 });
    const people = placePeople(shop, [options.administrator, ...options.employees]);
    placeUnits(shop);
    placeDirectories(shop);
    placeCompany(shop, people);
    placeGoods(shop);
    layOpeningStock(account);
  });
}
