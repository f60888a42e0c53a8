import type { Account } from "../account/account.ts";
import { BANK_ACCOUNT_TYPE } from "../account/bank-accounts.ts";
import type { Reference } from "../account/stored.ts";

/**
 * The path of an object below `{api}`. Most live at `entity/{type}/{id}`; a state and an additional field below
 * the metadata of the type they belong to, a price type in the company's settings, a bank account below its owner.
 */
export function pathOf({ type, id }: Reference, account: Account): string {
  switch (type) {
    case "state":
    case "attributemetadata": {
      const of = account.objects.get(type, id)?.values.of;
      return `entity/${String(of)}/metadata/${type === "state" ? "states" : "attributes"}/${id}`;
    }
    case "pricetype":
      return `context/companysettings/pricetype/${id}`;
    case BANK_ACCOUNT_TYPE: {
      const owner = account.bankAccounts.ownerOf(id);
      return `entity/${String(owner?.type)}/${String(owner?.id)}/accounts/${id}`;
    }
    default:
      return `entity/${type}/${id}`;
  }
}

/** What a path below `{api}` points at, the other way round; undefined for a path that is no object's. */
export function referenceOf(path: string): Reference | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  const [section, type = "", third = "", fourth = "", id = ""] = parts;
  if (section === "entity" && parts.length === 3) return { type, id: third };
  if (section === "entity" && third === "metadata" && parts.length === 5) {
    if (fourth === "states") return { type: "state", id };
    if (fourth === "attributes") return { type: "attributemetadata", id };
  }
  if (section === "entity" && fourth === "accounts" && parts.length === 5) return { type: BANK_ACCOUNT_TYPE, id };
  if (section === "context" && type === "companysettings" && third === "pricetype" && parts.length === 4)
    return { type: "pricetype", id: fourth };
  return undefined;
}
