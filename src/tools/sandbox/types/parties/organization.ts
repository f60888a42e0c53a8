import { type Stored, shapeIn, type Value, type Values, withoutEmpty } from "../../values/stored.ts";
import { settleImage } from "../attachments.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { SHAPES } from "../shapes.ts";
import { settleAddress } from "./addresses.ts";
import { ORGANIZATION_ACCOUNT, settleCurrencies, settleDefault } from "./bank-accounts.ts";
import { checkEmail } from "./email.ts";
import { COMPANY_TYPE, LEGAL_ROWS, withoutForeignKind } from "./legal.ts";

/** The account's own legal entities (json-api 13.8). */
export const ORGANIZATION: EntityType = {
  ...DIRECTORY,
  name: "organization",
  createShared: () => true,
  fields: entityTable(
    `
    accounts                list:account       out exp
    actualAddress           string(255)        T
    actualAddressFull       object:address
    advancePaymentVat       number
    archived                bool               out E
    attributes              attributes         A
    bonusPoints             int                ro
    bonusProgram            ref:bonusprogram   exp
    chiefAccountSign        image
    chiefAccountant         string(255)
    companyType             ${COMPANY_TYPE}    out E
    companyVat__ru          object:companyVat
    created                 datetime           ro out C
    director                string(255)
    directorPosition        string(255)
    directorSign            image
    email                   string(255)        T
    fax                     string(255)        T
    group                   ref:group          out exp
    isEgaisEnable           bool
    payerVat                bool
    phone                   string(255)        T
    stamp                   image
    syncId                  uuid               once E
    trackingContractDate    datetime
    trackingContractNumber  string(255)
    updated
    ${LEGAL_ROWS}
    `,
    SHAPES,
  ),
  lists: { accounts: ORGANIZATION_ACCOUNT },
  attributesOf: "organization",
  webName: "mycompany",
  search: { match: "substring", fields: ["name", "code", "legalTitle", "email", "phone"] },
  order: [
    ..."id version updated updatedBy name description code externalCode archived created phone email fax inn kpp actualAddress legalTitle legalAddress".split(
      " ",
    ),
  ],
  complete: (draft) => ({ archived: false, companyType: "legal", payerVat: true, ...draft }),
  settle,
};

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  checkEmail(draft, before);
  const accounts = settleCurrencies(draft, before, writing).map(({ id, values }): Value => ({ id, values }));
  return withoutEmpty({
    ...draft,
    ...settleAddress(draft, before, writing, "actualAddress"),
    ...settleAddress(draft, before, writing, "legalAddress"),
    ...withoutForeignKind(draft),
    ...settleImages(draft, before, writing),
    accounts: settleDefault({ ...draft, accounts }, before),
    // The sandbox always answers false (json-api 13.8) and ignores a sent value.
    isEgaisEnable: false,
  });
}

/** Returns the images in the body: signatures and the stamp. */
function settleImages(draft: Values, before: Stored | undefined, writing: Writing): Values {
  const faults = { size: 51005, name: 51002, content: 51003 };
  const named = ["chiefAccountSign", "directorSign", "stamp"].filter((name) => writing.given.has(name));
  return Object.fromEntries(named.map((name) => [name, settleImage(shapeIn(draft[name]), before?.values[name], faults, writing)]));
}
