import type { Account } from "../../account/account.ts";
import { refused } from "../../call/refusal.ts";
import { type Stored, shapeIn, type Value, type Values, withoutEmpty } from "../../values/stored.ts";
import { settleImage } from "../attachments.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { CASHIER, cashiersBy } from "./cashier.ts";
import { checkEmail } from "./email.ts";
import { isPersonalInn } from "./inn.ts";

/** The largest photo. Other images may be larger (json-api 11.2). */
const MAX_PHOTO_BYTES = 3 * 1024 * 1024;
/** The shape of `cashier`: the employee's first record in `cashiers`. The documentation has both members (json-api 13.6). */
const CASHIER_SHAPE = fieldTable(`
  id           uuid
  accountId    uuid
  employee     ref:employee     exp
  retailStore  ref:retailstore  exp
`);

/** Employees (json-api 13.6). Their full names are computed. A body cannot set the login. */
export const EMPLOYEE: EntityType = {
  ...DIRECTORY,
  name: "employee",
  createShared: () => true,
  fields: entityTable(
    `
    archived    bool            out E
    attributes  attributes      A
    cashier     object:cashier  ro
    cashiers    array:cashier   ro out exp
    created     datetime        ro out
    email       string(255)     T
    firstName   string(255)     T
    fullName    string(255)     ro
    image       image
    inn         string(255)
    lastName    string(255)     req out T
    middleName  string(255)     T
    name        string(255)     ro out T
    owner       ref:employee    out exp E
    phone       string(255)     T
    position    string(255)
    salary      object:salary
    shortFio    string(255)     ro
    uid         string(255)     ro T
    `,
    { cashier: CASHIER_SHAPE, salary: fieldTable("value number") },
    ["code"],
  ),
  lists: { cashiers: CASHIER },
  attributesOf: "employee",
  webName: "employee",
  search: { match: "word-prefix", fields: ["name", "email", "phone"] },
  order: [
    ..."id version updated updatedBy name description externalCode archived email phone lastname firstname middlename uid".split(" "),
  ],
  complete: (draft) => ({ archived: false, ...draft }),
  settle,
  derive,
};

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  const { given } = writing;
  // Unlike other required fields, `lastName` is required even in an update (json-api 13.6).
  if (before !== undefined && !given.has("lastName")) throw refused(3000, "lastName");
  if (draft.inn !== undefined && draft.inn !== "" && !isPersonalInn(String(draft.inn))) throw refused(43006, "inn");
  checkEmail(draft, before);
  const image = given.has("image") ? photoOf(draft, before, writing) : draft.image;
  return withoutEmpty({ ...draft, ...namesOf(draft), image });
}

function photoOf(draft: Values, before: Stored | undefined, writing: Writing): Value | undefined {
  const photo = settleImage(shapeIn(draft.image), before?.values.image, { size: 43001, name: 43002, content: 43003 }, writing);
  if (Number(shapeIn(photo)?.size) > MAX_PHOTO_BYTES) throw refused(43001, "image");
  return photo;
}

/** Returns `Иванова М. П.` for lists and papers, and the full name `Мария Петровна Иванова`. */
function namesOf({ lastName, firstName, middleName }: Values): Values {
  const given = [firstName, middleName].map((part) => String(part ?? "").trim()).filter((part) => part !== "");
  const short = [String(lastName ?? ""), ...given.map((part) => `${part.slice(0, 1)}.`)].join(" ");
  return { name: short, shortFio: short, fullName: [...given, String(lastName ?? "")].join(" ") };
}

function derive(stored: Stored, account: Account): Values {
  const cashiers = cashiersBy(stored, account);
  const [first] = cashiers;
  return {
    cashiers: cashiers.map(({ id, values }): Value => ({ id, values })),
    ...(first === undefined ? {} : { cashier: { id: first.id, ...first.values } as Value }),
  };
}
