import { ref, uuid } from "./field.ts";

/** A cashier of a point of sale (json-api 12.7): a row of its `cashiers`. */
export const CASHIER = {
  accountId: uuid("readOnly"),
  employee: ref("employee")("readOnly", "expand"),
  retailStore: ref("retailstore")("readOnly", "expand"),
};
