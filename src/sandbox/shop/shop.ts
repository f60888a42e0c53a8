import type { Account } from "../account/account.ts";
import type { Reference, Values } from "../account/stored.ts";
import type { Login } from "../account/users.ts";

/** Who may log in from the start. */
export interface ShopOptions {
  readonly administrator: Login;
  readonly employees: readonly Login[];
}

/** Furnishes a new account: the people, the company and its goods. */
export function furnish(account: Account, options: ShopOptions): Promise<unknown> {
  return account.commit(() => {
    const place = (type: string, name: string, values: Values): Reference => {
      const id = account.namedId(`${type}/${name}`);
      account.put({ type, id, values: { ...values, updated: account.clock.nowMs() } });
      return { type, id };
    };
    place("group", "main", { name: "Основной" });
    for (const login of [options.administrator, ...options.employees]) {
      const { type, id } = place("employee", login.login, { name: login.login, lastName: login.login, uid: login.login });
      account.put({ type: "login", id: login.login, values: { ...login, employee: { type, id } } });
    }
  });
}
