import type { FiscalOperation } from "../../../sandbox/caller/fiscal-operation.ts";
import { GOODS } from "../../../sandbox/caller/shop.ts";
import type { CheckResult } from "../../exchanges/check-result.ts";
import { notDeclared } from "../../play/declared.ts";
import type { Scene } from "../../play/scene.ts";
import type { Body, Till } from "../../play/till.ts";
import type { Rule } from "../rule.ts";
import { expectDone, expectRefused } from "./answers.ts";

const SOURCE = {
  source: "decided",
  clause: "interface 5, Idempotency; interface 6, Same content; platform-contracts 4.7",
} as const;
const FOR_ALL = { ...SOURCE, mend: "Keep a hash of the content with the key for every operation, not for sales alone, and compare." };
const NEEDS = ["fiscal/error/shape", "fiscal/repeat/other-content"];

/** Repeats of a registered document with changes. Most changes keep the total, so a server that compares only totals misses them. */
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
  {
    id: "fiscal/repeat/other-return",
    title: "a known id of a return with other content is refused",
    ...FOR_ALL,
    expected: "409 and 50002 for a return with the id of a registered one and another quantity and payment",
    needs: [...NEEDS, "fiscal/answer/retaisalesreturn"],
    check: async (scene) => {
      const never = notDeclared(scene.target, "retaisalesreturn");
      if (never !== undefined) return never;
      const till = await scene.till();
      await till.sell();
      const body = till.returnBody(till.newId());
      const positions = (body.positions as object[]).map((position) => ({ ...position, quantity: 1 }));
      return twice(till, "retaisalesreturn", body, { ...body, positions, payments: { cashSum: "54.90" } });
    },
  },
  {
    id: "fiscal/repeat/other-cash",
    title: "a known id of cash in with another sum is refused",
    ...FOR_ALL,
    expected: '409 and 50002 for cash in with the id of one that went through, and "sum":"2000" instead of "1000"',
    needs: [...NEEDS, "fiscal/answer/retaildrawercashin"],
    check: async (scene) => {
      const never = notDeclared(scene.target, "retaildrawercashin");
      if (never !== undefined) return never;
      const till = await scene.till();
      const body = till.cashBody("in", 10_00);
      return twice(till, "retaildrawercashin", body, { ...body, sum: "2000" });
    },
  },
];

async function twice(till: Till, operation: FiscalOperation, body: Body, other: Body): Promise<CheckResult> {
  const done = expectDone(await till.send(operation, body));
  return done.kind === "held" ? expectRefused(await till.send(operation, other), 409, 50002) : done;
}

function changed(name: string, title: string, how: string, { mend, change }: { mend: string; change: (till: Till) => Body }): Rule {
  return {
    id: `fiscal/repeat/${name}`,
    title,
    ...SOURCE,
    expected: `409 and 50002 for a sale with the id and the total of a registered one, ${how}`,
    mend,
    needs: NEEDS,
    check: async (scene: Scene) => {
      const till = await scene.till();
      const body = till.saleBody();
      await till.sell(body);
      return expectRefused(await till.send("retaildemand", { ...body, ...change(till) }), 409, 50002);
    },
  };
}
