import { refused } from "../../call/refusal.ts";
import type { SandboxSettings } from "../../settings.ts";
import { elementsIn, type Reference, referenceIn, referencesIn, type Stored, type Value, type Values } from "../../values/stored.ts";
import { refuseForeignStates } from "../custom/states.ts";
import { accountCurrency } from "../directories/currency.ts";
import type { Writing } from "../entity-type.ts";

/** The maximum number of active points of sale in a plan. The free plan allows two, as many as a new shop has. */
const MAX_ACTIVE: Readonly<Record<SandboxSettings["plan"], number>> = { free: 2, paid: 1_000 };

/** Fields with states of customer orders. */
const ORDER_STATES = ["createOrderWithState", "customerOrderStates", "orderToState"];

/** The defaults of a new point of sale (json-api 12.6). Switches without a documented default are off. */
export const RETAIL_STORE_DEFAULTS: Values = {
  allowCreateProducts: false,
  allowCustomPrice: false,
  allowDeleteReceiptPositions: true,
  allowSellTobaccoWithoutMRC: false,
  archived: false,
  authTokenAttached: false,
  controlCashierChoice: false,
  controlShippingStock: false,
  createCashInOnRetailShiftClosing: false,
  createPaymentInOnRetailShiftClosing: false,
  defaultTaxSystem: "GENERAL_TAX_SYSTEM",
  discountEnable: false,
  enableReturnsWithNoReason: false,
  environment: {},
  fiscalType: "STANDARD",
  issueOrders: false,
  markingSellingMode: "CORRECT_MARKS_ONLY",
  marksCheckMode: "CORRECT_MARKS_ONLY",
  minionToMasterType: "ANY",
  ofdEnabled: false,
  onlyInStock: false,
  orderTaxSystem: "GENERAL_TAX_SYSTEM",
  printAlways: false,
  priorityOfdSend: "none",
  qrPayEnabled: false,
  requiredBirthdate: false,
  requiredDiscountCardNumber: false,
  requiredEmail: false,
  requiredFio: false,
  requiredPhone: true,
  requiredSex: false,
  reservePrepaidGoods: false,
  returnFromClosedShiftEnabled: false,
  sellReserves: false,
  sendMarksForCheck: false,
  sendMarksToChestnyZnakOnCloud: false,
  showBeerOnTap: false,
  // A new point of sale has no reports from its register yet.
  state: { sync: { message: "" }, fiscalMemory: { notSendDocCount: 0 } },
  syncAgents: true,
  tobaccoMrcControlType: "USER_PRICE",
};

/** Returns the default of `active`: whether the plan allows one more active point of sale. */
export function completeActive(draft: Values, writing: Writing): Values {
  return draft.active === undefined ? { active: hasRoom(undefined, writing) } : {};
}

/** Checks the rules of a whole point of sale. Throws a `Refusal`. */
export function checkRetailStore(draft: Values, before: Stored | undefined, writing: Writing): void {
  if (draft.allowCreateProducts === true && draft.controlShippingStock === true) {
    throw refused(3028, undefined, "allowCreateProducts, controlShippingStock");
  }
  if (draft.active === true && before?.values.active !== true && !hasRoom(before, writing)) throw refused(4001, "active");
  if (draft.minionToMasterType === "CHOSEN" && referencesIn(draft.masterRetailStores).length === 0)
    throw refused(4002, "masterRetailStores");
  if (referencesIn(draft.masterRetailStores).some(({ id }) => id === before?.id)) {
    throw refused(3007, "masterRetailStores", "точка продаж не может быть мастером самой себе");
  }
  if (hasNested(referencesIn(draft.productFolders), writing)) throw refused(4003, "productFolders");
  for (const field of ORDER_STATES) {
    if (draft[field] !== before?.values[field]) refuseForeignStates("customerorder", field, draft[field], writing.account);
  }
  if (isForeignCurrency(draft.organization, writing)) throw refused(4004, "organization");
}

function hasRoom(before: Stored | undefined, { account, call }: Writing): boolean {
  const others = [...account.objects.all("retailstore").values()].filter(({ id, values }) => id !== before?.id && values.active === true);
  return others.length < MAX_ACTIVE[call.settings.plan];
}

/** Whether one of the folders lies inside another folder of the list, at any depth. */
function hasNested(folders: readonly Reference[], { account }: Writing): boolean {
  const ids = new Set(folders.map(({ id }) => id));
  const parentOf = ({ type, id }: Reference) => referenceIn(account.objects.get(type, id)?.values.productFolder);
  return folders.some((folder) => {
    for (let at = parentOf(folder); at !== undefined; at = parentOf(at)) if (ids.has(at.id)) return true;
    return false;
  });
}

/** Whether the currency of the organization's main bank account is not the shop's currency. */
function isForeignCurrency(organization: Value | undefined, { account }: Writing): boolean {
  const main = elementsIn(account.objects.pointedBy(organization)?.values.accounts).find(({ values }) => values.isDefault === true);
  return main !== undefined && referenceIn(main.values.currency)?.id !== accountCurrency(account)?.id;
}
