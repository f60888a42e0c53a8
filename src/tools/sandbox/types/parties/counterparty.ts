import type { Account } from "../../account/account.ts";
import { refused } from "../../call/refusal.ts";
import { externalCodeOf } from "../../values/external-code.ts";
import { elementsIn, referenceIn, type Stored, type Value, type Values, withoutEmpty } from "../../values/stored.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { ElementType, EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { COUNTERPARTY_NOTE } from "../note.ts";
import { COUNTERPARTY_SETTINGS, settingsOf } from "../settings.ts";
import { SHAPES } from "../shapes.ts";
import { settleAddress } from "./addresses.ts";
import { BANK_ACCOUNT, settleDefault } from "./bank-accounts.ts";
import { checkEmail } from "./email.ts";
import { COMPANY_TYPE, LEGAL_ROWS, withoutForeignKind } from "./legal.ts";

const CONTACT_PERSON: ElementType = {
  name: "contactperson",
  fields: fieldTable(`
    accountId     uuid              ro out
    agent         ref:counterparty  ro out exp
    description   string(4096)
    email         string(255)
    externalCode  string(255)       out
    id            uuid              ro out
    name          string(255)       req out
    phone         string(255)
    position      string(255)
    updated       datetime          ro out
  `),
  complete: (values, before, id, { account }) => {
    checkEmail(values, before === undefined ? undefined : { values: before });
    return { externalCode: externalCodeOf(id), ...values, updated: account.clock.nowMs() };
  },
};

/** Buyers, suppliers and banks (json-api 13.5). */
export const COUNTERPARTY: EntityType = {
  ...DIRECTORY,
  name: "counterparty",
  fields: entityTable(
    `
    accounts            list:account            out exp
    actualAddress       string(255)             T
    actualAddressFull   object:address
    archived            bool                    out E
    attributes          attributes              A
    birthDate           datetime
    bonusPoints         int                     ro
    bonusProgram        ref:bonusprogram        exp
    companyType         ${COMPANY_TYPE}         out E
    contactpersons      list:contactperson      exp
    created             datetime                ro out C
    discountCardNumber  string(255)             T
    discounts           json:objects
    email               string(255)             T
    fax                 string(255)             T
    files               list:file               out exp
    notes               list:note               exp
    phone               string(255)             T
    priceType           whole(28000):pricetype  T
    salesAmount         long                    ro out
    sex                 string(255)
    state               ref:state               exp E
    syncId              uuid                    once E
    tags                strings                 T
    updated
    ${LEGAL_ROWS}
    `,
    SHAPES,
  ),
  lists: { accounts: BANK_ACCOUNT, contactpersons: CONTACT_PERSON, notes: COUNTERPARTY_NOTE },
  attributesOf: "counterparty",
  states: true,
  webName: "company",
  createShared: (reading) => settingsOf(COUNTERPARTY_SETTINGS, reading).createShared === true,
  search: {
    match: "substring",
    fields: [
      ..."name code legalTitle discountCardNumber email phone".split(" "),
      ..."contactpersons.name contactpersons.email contactpersons.phone".split(" "),
    ],
  },
  order: [..."id version updated updatedBy name description code externalCode archived created phone email fax".split(" ")],
  // The default kind is a company (json-api D35).
  complete: (draft) => ({ archived: false, companyType: "legal", ...draft }),
  settle,
  derive,
};

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  if (draft.sex !== undefined && draft.sex !== "" && draft.sex !== "MALE" && draft.sex !== "FEMALE")
    throw refused(3005, "sex", String(draft.sex));
  checkEmail(draft, before);
  return withoutEmpty({
    ...draft,
    ...settleAddress(draft, before, writing, "actualAddress"),
    ...settleAddress(draft, before, writing, "legalAddress"),
    ...withoutForeignKind(draft),
    accounts: settleDefault(draft, before),
  });
}

function derive(stored: Stored, account: Account): Values {
  const agent = { type: stored.type, id: stored.id };
  const ofAgent = (name: string): Value => elementsIn(stored.values[name]).map(({ id, values }) => ({ id, values: { ...values, agent } }));
  return { contactpersons: ofAgent("contactpersons"), notes: ofAgent("notes"), salesAmount: salesAmount(stored, account) };
}

/** Returns posted sales minus posted returns. Documents in the recycle bin do not count. */
function salesAmount(stored: Stored, account: Account): number {
  const uses = account.uses.of(stored);
  return [
    ["retaildemand", 1],
    ["retailsalesreturn", -1],
  ].reduce((total, [type, sign]) => {
    if (!uses.has(String(type))) return total;
    return [...account.objects.all(String(type)).values()]
      .filter(({ values }) => referenceIn(values.agent)?.id === stored.id && values.applicable !== false && values.deleted === undefined)
      .reduce((sum, { values }) => sum + Number(sign) * Number(values.sum ?? 0), total);
  }, 0);
}
