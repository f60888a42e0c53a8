import { entity } from "./entity-type.ts";
import { attributes, bool, kind, moment, refs, text } from "./field.ts";
import type { Ref } from "./meta.ts";
import type { Image } from "./shapes.ts";
import { EDITOR_FILTER, OWNED } from "./shapes.ts";

/** The member `cashier`: a single cashier, besides the list `cashiers`. */
interface EmployeeCashier {
  readonly id: string;
  readonly accountId?: string;
  readonly employee?: Ref<"employee">;
  readonly retailStore?: Ref<"retailstore">;
}

/** Employees (json-api 13.6). `lastName` is required in every change too. */
export const EMPLOYEE = entity({
  name: "employee",
  fields: {
    ...OWNED,
    archived: bool("kept", "E"),
    attributes: attributes("A"),
    cashier: kind<EmployeeCashier>()("readOnly"),
    cashiers: refs("cashier")("readOnly", "expand"),
    created: moment("readOnly"),
    description: text("T"),
    email: text("T"),
    firstName: text("T"),
    fullName: text("readOnly"),
    image: kind<Image, { readonly filename: string; readonly content: string }>()(),
    inn: text(),
    lastName: text("required", "always", "T"),
    middleName: text("T"),
    name: text("readOnly", "T"),
    phone: text("T"),
    position: text(),
    salary: kind<{ readonly value: number }>()(),
    shortFio: text("readOnly"),
    uid: text("readOnly", "T"),
  },
  keys: EDITOR_FILTER,
  order: [
    "id",
    "version",
    "updated",
    "updatedBy",
    "name",
    "description",
    "externalCode",
    "archived",
    "email",
    "phone",
    "lastname",
    "firstname",
    "middlename",
    "uid",
  ],
  lists: {},
});
