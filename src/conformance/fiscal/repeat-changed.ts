import { GOODS } from "../../sandbox/caller/shop.ts";
import type { Rule } from "../rule.ts";
import type { Scene } from "../scene.ts";
import { expectRefused } from "./answers.ts";
import type { Body, Till } from "./till.ts";

/** Changes of a registered sale that leave its total as it is: a server that compares totals only does not see them. */
export const CHANGED_REPEATS: readonly Rule[] = [
  changed("other-payment", "a known id with another way to pay is refused", "now paid by card instead of cash", {
    mend: "Hash the payments member by member, not their sum: the answer would say that a receipt for cash stands for money that went another way.",
    change: () => ({ payments: { cardSum: "109.80" } }),
  }),
  changed("other-goods", "a known id with other goods is refused", "with other goods at the same price and quantity", {
    mend: "Hash the positions with their goods, ids and names, not the quantities and prices alone.",
    change: (till) => {
      const [other] = till.saleBody({}, [{ goods: GOODS.pasta, quantityThousandths: 2000 }]).positions as Body[];
      const [sold] = till.saleBody().positions as Body[];
      return { positions: [{ ...sold, assortment: other?.assortment }] };
    },
  }),
  changed("other-cashier", "a known id with another cashier is refused", "by another cashier (another employee's id and name)", {
    mend: "Hash the cashier too: it stands on the receipt, and a repeat is the same request in everything that was read.",
    change: (till) => {
      const id = till.newId();
      const href = `${till.context.api}/entity/employee/${id}`;
      return { cashier: { meta: { href, id, type: "Employee", idType: "native" }, lastName: "Смирнова", firstName: "Анна" } };
    },
  }),
];

function changed(name: string, title: string, how: string, { mend, change }: { mend: string; change: (till: Till) => Body }): Rule {
  return {
    id: `fiscal/repeat/${name}`,
    title,
    source: "decided",
    clause: "interface 5, Idempotency; interface 6, Same content; platform-contracts 4.7",
    expected: `409 and 50002 for a sale with the id and the total of a registered one, ${how}`,
    mend,
    needs: ["fiscal/error/shape", "fiscal/repeat/other-content"],
    check: async (scene: Scene) => {
      const till = await scene.till();
      const body = till.saleBody();
      await till.sell(body);
      return expectRefused(await till.send("retaildemand", { ...body, ...change(till) }), 409, 50002);
    },
  };
}
