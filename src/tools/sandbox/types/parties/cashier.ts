import type { Account } from "../../account/account.ts";
import { type Element, elementsIn, type Reference, referenceIn, type Stored, type Value } from "../../values/stored.ts";
import type { ElementType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** A cashier's record (json-api 12.7): an employee at a point of sale. It is written only as a part of its point of sale. */
export const CASHIER: ElementType = {
  name: "cashier",
  refers: "employee",
  readOnly: true,
  fields: fieldTable(`
    accountId    uuid             ro out
    employee     ref:employee     ro out exp
    id           uuid             ro out
    retailStore  ref:retailstore  ro out exp
  `),
  home: ({ values }) => `entity/retailstore/${referenceIn(values.retailStore)?.id}/cashiers`,
};

/** Returns the cashier records of a point of sale. */
export function cashiersOf(store: Stored): readonly Element[] {
  const retailStore: Value = { type: store.type, id: store.id };
  return elementsIn(store.values.cashiers).map(({ id, values }) => ({ id, values: { ...values, retailStore } }));
}

/** Returns the employee's cashier records at all points of sale. */
export function cashiersBy(employee: Reference, account: Account): readonly Element[] {
  if (!account.uses.of(employee).has("retailstore")) return [];
  return [...account.objects.all("retailstore").values()]
    .flatMap(cashiersOf)
    .filter(({ values }) => referenceIn(values.employee)?.id === employee.id);
}
